/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of a program that used the runtime begins as a process that has made no call.
 * Not under AddressSanitizer: its allocator is not made anew in a child, and a worker of the parent may hold
 * its lock at the fork (seen with gcc 12).
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "acl/acl_rt_allocator.h"
#include "softnpu.h"
#include "two_streams.h"

static void begins_anew(void)
{
	setup();
	OK(aclrtMemcpyAsync(d, N_BYTES, a, N_BYTES, TO_DEVICE, s));
	if (!fork()) {
		void *p;

		alarm(20);
		if (aclrtMalloc(&p, 64, 0) != 107002)
			_exit(1);
		setup();
		OK(aclrtMemcpyAsync(d, N_BYTES, a, N_BYTES, TO_DEVICE, s));
		OK(aclrtMemcpyAsync(b, N_BYTES, d, N_BYTES, TO_HOST, s));
		OK(aclrtSynchronizeStream(s));
		IS(memcmp(a, b, N_BYTES), 0);
		exit(tap_failed());
	}
	OK(aclrtSynchronizeStream(s));
	OK(child_status());
}

static aclError no_config(const char *config, size_t length, void *data)
{
	return *config || length || data ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS;
}

static void count_states(int32_t device, aclrtDeviceState state, void *args)
{
	*(int *)args += device + (int)state + 1;
}

/* The child has not made the calls of its parent either. */
static void begins_uninitialized(void)
{
	int n = 0;

	OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, no_config, NULL));
	OK(aclInit(NULL));
	OK(aclrtRegDeviceStateCallback("count", count_states, &n));
	OK(aclrtSnapShotProcessLock(getpid(), NULL));
	if (!fork()) {
		alarm(20);
		OK(aclInit(NULL));
		IS(aclInit(NULL), 100002);
		OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, no_config, NULL));
		IS(aclrtSnapShotProcessUnlock(getpid(), NULL), 507907);
		OK(aclrtRegDeviceStateCallback("count", count_states, &n));
		OK(aclrtSetDevice(0));
		OK(aclrtResetDevice(0));
		IS(n, 1 + 2 + 3 + 4);
		OK(aclFinalize());
		IS(aclFinalize(), 100037);
		exit(tap_failed());
	}
	OK(child_status());
	OK(aclrtSnapShotProcessUnlock(getpid(), NULL));
	OK(aclFinalize());
}

static void mask_is(int how)
{
	sigset_t held;

	TRUE(!pthread_sigmask(SIG_BLOCK, NULL, &held));
	IS(sigismember(&held, SIGTERM), 0);
	IS(sigismember(&held, SIGUSR1), how);
}

/* It takes the signals that its parent takes. */
static void signals_arrive(void)
{
	sigset_t one;
	int status = 0;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	TRUE(!pthread_sigmask(SIG_BLOCK, &one, NULL));
	setup();
	if (!fork()) {
		alarm(20);
		mask_is(1);
		OK(aclrtSetDevice(0));
		mask_is(1);
		if (!tap_failed())
			raise(SIGTERM);
		exit(1);
	}
	mask_is(1);
	wait(&status);
	TRUE(WIFSIGNALED(status));
	IS(WTERMSIG(status), SIGTERM);
}

static int answers[3];

static void before_fork(void)
{
	answers[0] = aclrtSetDevice(0);
}

static void in_parent(void)
{
	answers[1] = aclrtSetDevice(0);
}

static void in_child(void)
{
	void *p;

	answers[2] = aclrtMalloc(&p, 64, 0);
}

/* Also when they were set up before the first call. */
static void handlers_of_fork_call(void)
{
	answers[1] = answers[2] = -1;
	pthread_atfork(before_fork, in_parent, in_child);
	setup();
	alarm(20);
	if (!fork()) {
		alarm(20);
		IS(answers[2], 107002);
		exit(tap_failed());
	}
	OK(answers[0]);
	OK(answers[1]);
	IS(answers[2], -1);
	OK(child_status());
}

static char symbol, variable;

