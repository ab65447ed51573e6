/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library keeps per thread: small, never allocated.  No thread-local
 * variable: a library that has one makes the table that glibc allocates for
 * each new thread longer, in the program's heap.
 */
#ifndef INTERPOSE_THREAD_STATE_H
#define INTERPOSE_THREAD_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "checks/engine/call_record.h"

struct acl_call;

#define THREAD_SCOPES 16 /* as many as scopes_met has bits */
#define THREAD_FRAMES 32
#define THREAD_ROOM (UINT64_C(64) << 10) /* far more than the checks of any call need */
#define THREAD_WALK 48

/* acl_thread.rare: whatever keeps its calls from the short way */
#define CANCEL_ASYNCHRONOUS 1u /* the program set that type */
#define CANCEL_HELD 2u /* deferred by tool_begin */
#define THREAD_UNKNOWN 4u /* the kernel, or the checker, was not asked yet who it is, also after fork */

#define THREAD_ENDING 8u /* its state was taken back already, in one of its last destructors */

/* A callback of the program that runs on this thread; lives on the trampoline's stack. */
struct acl_callback_frame {
	struct acl_callback_frame *up;
	struct acl_call *call; /* the call inside which the runtime ran it, if any */
	uint16_t depth;
};

struct acl_thread {
	_Atomic uintptr_t pointer; /* the thread's own, 0 = free */
	uint64_t room_low, room_size; /* addresses on the own stack with THREAD_ROOM below them */
	/*
	 * Address of a local variable of the tool's own code that runs on this
	 * thread, NULL outside it.  Calls made meanwhile (a signal handler, a
	 * hook of malloc) are forwarded plainly.
	 */
	const void *busy;
	struct acl_call *frame; /* innermost call whose real function runs */
	struct acl_callback_frame *callback; /* innermost callback */
	uint32_t rare;
	struct acl_call_thread ids; /* as the records of its calls have them; tid 0 = not asked yet (also
				       after fork) */
	uint64_t stack_low, stack_high; /* what other threads know of this thread's stack (host_address.c) */
	uint32_t stack_listed; /* where they find it, 0 = nowhere yet */
	uint32_t ended; /* the kernel's number of the thread that was here last */
	uint64_t own_stack_low, own_stack_high; /* what unwinding reads directly, 0 = not known yet */
	uint64_t room_asked; /* the page it was asked for last */
	uint8_t room_learned; /* how often there was some, no more counted than matters */
	struct tool_stack *tool_stack; /* the tool's own stack that this thread is on, if any */
	uint64_t outer_sp; /* on it: the stack pointer of the stack that it was left for */
	void (*afterwards)(void); /* to be called when it is back on its own */
	uint64_t held_mask; /* on it: the program's signal mask */
	uint8_t cancel_state; /* on it: the program's */
	int *errno_at;
	/* Where its calls are noted when a report is written. */
	struct call_counts *coverage;
	struct last_calls_ring *ring;
	/* For tool_cost.c: calls until one is timed, and what decides the next distance (0 = none yet). */
	uint32_t calls_to_sample;
	uint32_t sample_seed;
	uint32_t recorded; /* calls that were recorded */
	uint32_t answer_bytes; /* recorded of what the checks asked, in this call */
	const struct acl_call_record *asking; /* the call that is checked and recorded */
	bool asking_at_leave;
	uint16_t closing; /* calls of dlclose that it is in */
	/* Of an injected fault: its place, function and arguments until the thread calls that again; the last
	 * error. */
	uint16_t fault_place, fault_api;
	int32_t fault_error;
	uint64_t fault_arguments;
	/* Open scopes of expected failure, outermost first (expect_scope.c); more are counted, not kept. */
	uint16_t n_scopes, scopes_met; /* a bit each */
	uint16_t scopes[THREAD_SCOPES];
	uint64_t frames[THREAD_FRAMES]; /* of the call stack that is being taken */
	uint64_t walk[THREAD_WALK]; /* its registers (unwind.c): the program's stack may be small */
} __attribute__((aligned(1024))); /* where one is, is reckoned in every call */

#define THREAD_SLOT_BITS 13

extern struct acl_thread acl_threads[1 << THREAD_SLOT_BITS] __attribute__((visibility("hidden")));

