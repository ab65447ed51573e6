/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of threads in a library that is loaded late, compiled with each dialect: by descriptors and by
 * __tls_get_addr.  They are more than the C library keeps room for, so that the first access in a thread
 * allocates, wherever the thread is then: in a callback, in a signal handler.
 */
#include <stdint.h>
#include <string.h>

#include "tls_plugin.h"

#define WORDS 4096

static __thread uint64_t words[WORDS] = {[0] = TLS_BEGIN, [WORDS - 1] = TLS_BEGIN};
static __thread uint64_t zeros[WORDS];

uint64_t tls_touch(uint64_t seed)
{
	for (unsigned i = 0; i < WORDS; i++)
		zeros[i] += seed;
	words[0]++;
	words[WORDS - 1]++;
	for (unsigned i = 1; i < WORDS; i++)
		if (zeros[i] != zeros[0])
			return 0;
	return words[0] == words[WORDS - 1] ? words[0] : 0;
}

uint64_t tls_sum(void)
{
	return zeros[WORDS / 2];
}

/* A descriptor's access keeps all registers but the one of its result: eight values stay in registers over
 * it. */
uint64_t tls_between(const uint64_t *in)
{
	uint64_t a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7];
	double x = (double)a, y = (double)b;

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
	words[a % WORDS] += 0;
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
	return a + b + c + d + e + f + g + h ==
		       in[0] + in[1] + in[2] + in[3] + in[4] + in[5] + in[6] + in[7] &&
	       x == (double)in[0] && y == (double)in[1];
}
