/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are cancelled while they call.  A call of a runtime with empty bodies is no cancellation
 * point: a thread ends behind it, never inside, and leaves nothing behind that others wait for.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

#define ROUNDS 150

static atomic_bool cancelled, ready;
static atomic_int returned;

/* Each line of these is a place of its own, so that each first call there is a new finding. */
#define FOUR(call) call, call, call, call
#define MANY(call) FOUR(call), FOUR(call), FOUR(call), FOUR(call)

static void *pending(void *unused)
{
	(void)unused;
	atomic_store(&ready, true);
	while (!atomic_load(&cancelled))
		;
	aclInit(NULL);
	atomic_fetch_add(&returned, 1);
	aclInit(NULL);
	atomic_fetch_add(&returned, 1);
	aclrtSetDevice(0);
	atomic_fetch_add(&returned, 1);
	aclFinalize();
	atomic_fetch_add(&returned, 1);
	pthread_testcancel();
	return NULL;
}

/* Cancelled before it calls for the first time, so the first cancellation point ends it. */
static void deferred(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, pending, NULL);
	while (!atomic_load(&ready))
		;
	pthread_cancel(thread);
	atomic_store(&cancelled, true);
	pthread_join(thread, &result);
	printf("%d calls, %s\n", atomic_load(&returned), result == PTHREAD_CANCELED ? "cancelled" : "not");
}

static void *calling(void *unused)
{
	int state;

	(void)unused;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	atomic_store(&ready, true);
	for (;;) {
		(void)(MANY(aclInit(NULL)), 0);
		(void)(MANY(aclrtSetDevice(0)), 0);
		/* What the program set itself is left as it is. */
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
		aclInit(NULL);
		if (state != PTHREAD_CANCEL_ENABLE)
			printf("enabled no more\n");
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
		if (state != PTHREAD_CANCEL_DISABLE)
			printf("disabled no more\n");
		pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	}
	return NULL;
}

/* At any instruction. The runtime's bodies are empty: only the tool could be hit in the middle of something.
 */
static void asynchronous(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec nap = {.tv_nsec = i * 7919 % 400000};
		pthread_t thread;

		atomic_store(&ready, false);
		pthread_create(&thread, NULL, calling, NULL);
		while (!atomic_load(&ready))
			;
		nanosleep(&nap, NULL);
		pthread_cancel(thread);
		/* Not its result: glibc sets none where enabling cancellation ends a thread. */
		pthread_join(thread, NULL);
		aclInit(NULL);
	}
}

int main(int argc, char **argv)
{
	alarm(40);
	if (argc > 1 && !strcmp(argv[1], "deferred"))
		deferred();
	else
		asynchronous();
	aclInit(NULL);
	aclInit(NULL);
	aclFinalize();
	printf("ok\n");
	return 0;
}
