/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what a capture or a build made, and their execution. */
#ifndef SOFTNPU_MODEL_H
#define SOFTNPU_MODEL_H

#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/lane.h"
#include "tools/softnpu/sync/stream.h"

enum model_state {
	MODEL_BUILDING, /* aclmdlRIBuildBegin */
	MODEL_CAPTURING,
	MODEL_READY,
	MODEL_UPDATING, /* tasks were changed, aclmdlRIUpdate is due */
	MODEL_FAULT
};

/* The tasks of one stream. */
struct model_lane {
	struct op **ops;
	uint32_t *sequence; /* of each: how many tasks the model had before it */
	unsigned n, capacity;
	struct stream *stream; /* bound, or made for aclmdlRIGetStreams; NULL else */
	bool head; /* starts by itself; others wait for aclrtActiveStream */
	bool ended; /* aclmdlRIEndTask */
	bool unbound; /* its stream is none of the model's any more, and its tasks do not run */
};

struct model_callback {
	struct list link;
	aclrtCallback fn;
	void *data;
};

struct model {
	struct object obj;
	struct list link; /* in ctx->models */
	struct context *ctx;
	enum model_state state;
	bool captured; /* else built */
	bool sub; /* body of a conditional task */
	bool filled; /* sub model: its capture has ended */
	uint32_t id;
	char name[512];
	struct model_lane *lanes;
	unsigned n_lanes;
	uint32_t n_tasks; /* of all lanes, also those that are cleaned away */
	bool notifies; /* its last task is there, which says that an execution is over */
	unsigned edges; /* waits between lanes: how many records they refer to */
	unsigned running; /* executions submitted and not over */
	struct npu_condition idle;
	struct instance *active; /* executions take turns */
	struct list turn; /* lanes waiting for theirs */
	struct list callbacks; /* struct model_callback, run at destruction */
	struct list conditions; /* struct condition.link */
	struct list labels; /* struct label.link */
	struct list tasks; /* struct model_task.link, those that the program asked for */
	struct list groups; /* struct task_group.link */
};

/* --- models --- */
struct model *model_new(struct context *ctx, bool captured);
aclError model_find(aclmdlRI handle, struct model **m);
/* 107004 when it belongs to another context than the current. */
aclError model_enter(const struct model *m);
/* Both. */
aclError model_find_here(aclmdlRI handle, struct model **m);
/* A new empty lane; its index, or -1 without memory. */
int model_add_lane(struct model *m);
/* Takes over the reference to op. */
aclError model_append(struct model *m, unsigned lane, struct op *op);
/* Runs nothing any more; callbacks are taken by the caller. */
void model_kill(struct model *m, struct list *callbacks);
/* Without the lock. */
void model_run_callbacks(struct list *callbacks);
/* Handles of its tasks end (model_task.c). */
void model_tasks_release(struct model *m);
/* Keeps a copy of what the program says of the operator behind a task (model_task.c). */
aclError model_task_describe(struct model *m, unsigned lane, unsigned index, const void *info, size_t size);
/* The first execution adds a task to the stream that the capture began on. */
aclError model_add_notification(struct model *m);
/* Step of tasks with which a program has nothing to do. */
enum op_step task_step_over(struct op *op, struct lane *lane);
struct op *model_slot(struct model *m, unsigned lane, unsigned index);
void model_replace(struct model *m, unsigned lane, unsigned index, struct op *op);
/* What stands in the place of a task that the model has no more, so that the others keep theirs. */
struct op *model_gap_new(void);
/* The task goes; gap takes its place. */
void model_drop(struct model *m, unsigned lane, unsigned index, struct op *gap);
bool model_is_gap(const struct model_lane *lane, unsigned index);
/* A context goes: open captures end, its models are destroyed. */
void captures_release_context(struct context *ctx);
void models_release_context(struct context *ctx);

/* --- execution (replay.c) --- */
/* Executes m; takes part in turn with other executions. */
struct op *model_execute_op(struct model *m);
/* One operation that executes another model inside: starts it, later tells whether it is over. */
aclError instance_start(struct model *m, struct lane *parent, struct instance **inst);
bool instance_over(struct instance *inst, aclError *rc);
enum op_step instance_park(struct instance *inst, struct lane *parent);
void instance_cancel(struct instance *inst, aclError code);
/* Lane of a replay: where it belongs, NULL for a stream's lane. */
struct instance *lane_instance(struct lane *lane);
void instance_activate(struct instance *inst, unsigned lane);
struct model *instance_model(struct instance *inst);
/* Continue at another task of the same lane. */
void lane_jump(struct lane *lane, unsigned index);
struct event;
/* Records and waits inside a model, and what resets a record at its end. */
struct op *edge_record_op(unsigned edge, struct event *ev);
struct op *edge_wait_op(unsigned edge, struct event *ev);
struct op *edge_reset_op(unsigned edge, struct event *ev);
/* The event of one of them; NULL for other operations. */
struct event *edge_event(const struct op *op);

#endif
