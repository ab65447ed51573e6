/* SPDX-License-Identifier: Apache-2.0 */
/* Before a library goes: whether it was bound to the runtime around us, or is a copy of it, can be seen no
 * longer afterwards. */
#include <dlfcn.h>
#include <errno.h>

#include "interpose/process/process_state.h"
#include "interpose/common/compiler.h"
#include "interpose/runtime/direct_binding.h"
#include "interpose/runtime/libc_hooks.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/unwind.h"
#include "interpose/report/call_coverage.h"
#include "interpose/common/thread_state.h"

static void closed_search(void *unused)
{
	const struct direct_binding *list;

	(void)unused;
	direct_binding_search(&list);
	call_coverage_search_copies();
}

static void closed_look(void)
{
	struct acl_thread *t = thread_self();
	int saved = errno;
	char mark;

	if (atomic_load(&acl_process.stage) == STAGE_ACTIVE && call_coverage_wanted() &&
		tool_begin(t, &mark)) {
		tool_stack_run(closed_search, NULL);
		tool_end(t);
	}
	errno = saved;
}

ACL_HOOK NO_SANITIZE int dlclose(void *handle)
{
	int result;

	if (process_is_uninitialized())
		return HOOK_REAL(dlclose)(handle);
	closed_look();
	module_closing();
	result = HOOK_REAL(dlclose)(handle);
	module_closed_now();
	module_closed();
	unwind_forget();
	return result;
}
