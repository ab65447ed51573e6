/* SPDX-License-Identifier: Apache-2.0 */
/* Before a library goes: whether it was bound to the runtime around us can be seen no longer afterwards. */
#include <dlfcn.h>
#include <errno.h>

#include "interpose/bypass.h"
#include "interpose/core.h"
#include "interpose/hooks.h"
#include "interpose/nosan.h"
#include "interpose/reach.h"
#include "interpose/thread.h"

static void look(void)
{
	struct acl_thread *t = &acl_thread;
	const struct bypass *list;
	int saved = errno;
	char mark;

	if (atomic_load(&acl_core.stage) == CORE_AWAKE && reach_wanted() && tool_begin(t, &mark)) {
		bypass_search(&list);
		tool_end(t);
	}
	errno = saved;
}

ACL_HOOK NO_SANITIZE int dlclose(void *handle)
{
	if (!core_is_asleep())
		look();
	return HOOK_REAL(dlclose)(handle);
}