static void set_all(void)
{
	aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();

	OK(aclrtSetOpExecuteTimeOut(9));
	OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	OK(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, 4096));
	OK(aclrtAllocatorSetObjToDesc(desc, &symbol));
	OK(aclrtAllocatorSetAllocFuncToDesc(desc, (aclrtAllocatorAllocFunc)set_all));
	OK(aclrtAllocatorSetFreeFuncToDesc(desc, (aclrtAllocatorFreeFunc)set_all));
	OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, (aclrtAllocatorGetAddrFromBlockFunc)set_all));
	OK(aclrtAllocatorRegister(s, desc));
}

static void nothing_is_set(void)
{
	aclrtAllocatorDesc desc;
	aclrtFloatOverflowMode mode;
	uint32_t ms;
	int64_t value;
	size_t limit;

	OK(aclrtGetOpExecuteTimeout(&ms));
	TRUE(ms > 1000000);
	OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	IS(value, 0);
	OK(aclrtGetDeviceSatMode(&mode));
	IS(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
	OK(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, &limit));
	IS(limit, 1 << 20);
	IS(aclrtAllocatorGetByStream(s, &desc, NULL, NULL, NULL, NULL, NULL), 100000);
}

static void settings_are_the_first(void)
{
	setup();
	set_all();
	if (!fork()) {
		alarm(20);
		nothing_is_set();
		exit(tap_failed());
	}
	OK(child_status());
}

/* What the program registered stays, the function and the memory behind it are the child's own. */
static void symbols_are_made_anew(void)
{
	aclrtFuncHandle func;
	void *there, *block;
	char name[16];

	OK(softnpu_register_function(&symbol, "kernel"));
	OK(softnpu_register_variable(&variable, "v", 4096));
	setup();
	OK(aclrtGetFuncBySymbol(&symbol, &func));
	OK(aclrtGetSymbolAddress(&variable, &there));
	if (!fork()) {
		alarm(20);
		OK(aclrtSetDevice(0));
		OK(aclrtGetFuncBySymbol(&symbol, &func));
		OK(aclrtGetFunctionName(func, sizeof(name), name));
		OK(aclrtMalloc(&block, 64 << 20, 0));
		OK(aclrtGetSymbolAddress(&variable, &there));
		TRUE((char *)there < (char *)block || (char *)there >= (char *)block + (64 << 20));
		exit(tap_failed());
	}
	OK(child_status());
}

static atomic_uint failed_thread;

static void note_thread(aclrtExceptionInfo *info)
{
	atomic_store(&failed_thread, aclrtGetThreadIdFromExceptionInfo(info));
}

/* The thread that forks has another number in the child. */
static void threads_have_their_own_id(void)
{
	putenv("SOFTNPU_FAULT_TASK=1");
	setup();
	OK(aclrtMemsetAsync(d, N_BYTES, 0, N_BYTES, s));
	IS(aclrtSynchronizeStream(s), 507015);
	if (!fork()) {
		alarm(20);
		setup();
		OK(aclrtExceptionInfoCallbackRegister(note_thread));
		OK(aclrtMemsetAsync(d, N_BYTES, 0, N_BYTES, s));
		IS(aclrtSynchronizeStream(s), 507015);
		IS(atomic_load(&failed_thread), syscall(SYS_gettid));
		exit(tap_failed());
	}
	OK(child_status());
}

/* The second call fails, in each process. */
static void faults_are_counted_anew(void)
{
	aclrtEvent event;

	putenv("SOFTNPU_INJECT=aclrtCreateEvent:when=2:error=207007");
	OK(aclrtSetDevice(0));
	OK(aclrtCreateEvent(&event));
	IS(aclrtCreateEvent(&event), 207007);
	if (!fork()) {
		alarm(20);
		OK(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
		TRUE(!aclGetRecentErrMsg());
		OK(aclrtSetDevice(0));
		OK(aclrtCreateEvent(&event));
		IS(aclrtCreateEvent(&event), 207007);
		exit(tap_failed());
	}
	OK(child_status());
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 207007);
}

static const struct tap_case cases[] = {
	C(begins_anew),
	C(begins_uninitialized),
	C(signals_arrive),
	C(handlers_of_fork_call),
	C(settings_are_the_first),
	C(symbols_are_made_anew),
	C(threads_have_their_own_id),
	C(faults_are_counted_anew),
};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
