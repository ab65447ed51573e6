/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each scenario once more with one call changed: it fails, the checker does not
 * see it, the runtime made it, another thread made it, it came twice, one of its
 * arguments is another; or with something before it: it failed, its thread went to another
 * device, all is done, what it names is gone, its stream is being captured, the process has
 * forked, the tables get no more memory; or the whole program runs on the device, beside others
 * that use the same, with a second device in use, or a second time.  Evidence that is missing must
 * keep a rule silent, and a destroy that failed must not count; most conditions of a rule are about nothing
 * else.  What comes out is kept in NAME.variants, as far as it differs from the
 * scenario itself; a line in the end says how often the rule was evaluated in all of
 * them, and how much its findings held.
 */
#ifndef PAIRED_VARIANTS_H
#define PAIRED_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/checks/fixture.h"
#include "tests/paired/record.h"

struct pair;

/* The calls of a scenario go through here. */
bool variant_enter(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line);
void variant_leave(struct fixture *fixture, struct acl_call_record *call, int64_t result);

/*
 * All variants of a scenario that was begun and kept (fixture_keep), one after the
 * other; play runs it from there.  Adds what comes out to the record.
 */
void variants_run(struct record *record, const struct pair *t, struct fixture *fixture, const char *way,
	void (*play)(const struct pair *t));

#endif
