/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose calls are known: what a recording of it must hold.
 *
 *	app mix			a little of everything; the numbers are in the tests
 *	app loop N		N x (record, query) on one stream
 *	app waits N		N x (record on one stream, wait on another)
 *	app threads T N		T threads, N queries each
 *	app fork N		parent and child, N queries each
 *	app killed N		N queries, then SIGKILL
 *	app nested		a call inside a callback of the runtime
 *	app reported		a call inside a callback that the program's own thread runs
 *	app exit N		ends with exit code N
 *	app launch N		starts itself as the ranks 0 to N - 1, with two calls more each; has none
 *	app input		a call, another when standard input has ended
 *	app chosen N		1 query, N between ACLCHECK_TRACE_START and _STOP, 1 query
 *	app ordered		a wait for a record, one for no record, and a capture that is executed
 *	app inside		a stream destroyed amid another thread's call, recorded later
 *	app overtaken		a wait, checked before a record of another thread and recorded later
 *	app leak		a block that is not freed
 *	app meant N		an expected mistake, N scopes in which none comes, one open at the end
 *	app inherited		a scope that is open when the program forks
 *	app early		1 MiB from before ACLCHECK_TRACE_START, freed behind it, and 4 KiB
 *	app named N		names a block N times, then SIGKILL
 *	app steps		a query for each line of standard input
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclcheck.h"

#define CHECK(call)                                                                                          \
	do {                                                                                                 \
		aclError e_ = (call);                                                                        \
		if (e_ != ACL_SUCCESS) {                                                                     \
			printf(#call ": %d\n", e_);                                                          \
			exit(3);                                                                             \
		}                                                                                            \
	} while (0)

static void begin(void)
{
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
}

static void end(void)
{
	CHECK(aclrtResetDevice(0));
	CHECK(aclFinalize());
}

static void mix(void)
{
	aclrtStream up, down;
	void *small, *large, *host;
	char plain[1000] = "";

	begin();
	CHECK(aclrtCreateStream(&up));
	CHECK(aclrtCreateStream(&down));
	CHECK(aclrtMalloc(&small, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&large, 2 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMallocHost(&host, 65536));
	for (int i = 0; i < 3; i++)
		CHECK(aclrtMemcpyAsync(small, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, up));
	CHECK(aclrtSynchronizeStream(up));
	for (int i = 0; i < 2; i++)
		CHECK(aclrtMemcpyAsync(host, 8192, large, 8192, ACL_MEMCPY_DEVICE_TO_HOST, down));
	CHECK(aclrtSynchronizeStream(down));
	CHECK(aclrtMemcpy(small, 1 << 20, plain, sizeof(plain), ACL_MEMCPY_HOST_TO_DEVICE));
	if (aclrtSetDevice(99) == ACL_SUCCESS)
		exit(4);
	CHECK(aclrtFree(small));
	CHECK(aclrtFree(large));
	CHECK(aclrtMalloc(&small, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtFree(small));
	CHECK(aclrtFreeHost(host));
	CHECK(aclrtDestroyStream(up));
	CHECK(aclrtDestroyStream(down));
	end();
}

static void loop(unsigned long n)
{
	aclrtEvent event;
	aclrtStream stream;
	aclrtEventRecordedStatus status;

	begin();
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtCreateEvent(&event));
	for (unsigned long i = 0; i < n; i++) {
		CHECK(aclrtRecordEvent(event, stream));
		CHECK(aclrtQueryEventStatus(event, &status));
	}
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtDestroyEvent(event));
	CHECK(aclrtDestroyStream(stream));
	end();
}

static void waits(unsigned long n)
{
	aclrtStream stream, other;
	aclrtEvent event;

	begin();
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtCreateStream(&other));
	CHECK(aclrtCreateEvent(&event));
	for (unsigned long i = 0; i < n; i++) {
		CHECK(aclrtRecordEvent(event, stream));
		CHECK(aclrtStreamWaitEvent(other, event));
	}
	CHECK(aclrtSynchronizeStream(other));
	CHECK(aclrtDestroyEvent(event));
	CHECK(aclrtDestroyStream(other));
	CHECK(aclrtDestroyStream(stream));
	end();
}

static void queries(unsigned long n)
{
	int32_t device;

	/* In a forked child it fails, and is recorded all the same. */
	for (unsigned long i = 0; i < n; i++)
		aclrtGetDevice(&device);
}

static void *querier(void *n)
{
	CHECK(aclrtSetDevice(0));
	queries((unsigned long)n);
	return NULL;
}

static void threads(unsigned count, unsigned long n)
{
	pthread_t ids[64];

	begin();
	for (unsigned i = 0; i < count && i < 64; i++)
		pthread_create(&ids[i], NULL, querier, (void *)n);
	for (unsigned i = 0; i < count && i < 64; i++)
		pthread_join(ids[i], NULL);
	end();
}

