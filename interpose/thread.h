/* SPDX-License-Identifier: Apache-2.0 */
/* What the library keeps per thread: small, initial-exec, never allocated. */
#ifndef INTERPOSE_THREAD_H
#define INTERPOSE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct acl_call;

#define THREAD_SCOPES 16 /* as many as scopes_met has bits */

/* A callback of the program that runs on this thread; lives on the trampoline's stack. */
struct acl_callback_frame {
	struct acl_callback_frame *up;
	struct acl_call *call; /* the call inside which the runtime ran it, if any */
	uint16_t depth;
};

struct acl_thread {
	/*
	 * Address of a local variable of the tool's own code that runs on this
	 * thread, NULL outside it.  Calls made meanwhile (a signal handler, a
	 * hook of malloc) are forwarded plainly.
	 */
	const void *busy;
	struct acl_call *frame; /* innermost call whose real function runs */
	struct acl_callback_frame *callback; /* innermost callback */
	uint64_t stack_low, stack_high; /* bounds of this thread's stack, 0 = not asked yet */
	uint32_t tid; /* 0 = not asked yet (also after fork); then the rest is not known either */
	uint64_t self; /* pthread_self() */
	int *errno_at;
	void *checks_thread; /* acl_event.thread of the last call */
	/* For cost.c: calls until one is timed, and what decides the next distance (0 = none yet). */
	uint16_t calls_to_sample;
	uint32_t sample_seed;
	/* Open scopes of expected failure, outermost first (expect.c); more are counted, not kept. */
	uint16_t n_scopes, scopes_met; /* a bit each */
	uint16_t scopes[THREAD_SCOPES];
};

extern __thread struct acl_thread acl_thread __attribute__((tls_model("initial-exec")));

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

/* Whether this is a handler on an alternate signal stack, where addresses say nothing. */
bool on_signal_stack(void);

/* Enters the tool's own code; false = already in it. */
static inline bool tool_begin(struct acl_thread *t, const void *mark)
{
	if (__builtin_expect(t->busy != 0, 0) && (mark_is_live(t->busy, mark) || on_signal_stack()))
		return false;
	t->busy = mark;
	return true;
}

static inline void tool_end(struct acl_thread *t)
{
	t->busy = 0;
}

/* Asks the kernel; the first thread of a process to do so begins the run's records. */
uint32_t thread_new(struct acl_thread *t);

static inline uint32_t thread_tid(struct acl_thread *t)
{
	return __builtin_expect(t->tid != 0, 1) ? t->tid : thread_new(t);
}

#endif
