/* SPDX-License-Identifier: Apache-2.0 */
/* What Python programs bring along: threads, signal handlers and callbacks of C code that call AscendCL. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "acl/acl.h"

#define EXPORT __attribute__((visibility("default"))) extern

struct copy {
	char *memory;
	aclrtStream stream;
	aclrtContext context;
	size_t offset;
};

typedef void (*python_fn)(void);

void native_copy(const struct copy *c);
void native_thread(struct copy *c);
void native_calls_python(python_fn fn);
void native_alarm(void);
unsigned native_alarms(void);

static volatile sig_atomic_t alarms;

EXPORT void native_copy(const struct copy *c)
{
	aclrtMemcpyAsync(
		c->memory + 4096, 64, c->memory + c->offset, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, c->stream);
}

static void *copy_on_thread(void *copy)
{
	const struct copy *c = copy;

	aclrtSetCurrentContext(c->context);
	native_copy(c);
	return NULL;
}

/* A thread that the interpreter has never seen. */
EXPORT void native_thread(struct copy *c)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, copy_on_thread, c))
		pthread_join(thread, NULL);
}

EXPORT void native_calls_python(python_fn fn)
{
	fn();
}

/* A call that is wrong, in the middle of whatever the interpreter does: its stack is taken. */
static void on_alarm(int number)
{
	(void)number;
	aclrtMemcpy(NULL, 1, NULL, 1, ACL_MEMCPY_HOST_TO_HOST);
	alarms++;
}

EXPORT void native_alarm(void)
{
	const struct itimerval often = {{0, 700}, {0, 700}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

EXPORT unsigned native_alarms(void)
{
	return (unsigned)alarms;
}
