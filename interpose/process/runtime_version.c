/* SPDX-License-Identifier: Apache-2.0 */
/* The release of the loaded runtime, for target_cann=auto: asked once, after aclInit succeeded. */
#include <stdatomic.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "aclcheck/model.h"
#include "interpose/process/runtime_version.h"
#include "interpose/process/process_state.h"
#include "interpose/report/journal.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/function_table.h"
#include "interpose/config/run_settings.h"
#include "interpose/stack/tool_stack.h"

static void ask_runtime(void *unused)
{
	aclError (*get)(aclCANNPackageName, aclCANNPackageVersion *);
	aclCANNPackageVersion version = {0};
	int release;

	(void)unused;
	get = (__typeof__(get))acl_real[ACL_API_aclsysGetCANNVersion];
	if (!get || get(ACL_PKG_NAME_CANN, &version) != ACL_SUCCESS)
		return;
	version.version[sizeof(version.version) - 1] = 0;
	trace_describe("runtime", version.version);
	journal_runtime_version(version.version);
	release = acl_cann_of(version.version);
	if (release >= 0)
		checks_set_runtime(acl_process.checks, (enum acl_cann)release);
}

void version_ask(void)
{
	static atomic_bool asked;
	struct checks_config config;

	settings_checks(&config);
	if (config.target == CHECKS_TARGET_AUTO && acl_process.checks && !atomic_exchange(&asked, true))
		tool_stack_run(ask_runtime, NULL);
}
