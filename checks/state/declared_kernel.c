/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose accesses are declared. */
#include "checks/state/declared_kernel.h"

#include "checks/engine/annotations.h"
#include "checks/state/binary_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_inside.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

struct declared_kernels {
	struct kernel_accesses *of[ACL_THREADS]; /* by thread; allocated when it first declares any */
};

static const char accesses_note;

const struct kernel_accesses *kernel_accesses(const struct acl_call_record *call)
{
	return (const struct kernel_accesses *)(uintptr_t)call_note(call, &accesses_note);
}

static struct kernel_accesses **list_of(struct checks *c, const struct acl_call_record *call)
{
	struct declared_kernels *d = module_state(c, declared_kernel);

	return &d->of[thread_of(call) - c->threads];
}

/* --- declarations --------------------------------------------------------------------------- */

static void kernel_declare(
	struct checks *c, struct acl_call_record *call, const void *address, uint64_t bytes, bool writes)
{
	struct kernel_accesses **at = list_of(c, call), *list;
	struct acl_object *s = stream_of(call);

	if (!s || !address || !bytes)
		return;
	checks_when(c, WHEN_DECLARED);
	if (!*at)
		*at = checks_alloc(c, sizeof(**at));
	list = *at;
	if (!list)
		return;
	if (list->n && list->tid == call->tid && list->stream != object_ref(s))
		annotation_refuse(call, "ACLCHECK_KERNEL_…: accesses were declared for a launch on another "
					"stream that did not come");
	if (list->tid != call->tid || list->stream != object_ref(s))
		list->n = 0;
	list->tid = call->tid;
	list->stream = object_ref(s);
	if (list->n < KERNEL_ACCESSES)
		list->at[list->n] = (struct kernel_access){address, bytes, writes};
	list->n += list->n <= KERNEL_ACCESSES;
}

static void kernel_reads_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_ACLCHECK_KERNEL_READS *a = call->args;

	kernel_declare(c, call, a->address, a->bytes, false);
}

static void kernel_writes_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_ACLCHECK_KERNEL_WRITES *a = call->args;

	kernel_declare(c, call, a->address, a->bytes, true);
}

/* --- launches ------------------------------------------------------------------------------- */

static void kernel_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct kernel_accesses *list = *list_of(c, call);
	struct acl_object *s = stream_of(call);
	struct block_lookup place;
	struct entering e;

	if (!list || !list->n || !s || list->tid != call->tid || list->stream != object_ref(s))
		return;
	if (list->n > KERNEL_ACCESSES || !task_runs_now(c, call)) {
		list->n = 0;
		return;
	}
	call_note_set(call, &accesses_note, (uintptr_t)list);
	if (!entering_begin(c, call, &e))
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (memory_find(c, (uintptr_t)list->at[i].address, &place))
			entering_add(&e, &place, (uintptr_t)list->at[i].address, list->at[i].bytes, 0, 0,
				list->at[i].writes ? ACCESS_WRITES : ACCESS_READS);
	entering_end(&e, call);
}

static void kernel_task_failed(struct checks *c, struct acl_call_record *call)
{
	const struct kernel_accesses *list = kernel_accesses(call);
	struct block_lookup place;

	for (unsigned i = 0; list && i < list->n; i++)
		if (memory_find(c, (uintptr_t)list->at[i].address, &place))
			access_take_back(c, call, &place, (uintptr_t)list->at[i].address, list->at[i].bytes);
}

/* A launch that failed is made again, with what was declared for it. */
static void kernel_task_leave(struct checks *c, struct acl_call_record *call)
{
	if (kernel_accesses(call) && succeeded(call))
		(*list_of(c, call))->n = 0;
}

/* One that is launched on a way the checker does not see. */
static void unseen_launch_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && call->state.position)
		stream_has_kernel(c, s, call->state.position, !kernel_accesses(call));
	kernel_task_leave(c, call);
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_KERNEL_READS, ACL_LEAVE, kernel_reads_leave},
	{ACL_ANNOTATION_KERNEL_WRITES, ACL_LEAVE, kernel_writes_leave},
	{ACL_ANNOTATION_KERNEL, ACL_ENTER, kernel_task_enter},
	{ACL_ANNOTATION_KERNEL, ACL_LEAVE, unseen_launch_leave},
	{ON_OP(LAUNCH_KERNEL), ACL_ENTER | ACL_WHEN(DECLARED), kernel_task_enter},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE | ACL_WHEN(DECLARED), kernel_task_leave},
	{ON_OP(LAUNCH_KERNEL), ACL_FAILED, kernel_task_failed},
};

const struct check_module module_declared_kernel = {
	.order = 22, /* after the stream has its position, and its end behind who reads the list */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct declared_kernels),
};
