/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that were freed and are in use again, by whatever the checker sees or does not see: silent there,
 * beside what is gone still. */
#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define SIZE 4096ul

/* Nothing but what the test calls can have got an address. */
static struct fixture *alone(void)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	fixture->other_ways = 0;
	return fixture;
}

static void *freed(struct fixture *fixture)
{
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, SIZE);

	CALL(fixture, aclrtFree, 0, .devPtr = d);
	return d;
}

static void write_to(struct fixture *fixture, void *d)
{
	CALL(fixture, aclrtMemset, 0, .devPtr = d, .maxCount = 64, .count = 64);
}

static void condition_at_a_freed_address(void **state)
{
	struct fixture *fixture = alone();
	void *d = freed(fixture);
	uint64_t *p = d;

	(void)state;
	write_to(fixture, d);
	want(fixture, "use-after-free:error");
	CALL(fixture, aclmdlRICondHandleGetCondPtr, 0, .handle = handle(5), .ptr = &p);
	write_to(fixture, d);
	silent(fixture);
}

/* One of two that were freed side by side is given out again: the other is gone still. */
static void beside_a_freed_address(void **state)
{
	(void)state;
	for (unsigned again = 0; again < 2; again++) {
		struct fixture *fixture = alone();
		void *d[2] = {fixture_malloc(fixture, DEVICE_MEMORY, SIZE),
			fixture_malloc(fixture, DEVICE_MEMORY + 2 * SIZE, SIZE)};
		uint64_t *p = d[again];

		CALL(fixture, aclrtFree, 0, .devPtr = d[0]);
		CALL(fixture, aclrtFree, 0, .devPtr = d[1]);
		CALL(fixture, aclmdlRICondHandleGetCondPtr, 0, .handle = handle(5), .ptr = &p);
		write_to(fixture, d[again]);
		silent(fixture);
		write_to(fixture, d[!again]);
		want(fixture, "use-after-free:error");
		fixture_free(fixture);
	}
}

/* A smaller one lies there now: what it was rounded up to is its own, behind that the larger one is gone
 * still. */
static void behind_what_lies_there_now(void **state)
{
	struct fixture *fixture = alone();
	char *d = fixture_malloc(fixture, DEVICE_MEMORY, 4 * SIZE);

	(void)state;
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	fixture_malloc(fixture, DEVICE_MEMORY, SIZE);
	write_to(fixture, d + SIZE);
	want(fixture, "memcpy-dest-out-of-bounds:error");
	write_to(fixture, d + SIZE + 64);
	want(fixture, "use-after-free:error");
	fixture_free(fixture);
}

/* Where one began at the very end of another, nothing was rounded up. */
static void freed_at_the_end_of_another(void **state)
{
	struct fixture *fixture = alone();
	char *d[2] = {fixture_malloc(fixture, DEVICE_MEMORY, SIZE),
		fixture_malloc(fixture, DEVICE_MEMORY + SIZE, SIZE)};

	(void)state;
	CALL(fixture, aclrtFree, 0, .devPtr = d[1]);
	write_to(fixture, d[1]);
	want(fixture, "use-after-free:error");
	fixture_free(fixture);
}

static void failed_answer_is_none(void **state)
{
	struct fixture *fixture = alone();
	void *d = freed(fixture);
	uint64_t *p = d;

	(void)state;
	CALL(fixture, aclmdlRICondHandleGetCondPtr, 107000, .handle = handle(5), .ptr = &p);
	fixture->n_seen = fixture->n_found;
	write_to(fixture, d);
	want(fixture, "use-after-free:error");
}

/* Page-locked memory that was freed is libc's again, or none's. */
static void host_memory_after_its_end(void **state)
{
	struct fixture *fixture = alone();
	static char page[4096] __attribute__((aligned(64)));
	void *h = page;

	(void)state;
	fixture->class = ACL_HOST_UNKNOWN;
	CALL(fixture, aclrtMallocHost, 0, .hostPtr = &h, .size = sizeof(page));
	CALL(fixture, aclrtFreeHost, 0, .hostPtr = h);
	write_to(fixture, h);
	never(fixture, "use-after-free");
	fixture->wild = (uintptr_t)page;
	fixture->wild_bytes = sizeof(page);
	write_to(fixture, page + 64);
	want(fixture, "use-after-free:warning");
}

/* A runtime that keeps what it mapped: no other process has it, unless something else is mapped there by now.
 */
static void host_memory_that_the_runtime_keeps(void **state)
{
	struct fixture *fixture = alone();
	static char page[4096] __attribute__((aligned(64)));
	void *h = page;

	(void)state;
	fixture->class = ACL_HOST_UNKNOWN;
	fixture->mapping = 7;
	CALL(fixture, aclrtMallocHost, 0, .hostPtr = &h, .size = sizeof(page));
	CALL(fixture, aclrtFreeHost, 0, .hostPtr = h);
	write_to(fixture, page + 64);
	want(fixture, "use-after-free:warning");
	fixture->mapping = 8;
	write_to(fixture, page + 128);
	silent(fixture);
	fixture->mapping = 0;
	write_to(fixture, page + 192);
	silent(fixture);
}

static void other_allocator(void **state)
{
	struct fixture *fixture = alone();
	void *d = freed(fixture);

	(void)state;
	fixture->other_ways = 1u << CHECKS_OTHER_WORK;
	write_to(fixture, d);
	want(fixture, "use-after-free:advice");
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	want(fixture, "free-double:advice");
	/* Refused: the other allocator has not got it either. */
	d = freed(fixture);
	CALL(fixture, aclrtFree, 107000, .devPtr = d);
	want(fixture, "free-double:error");
	CALL(fixture, aclrtFree, 507010, .devPtr = d);
	want(fixture, "free-double:advice api-error:warning");
}

static void mapped_by_libc(void **state)
{
	struct fixture *fixture = alone();
	void *d = freed(fixture);

	(void)state;
	fixture->libc_everywhere = true;
	fixture->class = ACL_HOST_HEAP;
	write_to(fixture, d);
	never(fixture, "use-after-free");
	fixture->n_seen = fixture->n_found;
	CALL(fixture, aclrtFree, 0, .devPtr = d);
	want(fixture, "free-unknown-pointer:error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(condition_at_a_freed_address),
		cmocka_unit_test(beside_a_freed_address),
		cmocka_unit_test(behind_what_lies_there_now),
		cmocka_unit_test(freed_at_the_end_of_another),
		cmocka_unit_test(failed_answer_is_none),
		cmocka_unit_test(host_memory_after_its_end),
		cmocka_unit_test(host_memory_that_the_runtime_keeps),
		cmocka_unit_test(other_allocator),
		cmocka_unit_test(mapped_by_libc),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