static inline uintptr_t thread_pointer(void)
{
#if defined(__x86_64__)
	uintptr_t p;

	__asm__("movq %%fs:0, %0" : "=r"(p));
	return p;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

#define THREAD_SLOT_BYTES sizeof(struct acl_thread)
_Static_assert((THREAD_SLOT_BYTES & (THREAD_SLOT_BYTES - 1)) == 0, "a power of two");

/* Of a thread's pointer, in bytes: they are as far from each other as stacks. */
static inline uintptr_t thread_slot(uintptr_t pointer)
{
	return pointer * UINT64_C(0x9e3779b97f4a7c15) >>
		       (64 - THREAD_SLOT_BITS - __builtin_ctzl(THREAD_SLOT_BYTES)) &
	       -THREAD_SLOT_BYTES;
}

/*
 * A thread that calls once more in the last round of destructors has nothing that takes its state back after
 * that: a later thread with the same pointer finds it, and begins anew.
 */
void thread_look_again(struct acl_thread *t);

/* The slow way: another thread has the slot, or none yet. */
struct acl_thread *thread_find(uintptr_t pointer);

/* The slot where the thread's state is, unless another thread was there first. */
static inline struct acl_thread *thread_own_slot(void)
{
	return (struct acl_thread *)((char *)acl_threads + thread_slot(thread_pointer()));
}

static inline bool thread_is_self(const struct acl_thread *t)
{
	return atomic_load_explicit(&t->pointer, memory_order_relaxed) == thread_pointer();
}

static inline struct acl_thread *thread_self(void)
{
	struct acl_thread *t = thread_own_slot();

	return __builtin_expect(thread_is_self(t), 1) ? t : thread_find(thread_pointer());
}

/*
 * What is called when a thread ends: the C library's pthread_key_create and
 * pthread_setspecific, which older ones have in another library.  From the
 * constructor.
 */
typedef int (*thread_key_create_fn)(unsigned *key, void (*destroy)(void *));
typedef int (*thread_set_specific_fn)(unsigned key, const void *value);
void thread_state_prepare(thread_key_create_fn create, thread_set_specific_fn set);

/* In the child after fork: of all threads one is left. */
void thread_state_forked(void);

/*
 * Marks of frames that longjmp, an exception or a thread switch left behind
 * lie below the present frame, since the stack grows down; a living one lies
 * above.  An alternate signal stack may make a living mark look left behind:
 * leaving the frame puts the old mark back, so that heals.
 */
static inline bool mark_is_live(const void *mark, const void *here)
{
	return (uintptr_t)mark > (uintptr_t)here;
}

/* Whether the thread's own stack goes on far enough below; else the tool changes to one of its own. */
static inline bool thread_has_room(const struct acl_thread *t, const void *here)
{
	return (uintptr_t)here - t->room_low < t->room_size;
}

/* Whether this is a handler on an alternate signal stack, where addresses say nothing; or came from one. */
bool on_signal_stack(void);

/* Of threads that may be cancelled anywhere: not while the tool is at work. */
typedef int (*thread_cancel_type_fn)(int type, int *before);
extern thread_cancel_type_fn thread_cancel_type; /* the C library's, when there is such a thread */
void cancel_hold(struct acl_thread *t);
void cancel_release(struct acl_thread *t);

/* Enters the tool's own code; false = already in it. */
static inline bool tool_begin(struct acl_thread *t, const void *mark)
{
	if (__builtin_expect(t->busy != 0, 0) &&
		(t->tool_stack || mark_is_live(t->busy, mark) || on_signal_stack()))
		return false;
	if (__builtin_expect(t->rare, 0))
		cancel_hold(t);
	t->busy = mark;
	return true;
}

static inline void tool_end(struct acl_thread *t)
{
	t->busy = 0;
	if (__builtin_expect(t->rare, 0))
		cancel_release(t);
}

/* Asks the kernel who the thread is. */
uint32_t thread_new(struct acl_thread *t);

static inline uint32_t thread_tid(struct acl_thread *t)
{
	return __builtin_expect(t->ids.tid != 0, 1) ? t->ids.tid : thread_new(t);
}

#endif
