/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of the cold paths: exclusive, a waiter sleeps, anew after fork. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "checks/engine/lock.h"

#define THREADS 8
#define TURNS 50000
#define HELD_MS 200

static struct acl_lock the_lock;
static long guarded;

static void *count(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		lock(&the_lock);
		guarded++;
		if (i % 1000 == 0)
			sched_yield(); /* others come to wait */
		unlock(&the_lock);
	}
	return unused;
}

static void test_exclusive(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(guarded, (long)THREADS * TURNS);
	assert_false(atomic_load(&the_lock.word) & LOCK_HELD);
}

static uint64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static atomic_bool waiting;
static uint64_t spent;

static void *wait_for_lock(void *unused)
{
	uint64_t began = cpu_ms();

	atomic_store(&waiting, true);
	lock(&the_lock);
	unlock(&the_lock);
	spent = cpu_ms() - began;
	return unused;
}

/* Works, as an owner does, until its own processor time has come to so much. */
static void work(uint64_t ms)
{
	uint64_t began = cpu_ms();

	while (cpu_ms() - began < ms)
		;
}

/* Both on one processor; policy: of the thread that waits. */
static bool hold_while_other_waits(int policy)
{
	struct sched_param param = {.sched_priority = policy == SCHED_FIFO ? 10 : 0};
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t one, before;
	bool made;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	pthread_getaffinity_np(pthread_self(), sizeof(before), &before);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, policy);
	pthread_attr_setschedparam(&attr, &param);
	atomic_store(&waiting, false);
	lock(&the_lock);
	made = !pthread_create(&thread, &attr, wait_for_lock, NULL);
	while (made && !atomic_load(&waiting))
		sched_yield();
	if (made)
		work(HELD_MS);
	unlock(&the_lock);
	if (made)
		pthread_join(thread, NULL);
	pthread_setaffinity_np(pthread_self(), sizeof(before), &before);
	return made;
}

static void test_sleeps(void **state)
{
	(void)state;
	assert_true(hold_while_other_waits(SCHED_OTHER));
	assert_in_range(spent, 0, HELD_MS / 10);
}

/* One that spins takes all of the processor until the kernel throttles it, and all of the next second again.
 */
static void test_real_time(void **state)
{
	(void)state;
	if (!hold_while_other_waits(SCHED_FIFO))
		skip();
	assert_in_range(spent, 0, HELD_MS / 10);
}

static struct acl_lock others[3];

static void test_forked(void **state)
{
	int status = -1;
	pid_t pid;

	(void)state;
	for (int i = 0; i < 3; i++)
		lock(&others[i]);
	pid = fork();
	if (!pid) {
		alarm(10);
		locks_forked();
		for (int turn = 0; turn < 2; turn++)
			for (int i = 0; i < 3; i++) {
				lock(&others[i]);
				unlock(&others[i]);
			}
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	for (int i = 0; i < 3; i++)
		unlock(&others[i]);
	assert_false(atomic_load(&others[0].word) & LOCK_HELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exclusive),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_real_time),
		cmocka_unit_test(test_forked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