static int forked(unsigned long n)
{
	int status = 0;
	pid_t child;

	begin();
	child = fork();
	if (!child) {
		queries(n);
		_exit(0);
	}
	waitpid(child, &status, 0);
	queries(n);
	end();
	printf("parent %d child %d\n", (int)getpid(), (int)child);
	return status;
}

static int launched(const char *self, int n)
{
	char rank[16], calls[16];

	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		snprintf(rank, sizeof(rank), "%d", i);
		snprintf(calls, sizeof(calls), "%d", i + 1);
		setenv("RANK", rank, 1);
		execl(self, self, "loop", calls, NULL);
		_exit(5);
	}
	while (n-- > 0)
		wait(NULL);
	return 0;
}

static void called_back(void *data)
{
	uint32_t *count = data;

	/* Host functions may not use streams; this asks nothing of them. */
	aclrtGetDeviceCount(count);
}

static void nested(void)
{
	aclrtStream stream;
	uint32_t count = 0;

	begin();
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtLaunchHostFunc(stream, called_back, &count));
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtDestroyStream(stream));
	end();
}

static void reported(void)
{
	aclrtStream stream;
	uint32_t count = 0;

	begin();
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
	CHECK(aclrtLaunchCallback(called_back, &count, ACL_CALLBACK_BLOCK, stream));
	CHECK(aclrtProcessReport(5000));
	CHECK(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtDestroyStream(stream));
	end();
}

