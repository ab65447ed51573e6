/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's own state, and what is asked of the kernel for it. */
#include "interpose/common/thread_state.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/common/compiler.h"

#define SLOTS (1u << THREAD_SLOT_BITS)
#define WINDOW 64 /* slots in which a thread may be, from its own on */

struct acl_thread acl_threads[SLOTS];

/* For threads without a slot: always in the tool's own code, so that their calls are forwarded and counted.
 */
static struct acl_thread without_slot = {.busy = (const void *)UINTPTR_MAX};
static _Atomic uint32_t threads; /* slots in use */
/* Slots that were ever in use, a bit each: of others no page is looked at. */
static _Atomic uint64_t ever_used[SLOTS / 64];

static thread_set_specific_fn set_specific;
static _Atomic bool ending_known; /* the key is there */
static unsigned ending_key;

NO_SANITIZE static uint32_t kernel_number(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

NO_SANITIZE static void clear(struct acl_thread *t)
{
	memset((char *)t + sizeof(t->pointer), 0, sizeof(*t) - sizeof(t->pointer));
}

NO_SANITIZE static void give_back(struct acl_thread *t)
{
	atomic_store_explicit(&t->pointer, 0, memory_order_release);
	atomic_fetch_sub(&threads, 1);
}

/* The thread ends: a later one may have the same pointer. */
NO_SANITIZE static void thread_ended(void *slot)
{
	struct acl_thread *t = slot;

	clear(t);
	t->ended = kernel_number();
	give_back(t);
}

void thread_state_prepare(thread_key_create_fn create, thread_set_specific_fn set)
{
	if (!create || !set || atomic_load(&ending_known) || create(&ending_key, thread_ended))
		return;
	set_specific = set;
	atomic_store_explicit(&ending_known, true, memory_order_release);
}

static void notice_end(struct acl_thread *t)
{
	if (atomic_load_explicit(&ending_known, memory_order_acquire))
		set_specific(ending_key, t);
}

static struct acl_thread *claim(struct acl_thread *t, uintptr_t pointer)
{
	uint32_t slot = (uint32_t)(t - acl_threads);
	uintptr_t none = 0;

	/* Before: a child forked in between finds the slot. */
	atomic_fetch_or(&ever_used[slot / 64], UINT64_C(1) << slot % 64);
	if (!atomic_compare_exchange_strong(&t->pointer, &none, pointer))
		return NULL;
	t->rare = THREAD_UNKNOWN;
	if (t->ended && t->ended == kernel_number())
		t->rare |= THREAD_ENDING;
	atomic_fetch_add(&threads, 1);
	notice_end(t);
	return t;
}

void thread_look_again(struct acl_thread *t)
{
	if (t->ended == kernel_number())
		return;
	clear(t);
	t->rare = THREAD_UNKNOWN;
	notice_end(t);
}

struct acl_thread *thread_find(uintptr_t pointer)
{
	uint32_t first = (uint32_t)(thread_slot(pointer) / THREAD_SLOT_BYTES);
	struct acl_thread *t;

	/* Its own, if it has one, it has marked itself; pages where no thread ever was are not touched. */
	for (uint32_t i = 0; i < WINDOW; i++) {
		uint32_t slot = (first + i) % SLOTS;

		t = &acl_threads[slot];
		if (atomic_load_explicit(&ever_used[slot / 64], memory_order_relaxed) >> slot % 64 & 1 &&
			atomic_load_explicit(&t->pointer, memory_order_relaxed) == pointer)
			return t;
	}
	for (uint32_t i = 0; i < WINDOW; i++) {
		t = claim(&acl_threads[(first + i) % SLOTS], pointer);
		if (t)
			return t;
	}
	return &without_slot;
}

void thread_state_forked(void)
{
	struct acl_thread *own = thread_self();

	for (uint32_t i = 0; i < SLOTS / 64; i++) {
		for (uint64_t used = atomic_load(&ever_used[i]); used; used &= used - 1) {
			struct acl_thread *t = &acl_threads[i * 64 + (uint32_t)__builtin_ctzll(used)];

			if (t != own && atomic_load_explicit(&t->pointer, memory_order_relaxed)) {
				clear(t);
				give_back(t);
			}
		}
	}
}

uint32_t thread_new(struct acl_thread *t)
{
	t->errno_at = &errno;
	t->ids = (struct acl_call_thread){
		.pid = (uint32_t)getpid(), .tid = kernel_number(), .pthread_id = (uint64_t)pthread_self()};
	t->calls_to_sample = 1;
	return t->ids.tid;
}

thread_cancel_type_fn thread_cancel_type;

/* The tool has no cancellation points: a deferred request waits for the end of its work. */
void cancel_hold(struct acl_thread *t)
{
	if ((t->rare & CANCEL_ASYNCHRONOUS) && !thread_cancel_type(PTHREAD_CANCEL_DEFERRED, NULL))
		t->rare |= CANCEL_HELD;
}

/* A thread that was cancelled meanwhile ends here, where it holds nothing. */
void cancel_release(struct acl_thread *t)
{
	if (!(t->rare & CANCEL_HELD))
		return;
	t->rare &= ~CANCEL_HELD;
	thread_cancel_type(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
}

bool on_signal_stack(void)
{
	const struct acl_thread *t = thread_self();
	stack_t now;

	if (sigaltstack(NULL, &now))
		return false;
	/* On the tool's stack the kernel does not see where the thread came from. */
	if (t->tool_stack)
		return !(now.ss_flags & SS_DISABLE) && t->outer_sp - (uintptr_t)now.ss_sp < now.ss_size;
	return now.ss_flags & SS_ONSTACK;
}
