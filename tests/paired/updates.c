/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of the rules about what an update of a task group brings. */
#include "paired.h"

#define REFUSED 507000

static aclrtBinHandle binary;

static aclrtFuncHandle function(const char *name)
{
	aclrtFuncHandle f = NULL;

	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = binary, .kernelName = name,
		.funcHandle = &f);
	return f;
}

static void load_binary(void)
{
	binary = NULL;
	CALL_DOES(aclrtBinaryLoadFromData, 0, binary = make_address(), .data = heap_memory, .length = 4096,
		.binHandle = &binary);
}

static void launch(int64_t code, aclrtFuncHandle f, aclrtStream s)
{
	CALL_FAILS(code, aclrtLaunchKernelWithHostArgs, .funcHandle = f, .numBlocks = 1, .stream = s,
		.hostArgs = heap_memory, .argsSize = 64);
}

/* A model with a group of so many kernels of a function. */
static aclrtTaskGrp group_of(unsigned n, aclrtFuncHandle f)
{
	aclrtStream s = make_stream();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	for (unsigned i = 0; i < n; i++)
		launch(0, f, s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	return g;
}

static aclrtStream begin(aclrtTaskGrp g)
{
	aclrtStream u = make_stream();

	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = u, .handle = g);
	return u;
}

static void end(int64_t code, aclrtStream u)
{
	CALL_FAILS(code, aclmdlRICaptureTaskUpdateEnd, .stream = u);
	CALL(aclrtSynchronizeStream, .stream = u);
}

static void update_of_nothing(void)
{
	aclrtFuncHandle f = (load_binary(), function("add"));
	aclrtStream u = begin(group_of(1, f));

	if (!bug)
		launch(0, f, u);
	end(bug ? REFUSED : 0, u);
}

static void update_too_short(void)
{
	aclrtFuncHandle f = (load_binary(), function("add"));
	aclrtStream u = begin(group_of(20, f));

	for (unsigned i = 0; i < (bug ? 19 : 20); i++)
		launch(0, f, u);
	end(bug ? REFUSED : 0, u);
}

/* Each function that launches a kernel, once too often. */
static void update_too_long(void)
{
	aclrtFuncHandle f = (load_binary(), function("add"));
	aclrtStream u = begin(group_of(1, f));

	if (bug)
		launch(0, f, u);
	CALL_EACH(bug ? REFUSED : 0, ROLE(FUNCTION, f), ROLE(BLOCKS, 1), ROLE(DEVICE_ARGUMENTS, DEVICE),
		ROLE(ARGUMENT_BYTES, 64), ROLE(HOST_ARGUMENTS, heap_memory), ROLE(ARGUMENTS, HANDLE),
		ROLE(ARGUMENT_ARRAY, heap_memory), ROLE(STREAM, u));
	end(0, u);
}

static void update_of_other_type(void)
{
	aclrtFuncHandle cube = (load_binary(), function("add_mix_aic")), vector = function("add_mix_aiv");
	aclrtStream u = begin(group_of(2, vector));

	launch(0, vector, u);
	CALL_EACH(bug ? REFUSED : 0, ROLE(FUNCTION, bug ? cube : vector), ROLE(BLOCKS, 1),
		ROLE(DEVICE_ARGUMENTS, DEVICE), ROLE(ARGUMENT_BYTES, 64), ROLE(HOST_ARGUMENTS, heap_memory),
		ROLE(ARGUMENTS, HANDLE), ROLE(ARGUMENT_ARRAY, heap_memory), ROLE(STREAM, u));
	if (bug)
		launch(0, vector, u);
	end(0, u);
}

/* Another function of the same type is fine. */
static void update_of_other_function(void)
{
	aclrtFuncHandle add = (load_binary(), function("add")), sub = function("sub"),
			cube = function("sub_mix_aic");
	aclrtStream u = begin(group_of(1, add));

	launch(bug ? REFUSED : 0, bug ? cube : sub, u);
	if (bug)
		launch(0, sub, u);
	end(0, u);
}

static aclrtFuncHandle function_for_cpu(void)
{
	static aclrtBinaryLoadOption for_cpu = {
		.type = ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE, .value.cpuKernelMode = 2};
	static aclrtBinaryLoadOptions options = {.options = &for_cpu, .numOpt = 1};
	aclrtFuncHandle f = NULL;
	aclrtBinHandle b = NULL;

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.options = &options, .binHandle = &b);
	CALL_DOES(aclrtRegisterCpuFunc, 0, f = make_address(), .handle = b, .funcName = "run",
		.kernelName = "add", .funcHandle = &f);
	return f;
}

