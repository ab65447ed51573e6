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

/* "9.1.0" or "8.5.RC1" as 100 * major + minor, 0 when it is neither. */
static unsigned release_of(const char *s)
{
	unsigned part[2] = {0};

	for (unsigned i = 0; i < 2; i++) {
		while (*s >= '0' && *s <= '9')
			part[i] = part[i] * 10 + (unsigned)(*s++ - '0');
		if (*s == '.')
			s++;
	}
	return part[0] * 100 + part[1];
}

/* The newest release of the model that is not newer than the runtime. */
static int cann_of(unsigned release)
{
	int found = -1;

	for (int i = 0; i < ACL_CANN_MAIN; i++) {
		if (release_of(acl_cann_names[i]) <= release)
			found = i;
	}
	return found;
}

static void ask_runtime(void *unused)
{
	aclError (*get)(aclCANNPackageName, aclCANNPackageVersion *);
	aclCANNPackageVersion version = {0};
	unsigned release;

	(void)unused;
	get = (__typeof__(get))acl_real[ACL_API_aclsysGetCANNVersion];
	if (!get || get(ACL_PKG_NAME_CANN, &version) != ACL_SUCCESS)
		return;
	version.version[sizeof(version.version) - 1] = 0;
	trace_describe("runtime", version.version);
	journal_runtime_version(version.version);
	release = release_of(version.version);
	if (release && cann_of(release) >= 0)
		checks_set_runtime(acl_process.checks, (enum acl_cann)cann_of(release));
}

void version_ask(void)
{
	static atomic_bool asked;
	struct checks_config config;

	settings_checks(&config);
	if (config.target == CHECKS_TARGET_AUTO && acl_process.checks && !atomic_exchange(&asked, true))
		tool_stack_run(ask_runtime, NULL);
}
