/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python code is asked for at each call that puts a task on a stream, so the frames are read with one system
 * call as a rule, and named where they are new only.
 */
#include "interpose/symbolize/caller_site.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/stack_site.h"

#define PYTHON_FRAMES 16u /* more of them tell nothing apart, and each costs time in each call */
#define KNOWN_SITES 4096 /* power of two */
#define KNOWN_MS 100 /* code may be freed, and other code be made at its address */

/* Sites by the number of the frames and the address. */
static struct {
	_Atomic uint64_t check; /* number and value together: both belong to one entry */
	_Atomic uint64_t value; /* the site, and above it until when that is believed */
} known_sites[KNOWN_SITES];

#define SITE_BITS 16
_Static_assert(STACK_SITES <= 1 << SITE_BITS, "a site and a time are one word");

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* 0: not known. */
static uint64_t known_site(uint64_t number, uint64_t now)
{
	unsigned i = number >> 32 & (KNOWN_SITES - 1);
	uint64_t value = atomic_load_explicit(&known_sites[i].value, memory_order_relaxed);

	return (atomic_load_explicit(&known_sites[i].check, memory_order_relaxed) ^ value) == number &&
			       value >> SITE_BITS > now
		       ? value & (STACK_SITES - 1)
		       : 0;
}

static void know_site(uint64_t number, uint64_t now, uint64_t site)
{
	unsigned i = number >> 32 & (KNOWN_SITES - 1);
	uint64_t value = (now + KNOWN_MS) << SITE_BITS | site;

	atomic_store_explicit(&known_sites[i].value, value, memory_order_relaxed);
	atomic_store_explicit(&known_sites[i].check, number ^ value, memory_order_relaxed);
}

/* Of the frames of Python code, and what stands between them and the call. */
static uint64_t python_site_anew(uint64_t address)
{
	uint64_t *words = thread_self()->frames, native = module_mark(address);
	uint32_t stack;
	unsigned n;

	words[0] = native;
	n = python_merge(words, 1, PYTHON_FRAMES);
	stack = n > 1 || words[0] != native ? stack_intern(words, n) : 0;
	return stack ? stack_site(stack, address) : address;
}

static uint64_t python_site(uint64_t address)
{
	uint64_t number = python_frames_number(PYTHON_FRAMES), now, site;

	if (!number)
		return address;
	number ^= address;
	now = now_ms();
	site = known_site(number, now);
	if (site)
		return site;
	site = python_site_anew(address);
	if (is_stack_site(site))
		know_site(number, now, site);
	return site;
}

static uint64_t full_site(uint64_t address)
{
	uint32_t stack = stack_take(address);

	return stack ? stack_site(stack, address) : address;
}

uint64_t caller_site_take(uint64_t address, bool full)
{
	int saved = errno;
	uint64_t site = full ? full_site(address) : python_runs() ? python_site(address) : address;

	errno = saved;
	return site;
}
