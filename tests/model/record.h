/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hand-written part of the test that calls every function: shared by the
 * recording runtime (gen/test_recorder.c, RECORD_RUNTIME defined; record.c) and the
 * program (gen/test_every_call.c).
 */
#ifndef TESTS_MODEL_RECORD_H
#define TESTS_MODEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "acl_api.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define RECORD_EXPORT __attribute__((visibility("default")))

#define RECORD_PATTERN 0x8182838485868788ull /* differs in every byte, negative as any signed type */
#define RECORD_RESULT 0x20000 /* + enum acl_api: no two functions return the same */
#define RECORD_OUTPUT 0x5a
#define RECORD_PAGES 1000
#define RECORD_RESULT_PAGE (RECORD_PAGES - 1)

/* Memory the pointers of the test point to, zeroed before each call; a page a parameter name. */
void *record_page(unsigned n);

/* Notes a failure of the current call. */
void record_true(bool ok, const char *function, const char *what);
#define RECORD_SAME(function, param)                                                                         \
	record_true(!memcmp(&(param), &should.param, sizeof(should.param)), function, #param)

void record_called(unsigned api); /* the runtime was reached */
void record_begin(void); /* before a call */
void record_end(unsigned api, const char *name, bool callbacks_ran); /* after it: the TAP line */
int record_finish(void); /* exit code */

static inline void record_output_came(const char *function, const char *what, const void *p, size_t size)
{
	const unsigned char *c = p;

	while (size && *c == RECORD_OUTPUT)
		c++, size--;
	record_true(!size, function, what);
}
#define RECORD_OUTPUT_CAME(function, param)                                                                  \
	record_output_came(function, "output " #param, param, sizeof(*(param)))

/* Functions that the runtime calls back belong to the program; it never knows them by name. */
#ifdef RECORD_RUNTIME
#define RECORD_CALLBACK(type) NULL
#else
#define RECORD_CALLBACK(type) record_##type
static unsigned record_callbacks; /* that ran during this call */
static void *record_user_data; /* what they must be given */
#include "test_callbacks.h"
#endif

#endif
