/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program says of itself with the macros of aclcheck.h: to the
 * checker, as a record without a call.  One entry for all, with the arguments in
 * one form: a program that was built with a newer header says things that this
 * library does not know, and they do nothing.
 */
#include <errno.h>
#include <stdint.h>

#include "aclcheck.h"
#include "interpose/call/annotation_arguments.h"
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

struct said {
	const struct annotation *by_program;
	struct acl_call_record record;
	union annotation_arguments arguments;
};

/* A recording has it behind what was found in it, as it has calls. */
static void annotation_take(void *what)
{
	struct said *s = what;
	const struct annotation *a = s->by_program;
	const char *refused = checks_annotate(acl_process.checks, &s->record);

	if (refused)
		verdict_inconclusive("annotation", refused);
	trace_say(&(struct trace_said){.what = a->what,
		.object = (uintptr_t)a->object,
		.bytes = a->bytes,
		.stream = (uintptr_t)a->stream,
		.caller = s->record.caller,
		.stack = s->record.stack,
		.text = a->text});
}

static void annotate(struct acl_thread *t, const struct annotation *a, uint64_t caller)
{
	struct said said = {.by_program = a};
	unsigned annotation = annotation_arguments(a, &said.arguments);

	if (annotation == ACL_NAMED_COUNT)
		return;
	process_thread(t);
	acl_call_record_begin(&said.record, annotation, &said.arguments, caller, &t->ids);
	said.record.callback_depth = t->callback ? t->callback->depth : 0;
	if (thread_has_room(t, &said))
		annotation_take(&said);
	else
		tool_stack_run(annotation_take, &said);
}

/* Before the first acl call there is nothing to say anything of but of the recording. */
void aclcheck_annotate(unsigned what, const void *object, size_t bytes, const void *stream, const char *text)
{
	struct annotation given = {what, object, bytes, stream, text};
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
