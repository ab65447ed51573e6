/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of every kind under a callback: without frame pointers, realigned, of variable size, recursive. */
#include <alloca.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#define FRAME __attribute__((visibility("default"), noinline))

typedef void (*look_fn)(void *);

void frames_plain(look_fn look, void *arg);
void frames_realigned(look_fn look, void *arg);
void frames_variable(look_fn look, void *arg, size_t n);
void frames_deep(look_fn look, void *arg, int depth);
void frames_signal(look_fn look, void *arg);
void frames_leaf_signal(look_fn look, void *arg);

FRAME void frames_plain(look_fn look, void *arg)
{
	volatile char room[100];

	room[1] = 1;
	look(arg);
	room[2] = room[1];
}

/* The compiler keeps where the frame began in a register or in memory, and says so by an expression. */
FRAME void frames_realigned(look_fn look, void *arg)
{
	_Alignas(64) volatile char room[256];
	volatile char *more = alloca(strlen((const char *)arg + 1) + 40);

	more[0] = 1;
	room[1] = 1;
	frames_plain(look, arg);
	room[2] = more[0] + room[1];
}

FRAME void frames_variable(look_fn look, void *arg, size_t n)
{
	volatile char *room = alloca(n);

	room[0] = 1;
	frames_realigned(look, arg);
	room[n - 1] = room[0];
}

FRAME void frames_deep(look_fn look, void *arg, int depth)
{
	volatile int here = depth;

	if (depth)
		frames_deep(look, arg, depth - 1);
	else
		frames_variable(look, arg, 333);
	here = here + 1;
}

/* The handler runs on the thread that raises the signal. */
static _Thread_local look_fn signal_look;
static _Thread_local void *signal_arg;

static void on_signal(int number)
{
	(void)number;
	frames_plain(signal_look, signal_arg);
}

FRAME void frames_signal(look_fn look, void *arg)
{
	volatile int here = 1;

	signal_look = look;
	signal_arg = arg;
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	here = here + 1;
}

/* Interrupted at an instruction, in a function that calls nothing. */
FRAME void frames_leaf_signal(look_fn look, void *arg)
{
	signal_look = look;
	signal_arg = arg;
	signal(SIGTRAP, on_signal);
#ifdef __x86_64__
	__asm__ volatile("int3");
#else
	raise(SIGTRAP);
#endif
}
