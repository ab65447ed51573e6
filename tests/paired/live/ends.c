/* SPDX-License-Identifier: Apache-2.0 */
/* Live pairs of the rules that ask the process: its end, its files, its environment. */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void finalize_late(void)
{
	aclFinalize();
}

PAIR_WITH("finalize-in-destructor", finalize_at_exit, .bare = true)
{
	if (bug)
		atexit(finalize_late);
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtResetDevice(0);
	if (!bug)
		aclFinalize();
}

static void configure(char path[32], const char *text)
{
	FILE *file;
	int fd;

	strcpy(path, "/tmp/live-XXXXXX");
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		abort();
	fputs(text, file);
	fclose(file);
}

static const char *const first_config = "{\"dump\": {}}\n";
static const char *const other_config = "{\"dump\": {\"dump_scene\": \"lite_exception\"}}\n";

PAIR_WITH("init-config-mismatch", configured_anew, .bare = true)
{
	char first[32], second[32];

	configure(first, first_config);
	configure(second, bug ? other_config : first_config);
	aclInit(first);
	aclFinalize();
	if (aclInit(second) == ACL_SUCCESS)
		aclFinalize();
	unlink(first);
	unlink(second);
}

PAIR_WITH("init-config-mismatch", configured_in_vain, .bare = true, .also = "init-repeat",
	.settings = "ACLCHECK_RULES=-init-repeat")
{
	char first[32], second[32];

	configure(first, first_config);
	configure(second, bug ? other_config : first_config);
	aclInit(first);
	aclInit(second);
	aclFinalize();
	unlink(first);
	unlink(second);
}

PAIR_WITH("default-device-explicit-context", context_beside_default, .bare = true)
{
	aclrtContext own;
	char path[32];

	configure(path, "{\"defaultDevice\": {\"default_device\": \"0\"}}\n");
	aclInit(path);
	if (!bug)
		aclrtSetDevice(0);
	aclrtCreateContext(&own, 0);
	aclrtDestroyContext(own);
	if (!bug)
		aclrtResetDevice(0);
	aclFinalize();
	unlink(path);
}

static void configured_stack(const char *text)
{
	char path[32];

	configure(path, text);
	aclInit(path);
	aclFinalize();
	unlink(path);
}

PAIR_WITH("config-range-clamped", odd_stack, .bare = true)
{
	configured_stack(bug ? "{\"StackSize\": {\"aicore_stack_size\": 33000}}\n"
			     : "{\"StackSize\": {\"aicore_stack_size\": 49152}}\n");
}

PAIR_WITH("device-limit-visible-devices", stack_of_hidden_device, .bare = true,
	.settings = "ASCEND_RT_VISIBLE_DEVICES=1")
{
	configured_stack(bug ? "{\"StackSize\": {\"aicore_stack_size\": 49152}}\n" : "{}\n");
}

PAIR_WITH("device-id-conversion-semantics", logic_as_user, .settings = "ASCEND_RT_VISIBLE_DEVICES=1")
{
	int32_t logic = -1, physical = -1;

	aclrtGetLogicDevIdByUserDevId(0, &logic);
	if (bug)
		aclrtGetPhyDevIdByLogicDevId(logic, &physical);
	else
		aclrtGetUserDevIdByLogicDevId(logic, &physical);
}
