/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of the program that come in the middle of calls, and call; a process that may open no more files.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "common.h"

#define HANDLED 500

static volatile sig_atomic_t handled;
static aclrtContext context;
static aclrtStream stream;
static atomic_int gate;

static void begin(void)
{
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&context));
	stream = stream_new();
}

static void end(void)
{
	OK(aclrtDestroyStream(stream));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
}

static void call_in_handler(int number)
{
	aclrtEvent event = event_ex(ACL_EVENT_SYNC);

	(void)number;
	OK(aclrtRecordEvent(event, stream));
	OK(aclrtDestroyEvent(event));
	handled++;
}

static void set_timer(int us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	TRUE(!setitimer(ITIMER_REAL, &timer, NULL));
}

/* Without the thread's being held up in the lock it has itself; a hang ends the case by the alarm of the
 * suite. */
static void handlers_call(void)
{
	begin();
	signal(SIGALRM, call_in_handler);
	set_timer(200);
	while (handled < HANDLED && !tap_failed()) {
		void *block = device_new(8192);

		OK(aclrtMemsetAsync(block, 8192, 0, 8192, stream));
		OK(aclrtSynchronizeStream(stream));
		OK(aclrtFree(block));
	}
	set_timer(0);
	/* Some more may have come before the timer was off. */
	TRUE(handled >= HANDLED);
	end();
}

static void open_in_handler(int number)
{
	(void)number;
	handled++;
	gate_open(&gate);
}

/* The handler is what ends the wait. */
static void during_a_wait(void)
{
	sigset_t held;

	begin();
	signal(SIGALRM, open_in_handler);
	gate_hold(stream, &gate);
	set_timer(20000);
	OK(aclrtSynchronizeStream(stream));
	TRUE(handled);
	set_timer(0);
	/* The program's own mask is as it was. */
	TRUE(!pthread_sigmask(SIG_BLOCK, NULL, &held));
	IS(sigismember(&held, SIGALRM), 0);
	IS(sigismember(&held, SIGTERM), 0);
	end();
}

static void no_more_files(void)
{
	struct rlimit limit = {3, 3};
	void *block;

	TRUE(!setrlimit(RLIMIT_NOFILE, &limit));
	begin();
	IS(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION);
	end();
}

static const struct tap_case cases[] = {
	{"handlers call in the middle of calls", handlers_call},
	{"handlers run during a wait", during_a_wait},
	{"no more files", no_more_files},
};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
