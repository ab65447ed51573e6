/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program says of itself with the macros of aclcheck.h: to the
 * checker, as a record without a call.  One entry for all, with the arguments in
 * one form: a program that was built with a newer header says things that this
 * library does not know, and they do nothing.
 */
#include <errno.h>
#include <stdatomic.h>

#include "aclcheck.h"
#include "aclcheck/model.h"
#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"
#include "interpose/process/process_state.h"
#include "interpose/process/start.h"
#include "interpose/report/trace_sink.h"
#include "interpose/report/verdict.h"
#include "interpose/runtime/function_table.h"
#include "interpose/stack/tool_stack.h"

ACL_EXPORT void aclcheck_annotate(
	unsigned what, const void *object, size_t bytes, const void *stream, const char *text);

/* The arguments as the record has them. */
union arguments {
	struct acl_args_ACLCHECK_NAME name;
	struct acl_args_ACLCHECK_POOL pool;
	struct acl_args_ACLCHECK_POOL_END pool_end;
	struct acl_args_ACLCHECK_BLOCK block;
	struct acl_args_ACLCHECK_BLOCK_END block_end;
	struct acl_args_ACLCHECK_KERNEL_READS reads;
	struct acl_args_ACLCHECK_KERNEL_WRITES writes;
	struct acl_args_ACLCHECK_KERNEL kernel;
};

struct given {
	unsigned what;
	const void *object;
	size_t bytes;
	const void *stream;
	const char *text;
};

/* enum acl_annotation; ACL_NAMED_COUNT: unknown. */
static unsigned arguments_of(const struct given *g, union arguments *to)
{
	aclrtStream stream = (aclrtStream)(uintptr_t)g->stream;

	switch (g->what) {
	case ACLCHECK_SAYS_NAME:
		to->name = (struct acl_args_ACLCHECK_NAME){g->object, g->text};
		return ACL_ANNOTATION_NAME;
	case ACLCHECK_SAYS_POOL:
		to->pool = (struct acl_args_ACLCHECK_POOL){g->object, g->bytes};
		return ACL_ANNOTATION_POOL;
	case ACLCHECK_SAYS_POOL_END:
		to->pool_end = (struct acl_args_ACLCHECK_POOL_END){g->object};
		return ACL_ANNOTATION_POOL_END;
	case ACLCHECK_SAYS_BLOCK:
		to->block = (struct acl_args_ACLCHECK_BLOCK){g->object, g->bytes, stream};
		return ACL_ANNOTATION_BLOCK;
	case ACLCHECK_SAYS_BLOCK_END:
		to->block_end = (struct acl_args_ACLCHECK_BLOCK_END){g->object};
		return ACL_ANNOTATION_BLOCK_END;
	case ACLCHECK_SAYS_KERNEL_READS:
		to->reads = (struct acl_args_ACLCHECK_KERNEL_READS){stream, g->object, g->bytes};
		return ACL_ANNOTATION_KERNEL_READS;
	case ACLCHECK_SAYS_KERNEL_WRITES:
		to->writes = (struct acl_args_ACLCHECK_KERNEL_WRITES){stream, g->object, g->bytes};
		return ACL_ANNOTATION_KERNEL_WRITES;
	case ACLCHECK_SAYS_KERNEL:
		to->kernel = (struct acl_args_ACLCHECK_KERNEL){stream, g->text};
		return ACL_ANNOTATION_KERNEL;
	}
	return ACL_NAMED_COUNT;
}

/* A recording has calls only; who replays it is to know that there was more. */
static void describe_annotations(void *unused)
{
	(void)unused;
	trace_describe("annotations", "yes");
}

static void to_checker(void *record)
{
	const char *refused = checks_annotate(acl_process.checks, record);

	if (refused)
		verdict_inconclusive("annotation", refused);
}

static _Atomic bool described;

static void annotate(struct acl_thread *t, const struct given *g, uint64_t caller)
{
	union arguments arguments;
	struct acl_call_record record;
	unsigned annotation = arguments_of(g, &arguments);

	if (annotation == ACL_NAMED_COUNT)
		return;
	process_thread(t);
	if (!atomic_exchange_explicit(&described, true, memory_order_relaxed))
		tool_stack_run(describe_annotations, NULL);
	acl_call_record_begin(&record, annotation, &arguments, caller, &t->ids);
	record.callback_depth = t->callback ? t->callback->depth : 0;
	if (thread_has_room(t, &record))
		to_checker(&record);
	else
		tool_stack_run(to_checker, &record);
}

/* Before the first acl call there is nothing to say anything of but of the recording. */
void aclcheck_annotate(unsigned what, const void *object, size_t bytes, const void *stream, const char *text)
{
	struct given given = {what, object, bytes, stream, text};
	struct acl_thread *t;
	int saved;
	char mark;

	if (what == ACLCHECK_SAYS_TRACE_START || what == ACLCHECK_SAYS_TRACE_STOP) {
		trace_choose(what == ACLCHECK_SAYS_TRACE_START);
		return;
	}
	if (atomic_load_explicit(&acl_process.stage, memory_order_acquire) != STAGE_ACTIVE ||
		!acl_process.checks)
		return;
	t = thread_self();
	saved = errno;
	if (tool_begin(t, &mark)) {
		annotate(t, &given, (uint64_t)(uintptr_t)__builtin_return_address(0));
		tool_end(t);
	}
	errno = saved;
}
