/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs about functions of a binary that was unloaded: each call that takes one. */
#include "tasks.h"

static aclrtBinHandle load(void)
{
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromFile, 0, b = make_address(), .binPath = pair_file(), .binHandle = &b);
	return b;
}

static aclrtFuncHandle fetch(aclrtBinHandle b, void *again)
{
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtBinaryGetFunction, 0, f = again ? again : make_address(), .binHandle = b,
		.kernelName = "add", .funcHandle = &f);
	return f;
}

static void unload(aclrtBinHandle b)
{
	CALL(aclrtBinaryUnLoad, .binHandle = b);
}

static void function_of_unloaded_binary(void)
{
	static _Alignas(16) char room[4096];
	aclrtBinHandle b = load();
	aclrtFuncHandle f = fetch(b, NULL);

	if (bug)
		unload(b);
	CALL_EACH(bug ? 107017 : 0, ROLE(FUNCTION, f), ROLE(BINARY, OUT), ROLE(AIC_ADDR, OUT),
		ROLE(AIV_ADDR, OUT), ROLE(ATTRIBUTE, ACL_FUNC_ATTR_KERNEL_TYPE), ROLE(VALUE, OUT),
		ROLE(LIMIT, 64), ROLE(NAME, OUT), ROLE(AIC_SIZE, OUT), ROLE(AIV_SIZE, OUT),
		ROLE(BYTES, acl_arg_has(pair_function, ACL_ROLE_MEMORY) ? (void *)sizeof(room) : OUT),
		ROLE(USER_BYTES, 64), ROLE(ARGUMENTS, OUT), ROLE(MEMORY, room), ROLE(NUMBER, OUT),
		ROLE(DYNAMIC_BUFFER_BYTES, OUT));
	if (!bug)
		unload(b);
}

/* Loaded again, the binary may have functions of the same handles. */
static void function_comes_again(void)
{
	aclrtBinHandle b = load();
	aclrtFuncHandle f = fetch(b, NULL);

	unload(b);
	b = load();
	if (!bug)
		f = fetch(b, f);
	CALL_FAILS(bug ? 107017 : 0, aclrtGetFunctionName, .funcHandle = f, .maxLen = 64, .name = OUT);
	unload(b);
}

/* Loaded where nothing is seen, a binary may have the handle of one that was unloaded. */
static void binary_comes_from_elsewhere(void)
{
	aclrtBinHandle b = load();
	aclrtFuncHandle f = NULL;

	unload(b);
	if (!bug)
		CALL_DOES(aclrtFunctionGetBinary, 0, (void)0, .funcHandle = HANDLE, .binHandle = &b);
	CALL_DOES(aclrtBinaryGetFunction, bug ? 107017 : 0, f = make_address(), .binHandle = b,
		.kernelName = "add", .funcHandle = &f);
}

/* And so may one of its functions. */
static void function_comes_from_elsewhere(void)
{
	aclrtBinHandle b = load();
	aclrtFuncHandle f = fetch(b, NULL);

	unload(b);
	if (!bug)
		f = fetch(HANDLE, f);
	CALL_FAILS(bug ? 107017 : 0, aclrtGetFunctionName, .funcHandle = f, .maxLen = 64, .name = OUT);
}

static void task_given_function_of_unloaded_binary(void)
{
	aclrtBinHandle b = load();
	aclrtFuncHandle f = fetch(b, NULL);
	aclmdlRI m = model_on(make_stream());
	aclmdlRITask task = task_of(m);
	aclmdlRITaskParams params = {0};

	CALL_DOES(aclmdlRITaskGetParams, 0, params.type = ACL_MODEL_RI_TASK_KERNEL, .task = task,
		.params = &params);
	params.kernelTaskParams.funcHandle = f;
	if (bug)
		unload(b);
	CALL_EACH(bug ? 107017 : 0, ROLE(TASK, task), ROLE(PARAMETERS, &params));
	CALL(aclmdlRIUpdate, .modelRI = m);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static const struct pair pairs[] = {
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_BINARY),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_ADDRESS),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_ATTRIBUTE),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_NAME),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_SIZE),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_BUFFER),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_PARAMETER),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_FUNCTION_PARAMETER_COUNT),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_ARGUMENTS_HANDLE_SIZE),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, INFO_ARGUMENTS_SIZE),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, CREATE_ARGUMENTS),
	PAIR_EACH("kernel-binary-double-unload", function_of_unloaded_binary, ARGUMENTS_INIT_IN_MEMORY),
	PAIR("kernel-binary-double-unload", function_comes_again),
	PAIR_EACH("kernel-binary-double-unload", task_given_function_of_unloaded_binary, TASK_SET_PARAMETERS),
	PAIR_WITH("kernel-binary-double-unload", binary_comes_from_elsewhere, .avoids = true),
	PAIR_WITH("kernel-binary-double-unload", function_comes_from_elsewhere, .avoids = true),
};

PAIRS_MAIN("rules about functions of unloaded binaries", pairs)