/* A kernel for the CPU of the device in a group of those for its cores. */
static void cpu_kernel_in_group(void)
{
	aclrtFuncHandle add = (load_binary(), function("add")), f = function_for_cpu();
	aclrtStream s = make_stream();
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;

	capture_begin(s);
	launch(0, f, s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	if (bug) {
		launch(507009, f, s);
		CALL_FAILS(507009, aclmdlRICaptureTaskGrpEnd, .stream = s, .handle = OUT);
		CALL_FAILS(507903, aclmdlRICaptureEnd, .stream = s, .modelRI = &m);
		return;
	}
	launch(0, add, s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	m = capture_end(s);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

/* In the place of one for its cores. */
static void update_with_cpu_kernel(void)
{
	aclrtFuncHandle add = (load_binary(), function("add")), f = function_for_cpu();
	aclrtStream u = begin(group_of(1, add));

	launch(bug ? 507009 : 0, bug ? f : add, u);
	if (bug)
		launch(0, add, u);
	end(0, u);
}

/* An update replaces what the group launched, and nothing else. */
static void unloaded_behind_update(void)
{
	aclrtStream s = make_stream(), u;
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;
	aclrtFuncHandle f;

	load_binary();
	f = function("add");
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	launch(0, f, s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	launch(0, f, s);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	u = begin(g);
	launch(0, f, u);
	end(0, u);
	if (bug)
		CALL(aclrtBinaryUnLoad, .binHandle = binary);
	CALL(aclmdlRIDestroy, .modelRI = m);
	if (!bug)
		CALL(aclrtBinaryUnLoad, .binHandle = binary);
}

/* The update brings a kernel of another binary: from then on that one is used, and the former is not. */
static void unloaded_after_update(void)
{
	aclrtStream s = make_stream(), u;
	aclrtBinHandle former;
	aclrtFuncHandle f;
	aclrtTaskGrp g = NULL;
	aclmdlRI m = NULL;

	load_binary();
	former = binary;
	f = function("add");
	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	launch(0, f, s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
	load_binary();
	u = begin(g);
	launch(0, function("add"), u);
	end(0, u);
	CALL(aclrtBinaryUnLoad, .binHandle = bug ? binary : former);
	CALL(aclmdlRIDestroy, .modelRI = m);
	CALL(aclrtBinaryUnLoad, .binHandle = bug ? former : binary);
}

/* Two streams have groups at once: each group has its own kernels. */
static void update_of_one_of_two_groups(void)
{
	aclrtStream s = make_stream(), other = make_stream(), u;
	aclrtFuncHandle f = (load_binary(), function("add"));
	aclrtTaskGrp g = NULL, of_other = NULL;
	aclmdlRI m = NULL;

	capture_begin(s);
	capture_join(s, other);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	launch(0, f, s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = other);
	launch(0, f, other);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, of_other = make_address(), .stream = other,
		.handle = &of_other);
	launch(0, f, s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, g = make_address(), .stream = s, .handle = &g);
	capture_join(other, s);
	m = capture_end(s);
	u = begin(g);
	launch(0, f, u);
	if (!bug)
		launch(0, f, u);
	end(bug ? REFUSED : 0, u);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static const struct pair pairs[] = {
	PAIR_AVOIDS("capture-binary-unloaded-before-destroy", unloaded_after_update),
	PAIR("taskupd-count-mismatch", update_of_one_of_two_groups),
	PAIR_AVOIDS("capture-binary-unloaded-before-destroy", unloaded_behind_update),
	PAIR("taskupd-count-mismatch", update_of_nothing),
	PAIR("taskupd-count-mismatch", update_too_short),
	PAIR_EACH("taskupd-count-mismatch", update_too_long, LAUNCH_KERNEL, .role = ACL_ROLE_BLOCKS),
	PAIR_EACH(
		"taskupd-kernel-type-mismatch", update_of_other_type, LAUNCH_KERNEL, .role = ACL_ROLE_BLOCKS),
	PAIR("taskupd-kernel-type-mismatch", update_of_other_function),
	PAIR("taskgrp-unsupported-task", cpu_kernel_in_group),
	PAIR("taskupd-wrong-task-type", update_with_cpu_kernel),
};

PAIRS_MAIN("update rules", pairs)