static void ordered(void)
{
	aclrtStream one, two;
	aclrtEvent used, unused;
	aclmdlRI model;
	void *a, *b;

	begin();
	CHECK(aclrtCreateStream(&one));
	CHECK(aclrtCreateStream(&two));
	CHECK(aclrtCreateEventExWithFlag(&used, ACL_EVENT_SYNC));
	CHECK(aclrtCreateEventExWithFlag(&unused, ACL_EVENT_SYNC));
	CHECK(aclrtMalloc(&a, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&b, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpyAsync(a, 4096, b, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, one));
	CHECK(aclrtRecordEvent(used, one));
	CHECK(aclrtStreamWaitEvent(two, used));
	CHECK(aclrtMemcpyAsync(b, 4096, a, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, two));
	CHECK(aclrtStreamWaitEvent(two, unused));
	CHECK(aclrtSynchronizeDevice());
	CHECK(aclmdlRICaptureBegin(one, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	CHECK(aclrtMemcpyAsync(a, 4096, b, 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, one));
	CHECK(aclmdlRICaptureEnd(one, &model));
	CHECK(aclmdlRIExecuteAsync(model, one));
	CHECK(aclrtSynchronizeStream(one));
	CHECK(aclmdlRIDestroy(model));
	CHECK(aclrtFree(a));
	CHECK(aclrtFree(b));
	CHECK(aclrtDestroyEvent(used));
	CHECK(aclrtDestroyEvent(unused));
	CHECK(aclrtDestroyStream(one));
	CHECK(aclrtDestroyStream(two));
	end();
}

static aclrtStream waiting, recording;
static aclrtEvent awaited;
static _Atomic int step;

/* The first call of a function takes a millisecond between its check and its event. */
static void *first_wait(void *unused)
{
	(void)unused;
	CHECK(aclrtSetDevice(0));
	atomic_store(&step, 1);
	while (atomic_load(&step) < 2)
		;
	atomic_store(&step, 3);
	CHECK(aclrtStreamWaitEvent(waiting, awaited));
	return NULL;
}

static void overtaken(void)
{
	const struct timespec check = {.tv_nsec = 200000};
	aclrtEvent other;
	pthread_t id;

	begin();
	CHECK(aclrtCreateStream(&waiting));
	CHECK(aclrtCreateStream(&recording));
	CHECK(aclrtCreateEventExWithFlag(&awaited, ACL_EVENT_SYNC));
	CHECK(aclrtCreateEventExWithFlag(&other, ACL_EVENT_SYNC));
	CHECK(aclrtRecordEvent(other, recording));
	pthread_create(&id, NULL, first_wait, NULL);
	while (atomic_load(&step) < 1)
		;
	atomic_store(&step, 2);
	while (atomic_load(&step) < 3)
		;
	nanosleep(&check, NULL);
	CHECK(aclrtRecordEvent(awaited, recording));
	pthread_join(id, NULL);
	CHECK(aclrtSynchronizeStream(recording));
	CHECK(aclrtSynchronizeStream(waiting));
	CHECK(aclrtDestroyEvent(awaited));
	CHECK(aclrtDestroyEvent(other));
	CHECK(aclrtDestroyStream(waiting));
	CHECK(aclrtDestroyStream(recording));
	end();
}

/* "held" is made where the event of the last call of this thread is recorded, which ends with "go". */
static void *processes_reports(void *unused)
{
	(void)unused;
	CHECK(aclrtSetDevice(0));
	while (atomic_load(&step) < 1)
		sched_yield();
	prctl(PR_SET_NAME, "held");
	aclrtProcessReport(1);
	return NULL;
}

static void destroyed_inside(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	aclrtStream s, before;
	pthread_t id;

	begin();
	CHECK(aclrtCreateStream(&s));
	CHECK(aclrtCreateStream(&before));
	pthread_create(&id, NULL, processes_reports, NULL);
	CHECK(aclrtSubscribeReport((uint64_t)id, s));
	/* The first call of a function waits for all events in progress. */
	CHECK(aclrtDestroyStream(before));
	atomic_store(&step, 1);
	for (unsigned i = 0; access("held", F_OK); i++) {
		if (i == 20000)
			exit(4); /* after 20 seconds: no event is held */
		nanosleep(&pause, NULL);
	}
	CHECK(aclrtDestroyStream(s));
	close(open("go", O_CREAT | O_WRONLY, 0600));
	pthread_join(id, NULL);
	end();
}

static void early(void)
{
	void *block, *other;

	begin();
	CHECK(aclrtMalloc(&block, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
	ACLCHECK_TRACE_START();
	CHECK(aclrtMalloc(&other, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtFree(block));
	CHECK(aclrtFree(other));
	end();
}

static void *in_vain(void *unused)
{
	ACLCHECK_EXPECT_SCOPE("stream-*", "another thread makes that mistake");
	(void)unused;
	CHECK(aclrtSetDevice(0));
	return NULL;
}

static void meant(unsigned long n)
{
	aclrtStream stream;
	pthread_t id;
	void *block;

	begin();
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	ACLCHECK_NAME(block, "kept");
	CHECK(aclrtDestroyStream(stream));
	ACLCHECK_EXPECT_BEGIN("stream-*", "it is refused");
	ACLCHECK_IGNORE_BEGIN("api-error", "said by the other rule");
	for (unsigned long i = 0; i < n; i++) {
		pthread_create(&id, NULL, in_vain, NULL);
		pthread_join(id, NULL);
	}
	if (aclrtDestroyStream(stream) == ACL_SUCCESS)
		exit(4);
	ACLCHECK_IGNORE_END();
	ACLCHECK_EXPECT_END();
	CHECK(aclrtResetDevice(0));
	ACLCHECK_IGNORE_BEGIN("finalize-*", "the system does it");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (!strcmp(what, "mix")) {
		mix();
	} else if (!strcmp(what, "loop")) {
		loop(n);
	} else if (!strcmp(what, "threads")) {
		threads((unsigned)n, argc > 3 ? strtoul(argv[3], NULL, 0) : 1);
	} else if (!strcmp(what, "fork")) {
		return forked(n);
	} else if (!strcmp(what, "launch")) {
		return launched(argv[0], (int)n);
	} else if (!strcmp(what, "killed")) {
		begin();
		queries(n);
		kill(getpid(), SIGKILL);
	} else if (!strcmp(what, "nested")) {
		nested();
	} else if (!strcmp(what, "reported")) {
		reported();
	} else if (!strcmp(what, "exit")) {
		begin();
		end();
		return (int)n;
	} else if (!strcmp(what, "chosen")) {
		begin();
		queries(1);
		ACLCHECK_TRACE_START();
		queries(n);
		ACLCHECK_TRACE_STOP();
		queries(1);
		end();
	} else if (!strcmp(what, "waits")) {
		waits(n);
	} else if (!strcmp(what, "ordered")) {
		ordered();
	} else if (!strcmp(what, "inside")) {
		destroyed_inside();
	} else if (!strcmp(what, "overtaken")) {
		overtaken();
	} else if (!strcmp(what, "leak")) {
		void *block;

		begin();
		CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
		end();
	} else if (!strcmp(what, "named")) {
		void *block;

		begin();
		CHECK(aclrtMalloc(&block, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
		while (n--)
			ACLCHECK_NAME(block, "the same");
		kill(getpid(), SIGKILL);
	} else if (!strcmp(what, "early")) {
		early();
	} else if (!strcmp(what, "meant")) {
		meant(n);
	} else if (!strcmp(what, "inherited")) {
		ACLCHECK_IGNORE_SCOPE("api-error", "a child has no device");
		return forked(1);
	} else if (!strcmp(what, "steps")) {
		begin();
		for (int c = getchar(); c != EOF; c = getchar())
			if (c == '\n') {
				queries(1);
				puts("done");
				fflush(stdout);
			}
		end();
	} else if (!strcmp(what, "input")) {
		begin();
		while (getchar() != EOF)
			;
		end();
	} else {
		return 2;
	}
	return 0;
}
