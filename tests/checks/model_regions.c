/* SPDX-License-Identifier: Apache-2.0 */
/* Which models may touch a range: never fewer than those that do, and mostly no more. */
#include "fixture.h"

#include "checks/engine/instance.h"
#include "checks/state/model_regions.h"

#define MODELS 40 /* each has a bit of its own */
#define RANGES 400

struct noted {
	acl_ref model;
	uint64_t start, end;
};

static uint64_t random_state = 2026;

static uint64_t pick(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 20) % below;
}

static acl_ref model_numbered(uint64_t number)
{
	return (uint64_t)ACL_HANDLE_MODEL << 58 | number << 32 | 1;
}

/* Of any size between a few bytes and many GiB, within a TiB. */
static void range_pick(uint64_t *start, uint64_t *end)
{
	uint64_t bytes = 1 + pick(UINT64_C(1) << (3 + pick(35)));

	*start = (UINT64_C(1) << 44) + pick(UINT64_C(1) << 40);
	*end = *start + bytes;
}

static uint64_t models_of(const struct noted *noted, unsigned n, uint64_t start, uint64_t end)
{
	uint64_t models = 0;

	for (unsigned i = 0; i < n; i++)
		if (noted[i].start < end && start < noted[i].end)
			models |= model_bit(noted[i].model);
	return models;
}

static void none_that_overlaps_is_left_out(void **state)
{
	struct fixture *fixture = fixture_new(CHECKS_TARGET_DOCUMENTS);
	struct checks *c = fixture->checks;
	struct noted noted[RANGES];
	unsigned overlap = 0;

	(void)state;
	for (unsigned i = 0; i < RANGES; i++) {
		noted[i].model = model_numbered(pick(MODELS));
		range_pick(&noted[i].start, &noted[i].end);
		model_regions_add(c, noted[i].model, noted[i].start, noted[i].end);
	}
	for (unsigned i = 0; i < 20 * RANGES; i++) {
		uint64_t start, end, models;

		range_pick(&start, &end);
		/* At what is noted, too. */
		if (i % 2) {
			end -= start;
			start = noted[i % RANGES].start - pick(end + 1);
			end += start + 1;
		}
		models = models_of(noted, RANGES, start, end);
		overlap += models != 0;
		assert_int_equal(models_at(c, start, end) & models, models);
	}
	assert_true(overlap > RANGES);
	fixture_free(fixture);
}

/* RANGES of MODELS overlap with most; so few of each. */
static void none_beside_is_left_out(void **state)
{
	unsigned pairs = 0, said = 0;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		struct fixture *fixture = fixture_new(CHECKS_TARGET_DOCUMENTS);
		struct checks *c = fixture->checks;
		struct noted noted[MODELS];

		for (unsigned i = 0; i < MODELS; i++) {
			noted[i].model = model_numbered(pick(MODELS));
			range_pick(&noted[i].start, &noted[i].end);
			model_regions_add(c, noted[i].model, noted[i].start, noted[i].end);
		}
		for (unsigned i = 0; i < MODELS; i++) {
			uint64_t models = models_of(noted, MODELS, noted[i].start, noted[i].end),
				 beside = models_beside(c, noted[i].model);

			assert_int_equal(beside & models, models);
			pairs += models != model_bit(noted[i].model);
			said += beside != UINT64_MAX;
		}
		fixture_free(fixture);
	}
	assert_true(pairs > 100);
	assert_true(said > 1000);
}

/* What many graphs have beside each other in one large block. */
static void neighbours_are_distinct(void **state)
{
	struct fixture *fixture = fixture_new(CHECKS_TARGET_DOCUMENTS);
	struct checks *c = fixture->checks;
	uint64_t base = UINT64_C(1) << 44, others = 0;

	(void)state;
	for (uint64_t i = 0; i < MODELS; i++)
		model_regions_add(c, model_numbered(i), base + i * 65536, base + i * 65536 + 8192);
	for (uint64_t i = 0; i < MODELS; i++) {
		uint64_t models = models_at(c, base + i * 65536 + 4096, base + i * 65536 + 5000);

		assert_true(models & model_bit(model_numbered(i)));
		others += (uint64_t)__builtin_popcountll(models) - 1;
		others += (uint64_t)__builtin_popcountll(
			models_beside(c, model_numbered(i)) & ~model_bit(model_numbered(i)));
		/* Between them there is none, unless two regions share a word. */
		others += (uint64_t)__builtin_popcountll(
			models_at(c, base + i * 65536 + 16384, base + i * 65536 + 32768));
	}
	assert_true(others <= MODELS / 10);
	assert_int_equal(models_at(c, base + (UINT64_C(1) << 35), base + (UINT64_C(1) << 35) + 1), 0);
	fixture_free(fixture);
}

static void nothing_is_left_behind_the_last_one(void **state)
{
	struct fixture *fixture = fixture_new(CHECKS_TARGET_DOCUMENTS);
	struct checks *c = fixture->checks;
	uint64_t at = UINT64_C(1) << 44;

	(void)state;
	model_regions_count(c, 1);
	model_regions_count(c, 1);
	model_regions_add(c, model_numbered(1), at, at + 8);
	model_regions_add(c, model_numbered(2), at, at + (UINT64_C(1) << 40));
	model_regions_count(c, -1);
	assert_int_equal(
		models_at(c, at, at + 8), model_bit(model_numbered(1)) | model_bit(model_numbered(2)));
	/* The second touches too much to be noted by place. */
	assert_int_equal(models_beside(c, model_numbered(1)),
		model_bit(model_numbered(1)) | model_bit(model_numbered(2)));
	assert_int_equal(models_beside(c, model_numbered(2)), UINT64_MAX);
	model_regions_count(c, -1);
	assert_int_equal(models_at(c, at, at + 8), 0);
	assert_int_equal(models_beside(c, model_numbered(1)), 0);
	/* The same of more words than are listed. */
	model_regions_count(c, 1);
	for (uint64_t i = 0; i < 2000; i++)
		model_regions_add(c, model_numbered(3), at + i * 4096, at + i * 4096 + 8);
	assert_int_equal(models_at(c, at + 1999 * 4096, at + 1999 * 4096 + 8), model_bit(model_numbered(3)));
	model_regions_count(c, -1);
	for (uint64_t i = 0; i < 2000; i++)
		assert_int_equal(models_at(c, at + i * 4096, at + i * 4096 + 8), 0);
	fixture_free(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_that_overlaps_is_left_out),
		cmocka_unit_test(none_beside_is_left_out),
		cmocka_unit_test(neighbours_are_distinct),
		cmocka_unit_test(nothing_is_left_behind_the_last_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("regions of models", tests, NULL, NULL);
}
