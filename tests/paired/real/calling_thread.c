/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where calls come from: the scenario's own thread, another one, or a callback of
 * the runtime.  Another thread and a callback wait for one call at a time and
 * make it while the scenario waits.
 */
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "real.h"

#define THREADS 4

struct desk {
	sem_t ordered, done;
	bool there;
	pthread_t thread;
	uint64_t number; /* as the system has it */
	unsigned api;
	const void *args; /* NULL = go home */
	int64_t result;
};

static struct desk desks[THREADS], in_callback;
static aclrtContext context; /* of the scenario, for its callbacks */
static struct desk *now; /* NULL = the scenario's own thread */

static void serve(struct desk *d)
{
	for (;;) {
		sem_wait(&d->ordered);
		if (!d->args)
			break;
		d->result = test_invoke(d->api, d->args);
		sem_post(&d->done);
	}
	sem_post(&d->done);
}

static void *thread_main(void *arg)
{
	struct desk *d = arg;

	d->number = (uint64_t)syscall(SYS_gettid);
	aclrtSetDevice(0);
	sem_post(&d->done);
	serve(d);
	return NULL;
}

/* The runtime's thread has no context of its own. */
static void callback_main(void *arg)
{
	aclrtSetCurrentContext(context);
	serve(arg);
}

static void open_desk(struct desk *d)
{
	sem_init(&d->ordered, 0, 0);
	sem_init(&d->done, 0, 0);
	d->there = true;
}

static struct desk *thread(unsigned number)
{
	struct desk *d = &desks[number % THREADS];

	if (!d->there) {
		open_desk(d);
		pthread_create(&d->thread, NULL, thread_main, d);
		sem_wait(&d->done);
	}
	return d;
}

void pair_thread(unsigned number)
{
	now = number ? thread(number) : NULL;
}

uint64_t pair_thread_id(unsigned number)
{
	return number ? thread(number)->thread : pthread_self();
}

uint64_t pair_thread_number(unsigned number)
{
	return number ? thread(number)->number : (uint64_t)syscall(SYS_gettid);
}

/* A host function that stays until the scenario leaves it. */
void pair_callback(unsigned depth)
{
	static aclrtStream stream;

	if (depth && !in_callback.there) {
		open_desk(&in_callback);
		if (!stream)
			aclrtCreateStream(&stream);
		aclrtGetCurrentContext(&context);
		aclrtLaunchHostFunc(stream, callback_main, &in_callback);
	}
	if (!depth && in_callback.there) {
		in_callback.args = NULL;
		sem_post(&in_callback.ordered);
		sem_wait(&in_callback.done);
		in_callback.there = false;
	}
	now = depth ? &in_callback : NULL;
}

/* Only host functions come when they are called for, and with an argument of ours. */
void pair_callback_begin(unsigned api, const void *argument)
{
	pair_assume(api == ACL_API_aclrtLaunchHostFunc && !argument, "a callback of the runtime");
	pair_callback(1);
}

void pair_callback_end(unsigned api, const void *argument)
{
	(void)api;
	(void)argument;
	pair_callback(0);
}

int64_t place_call(unsigned api, const void *args)
{
	if (!now)
		return test_invoke(api, args);
	now->api = api;
	now->args = args;
	sem_post(&now->ordered);
	sem_wait(&now->done);
	return now->result;
}
