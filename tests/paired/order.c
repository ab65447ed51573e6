/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and calls that touch the same memory with nothing that orders them. */
#include "tasks.h"

/* The function of the run, whatever form its arguments have; of a batch one entry. */
static void each_copies(void *dst, void *src, aclrtMemcpyKind kind, aclrtStream s)
{
	static size_t size[] = {SIZE}, zero[] = {0}, failed;
	static void *dsts[1], *srcs[1];
	static aclrtMemcpyBatchAttr attr[1];
	aclrtMemLocationType host = ACL_MEM_LOCATION_TYPE_HOST, device = ACL_MEM_LOCATION_TYPE_DEVICE;

	dsts[0] = dst;
	srcs[0] = src;
	attr[0] = (aclrtMemcpyBatchAttr){.dstLoc = {.type = kind == DOWN ? host : device},
		.srcLoc = {.type = kind == UP ? host : device}};
	CALL_EACH(0, ROLE(DST, dst), ROLE(LIMIT, SIZE), ROLE(SRC, src), ROLE(BYTES, SIZE), ROLE(KIND, kind),
		ROLE(DPITCH, SIZE), ROLE(SPITCH, SIZE), ROLE(WIDTH, SIZE), ROLE(HEIGHT, 1), ROLE(DSTS, dsts),
		ROLE(SRCS, srcs), ROLE(LIMITS, size), ROLE(SIZES, size), ROLE(NUMBER, 1),
		ROLE(ATTRIBUTES, attr), ROLE(ATTRIBUTE_INDEXES, zero), ROLE(ATTRIBUTE_COUNT, 1),
		ROLE(FAIL_INDEX, &failed), ROLE(REDUCTION, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM),
		ROLE(STREAM, s));
}

static void each_sets(void *dst, aclrtStream s)
{
	CALL_EACH(0, ROLE(DST, dst), ROLE(LIMIT, SIZE), ROLE(BYTES, SIZE), ROLE(NUMBER, SIZE / 4),
		ROLE(STREAM, s));
}

/* --- two streams --------------------------------------------------------------------------- */

/* The second stream reads what the first one writes. */
static void result_of_other_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	copy_on(first, d, h, UP);
	if (!bug)
		order(first, second);
	each_copies(out, d, DOWN, second);
	wait_for(first);
	wait_for(second);
}

static void sum_with_other_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE), *sum = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = sum, .maxCount = SIZE, .count = SIZE);
	copy_on(first, d, h, UP);
	if (!bug)
		order(first, second);
	each_copies(sum, d, INSIDE, second);
	wait_for(first);
	wait_for(second);
}

static void reduce_on(aclrtStream s, void *dst, const void *src, aclrtReduceKind kind)
{
	CALL(aclrtReduceAsync, .dst = dst, .src = src, .count = SIZE, .kind = kind, .type = ACL_FLOAT,
		.stream = s);
}

static void *make_zeros(void)
{
	void *d = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	return d;
}

/* Sums come to the same in either order, a sum and a maximum do not. */
static void maximum_beside_a_sum(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *src = make_zeros(), *dst = make_zeros();

	reduce_on(first, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	reduce_on(
		second, dst, src, bug ? ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX : ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	wait_for(first);
	wait_for(second);
}

/* The maximum of one stream stands before its sum, with which the other one's is in no conflict. */
static void sum_beside_both(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *src = make_zeros(), *dst = make_zeros();

	reduce_on(first, dst, src, bug ? ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX : ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	reduce_on(first, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	reduce_on(second, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	wait_for(first);
	wait_for(second);
}

/* So does the copy that puts the first value there. */
static void sum_beside_its_beginning(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *src = make_zeros(), *dst = make_zeros();

	copy_on(first, dst, h, UP);
	if (!bug)
		order(first, second);
	reduce_on(first, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	reduce_on(second, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	wait_for(first);
	wait_for(second);
}

/* The copy is before the sum of the second stream, and not before that of the third. */
static void sum_of_a_third(void)
{
	aclrtStream first = make_stream(), second = make_stream(), third = make_stream();
	void *h = make_host_memory(SIZE), *src = make_zeros(), *dst = make_zeros();

	copy_on(first, dst, h, UP);
	order(first, second);
	if (!bug)
		order(first, third);
	reduce_on(second, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	reduce_on(third, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	wait_for(first);
	wait_for(second);
	wait_for(third);
}

static void sum_read_early(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *out = make_host_memory(SIZE), *src = make_zeros(), *dst = make_zeros();

	reduce_on(first, dst, src, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM);
	if (!bug)
		order(first, second);
	copy_on(second, out, dst, DOWN);
	wait_for(first);
	wait_for(second);
}

/* The first one still reads what the second overwrites. */
static void overwritten_by_other_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	copy_on(first, d, h, UP);
	copy_on(first, out, d, DOWN);
	if (!bug)
		wait_for(first);
	copy_on(second, d, h, UP);
	wait_for(first);
	wait_for(second);
}

/* Columns of one matrix: the spans overlap in both variants, the rows only with the bug. */
static void columns_of_a_matrix(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	CALL(aclrtMemcpy2dAsync, .dst = d, .dpitch = 512, .src = h, .spitch = 512, .width = 256, .height = 8,
		.kind = UP, .stream = first);
	CALL(aclrtMemcpy2dAsync, .dst = d + (bug ? 192 : 256), .dpitch = 512, .src = h + 256, .spitch = 512,
		.width = 256, .height = 7, .kind = UP, .stream = second);
	wait_for(first);
	wait_for(second);
}

/* By way of a third one, whose wait comes before the record that the second waits for. */
static void order_through_a_third(void)
{
	aclrtStream first = make_stream(), second = make_stream(), third = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	copy_on(first, d, h, UP);
	if (!bug)
		order(first, third);
	order(third, second);
	copy_on(second, out, d, DOWN);
	wait_for(first);
	wait_for(second);
}

static void copied_while_set(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	set_on(first, d);
	if (!bug)
		order(first, second);
	each_copies(d, h, UP, second);
	wait_for(first);
	wait_for(second);
}

static void set_while_copied(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	copy_on(first, d, h, UP);
	if (!bug)
		order(first, second);
	each_sets(d, second);
	wait_for(first);
	wait_for(second);
}

/* --- calls that wait for no stream -------------------------------------------------------------- */

struct upload {
	aclrtStream s;
	void *h, *d;
};

/* The bug: it is still on its way. */
static struct upload upload(void)
{
	struct upload u = {.s = make_stream()};

	u.h = make_host_memory(SIZE);
	u.d = make_device_memory(SIZE);
	copy_on(u.s, u.d, u.h, UP);
	if (!bug)
		wait_for(u.s);
	return u;
}

static void read_before_it_is_there(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	copy_on(s, d, h, UP);
	if (!bug)
		wait_for(s);
	each_copies(out, d, DOWN, NULL);
	wait_for(s);
}

static void source_overwritten(void)
{
	struct upload u = upload();

	each_sets(u.d, NULL);
	wait_for(u.s);
}

static void variable_read(void)
{
	struct upload u = upload();

	CALL(aclrtMemcpyFromSymbol, .dst = u.h, .dstMax = SIZE, .symbol = HANDLE, .count = 4, .kind = DOWN);
	wait_for(u.s);
}

static void variable_written(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);

	set_on(s, d);
	copy_on(s, h, d, DOWN);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpyToSymbol, .symbol = HANDLE, .src = h, .count = 4, .kind = UP);
	wait_for(s);
}

/* Host memory is set at once, although the copy before it is on the same stream. */
static void host_set_at_once(void)
{
	struct upload u = upload();

	each_sets(u.h, u.s);
	wait_for(u.s);
}

/* --- released too early ------------------------------------------------------------------------------ */

static void freed_too_early(void)
{
	struct upload u = upload();

	CALL(aclrtFree, .devPtr = u.d);
	wait_for(u.s);
}

/* The stream in the middle waits for the first one only after what the last one waits for. */
static void recorded_before_its_wait(void)
{
	aclrtStream first = make_stream(), middle = make_stream(), last = make_stream();
	void *h = make_host_memory(SIZE), *out = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtEvent e = make_event();

	copy_on(first, d, h, UP);
	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = middle);
	order(first, middle);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = middle);
	CALL(aclrtStreamWaitEvent, .stream = last, .event = e);
	copy_on(last, out, d, DOWN);
	wait_for(first);
	wait_for(last);
}

/* The host waits for a stream that waits for the copy. */
static void freed_behind_a_wait(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	void *h = make_host_memory(SIZE), *d = make_device_memory(SIZE);
	aclrtEvent e = make_event();

	if (bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	copy_on(s, d, h, UP);
	if (!bug)
		CALL(aclrtRecordEvent, .event = e, .stream = s);
	CALL(aclrtStreamWaitEvent, .stream = t, .event = e);
	wait_for(t);
	CALL(aclrtFree, .devPtr = d);
	wait_for(s);
}

static void host_freed_too_early(void)
{
	struct upload u = upload();

	CALL(aclrtFreeHost, .hostPtr = u.h);
	wait_for(u.s);
}

/* The function waits for the device that is current, and the copy runs on the other one. */
static aclrtStream copy_on_device_one(void *h)
{
	aclrtStream s;
	void *d;

	CALL(aclrtSetDevice, .deviceId = 1);
	s = make_stream();
	d = make_device_memory(SIZE);
	copy_on(s, d, h, UP);
	if (!bug)
		wait_for(s);
	CALL(aclrtSetDevice, .deviceId = 0);
	return s;
}

static void host_free_waits_here(void)
{
	void *h = make_host_memory(SIZE);
	aclrtStream s = copy_on_device_one(h);

	CALL(aclrtFreeHostWithDevSync, .hostPtr = h);
	wait_for(s);
}

static void free_waits_here(void)
{
	aclrtStream s;
	void *d, *h = make_host_memory(SIZE);

	CALL(aclrtSetDevice, .deviceId = 1);
	s = make_stream();
	d = make_device_memory(SIZE);
	copy_on(s, d, h, UP);
	if (bug)
		CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtFreeWithDevSync, .devPtr = d);
	wait_for(s);
}

static void unregistered_too_early(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(SIZE), *mapped = NULL;

	CALL_DOES(aclrtHostRegister, 0, mapped = make_address(), .ptr = heap_memory, .size = SIZE,
		.type = ACL_HOST_REGISTER_MAPPED, .devPtr = &mapped);
	copy_on(s, d, heap_memory, UP);
	if (!bug)
		wait_for(s);
	CALL(aclrtHostUnregister, .ptr = heap_memory);
	wait_for(s);
}

static char *mapped_memory(void)
{
	char *range = reserved_range(MIB2);

	map_at(range);
	return range;
}

/* The copy begins in one mapping and ends in the next. */
static void second_mapping_unmapped_too_early(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE);
	char *range = two_mappings();

	copy_on(s, range + MIB2 - SIZE / 2, h, UP);
	if (!bug)
		wait_for(s);
	CALL(aclrtUnmapMem, .virPtr = range + MIB2);
	wait_for(s);
}

/* What is cached must stay there; that others write to it meanwhile harms no task. */
static void freed_while_cached(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *d = make_device_memory(SIZE);

	CALL(aclrtCmoAsync, .src = d, .size = SIZE, .cmoType = ACL_RT_CMO_TYPE_PREFETCH, .stream = s);
	set_on(other, d);
	wait_for(other);
	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = d);
	wait_for(s);
}

static void *managed_memory(void)
{
	void *p = NULL;

	CALL_DOES(aclrtMemAllocManaged, 0, p = make_range(MIB2, false), .ptr = &p, .size = MIB2,
		.flag = ACL_RT_MEM_ATTACH_GLOBAL);
	return p;
}

/* The device writes the overflow status there. */
static void freed_before_its_status(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(SIZE);

	CALL_EACH(0, ROLE(ADDRESS, d), ROLE(BYTES, 64), ROLE(STREAM, s));
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = d);
	wait_for(s);
}

static void copied_before_its_status(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	void *d = make_device_memory(SIZE), *h = make_host_memory(SIZE);

	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	CALL(aclrtGetOverflowStatus, .outputAddr = d, .outputSize = 64, .stream = s);
	if (!bug)
		order(s, other);
	copy_on(other, h, d, DOWN);
	wait_for(other);
	wait_for(s);
}

static void freed_while_prefetched(void)
{
	aclrtMemManagedLocation to = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};
	aclrtStream s = make_stream();
	void *p = managed_memory();

	CALL(aclrtMemManagedPrefetchAsync, .ptr = p, .size = MIB2, .location = to, .stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = p);
	wait_for(s);
}

static void freed_while_one_is_prefetched(void)
{
	static aclrtMemManagedLocation to = {.type = ACL_MEM_LOCATIONTYPE_DEVICE};
	static size_t sizes[] = {MIB2, MIB2}, first[] = {0};
	aclrtStream s = make_stream();
	const void *p[] = {managed_memory(), managed_memory()};

	CALL(aclrtMemManagedPrefetchBatchAsync, .ptrs = p, .sizes = sizes, .count = 2, .prefetchLocs = &to,
		.prefetchLocIdxs = first, .numPrefetchLocs = 1, .stream = s);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = (void *)p[1]);
	wait_for(s);
}

static void unmapped_too_early(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *d = mapped_memory();

	copy_on(s, d, h, UP);
	if (!bug)
		wait_for(s);
	CALL(aclrtUnmapMem, .virPtr = d);
	wait_for(s);
}

/* --- words in memory -------------------------------------------------------------------------------- */

static uint64_t *make_word(void)
{
	uint64_t *w = make_device_memory(64);

	CALL(aclrtMemset, .devPtr = w, .maxCount = 64, .count = 64);
	return w;
}

/* The host reads no word: one that is written shows it nothing. */
static void freed_behind_a_word(void)
{
	struct upload u = {.s = make_stream()};
	uint64_t *w = make_word();

	u.d = make_device_memory(SIZE);
	copy_on(u.s, u.d, make_host_memory(SIZE), UP);
	CALL(aclrtValueWrite, .devAddr = w, .value = 1, .stream = u.s);
	if (!bug)
		wait_for(u.s);
	CALL(aclrtFree, .devPtr = u.d);
	wait_for(u.s);
}

static void word_freed(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	uint64_t *w = make_word();

	CALL(aclrtValueWrite, .devAddr = w, .value = 1, .stream = s);
	CALL(aclrtValueWait, .devAddr = w, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ, .stream = t);
	if (!bug) {
		wait_for(s);
		wait_for(t);
	}
	CALL(aclrtFree, .devPtr = w);
	wait_for(s);
	wait_for(t);
}

/* Whatever the stream waits for, the copy is not done before. */
static void freed_behind_an_open_wait(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	void *d = make_device_memory(SIZE);
	uint64_t *w = make_word();

	CALL(aclrtValueWait, .devAddr = w, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ, .stream = s);
	copy_on(s, d, make_host_memory(SIZE), UP);
	CALL(aclrtValueWrite, .devAddr = w, .value = 1, .stream = t);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = d);
	wait_for(s);
	wait_for(t);
}

/* What is left of a stream whose task was wrong is explained by that, and hides nothing of another one. */
static void freed_beside_a_wrong_task(bool first)
{
	aclrtStream s = make_stream(), t = make_stream();
	void *d = make_device_memory(SIZE), *to = make_host_memory(SIZE), *too = make_host_memory(SIZE);

	pair_assume(make_address() != NULL, "a wrong task is accepted");
	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	copy_on(s, to, d, DOWN);
	copy_on(t, too, d, DOWN);
	if (bug)
		CALL(aclrtValueWrite, .devAddr = d, .value = 1, .flag = 1, .stream = first ? s : t);
	else
		CALL(aclrtSynchronizeDevice, );
	CALL(aclrtFree, .devPtr = d);
}

static void freed_beside_a_wrong_first_task(void)
{
	freed_beside_a_wrong_task(true);
}

static void freed_beside_a_wrong_last_task(void)
{
	freed_beside_a_wrong_task(false);
}

/* The first round waits for an event that has no record yet: it ends at once, and its stream is no less sure.
 */
static void overtaken_behind_an_empty_wait(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *d = make_device_memory(SIZE), *h = make_host_memory(SIZE);
	aclrtEvent e = make_event_ex(ACL_EVENT_SYNC);

	if (bug)
		CALL(aclrtStreamWaitEvent, .stream = first, .event = e);
	copy_on(first, d, h, UP);
	if (!bug)
		order(first, second);
	copy_on(second, make_host_memory(SIZE), d, DOWN);
	wait_for(first);
	wait_for(second);
}

/* Nor for an address, as far as is known before the stream is synchronised. */
static void overtaken_behind_a_slice(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *d = make_device_memory(2 * SIZE), *h = make_host_memory(2 * SIZE);

	copy_on(first, d, h + (bug ? 4 : 0), UP);
	if (!bug)
		order(first, second);
	copy_on(second, make_host_memory(SIZE), d, DOWN);
	wait_for(first);
	wait_for(second);
}

/* All from one line: the second copy only counts in the finding of the first one. */
static void overtaken_behind_slices(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *d = make_device_memory(2 * SIZE), *h = make_host_memory(4 * SIZE);

	for (size_t i = 0; i < 2; i++)
		copy_on(first, d + i * SIZE, h + 2 * i * SIZE + (bug ? 4 : 0), UP);
	if (!bug)
		order(first, second);
	copy_on(second, make_host_memory(SIZE), d, DOWN);
	wait_for(first);
	wait_for(second);
}

/* A race makes no task fail either: its stream can have another one. */
static void overtaken_and_overtaking(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *d = make_device_memory(SIZE), *e = make_device_memory(SIZE), *h = make_host_memory(SIZE);

	copy_on(first, d, h, UP);
	if (!bug)
		order(first, second);
	copy_on(second, e, d, INSIDE);
	if (!bug)
		order(second, first);
	CALL(aclrtMemsetAsync, .devPtr = e, .maxCount = SIZE, .count = SIZE, .stream = first);
	wait_for(first);
	wait_for(second);
}

static void word_not_waited_for(void)
{
	aclrtStream s = make_stream(), t = make_stream();
	void *d = make_device_memory(SIZE), *h = make_host_memory(SIZE);
	uint64_t *w = make_word();

	/* The word certainly held another value. */
	CALL(aclrtValueWrite, .devAddr = w, .value = 0, .stream = s);
	wait_for(s);
	copy_on(s, d, h, UP);
	CALL(aclrtValueWrite, .devAddr = w, .value = 1, .stream = s);
	if (!bug)
		CALL(aclrtValueWait, .devAddr = w, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ, .stream = t);
	copy_on(t, make_host_memory(SIZE), d, DOWN);
	wait_for(s);
	wait_for(t);
}

/* --- memory of pools
 * ------------------------------------------------------------------------------------------ */

static void *pool_memory(aclrtStream s)
{
	aclrtMemPoolProps props = {.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE},
		.maxSize = 8u << 20};
	aclrtMemPool pool = NULL;
	void *p = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	CALL_DOES(aclrtMemPoolMallocAsync, 0, p = make_range(MIB2, true), .ptr = &p, .size = MIB2,
		.memPool = pool, .stream = s);
	return p;
}

static void pool_memory_on_other_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *p = pool_memory(first);

	if (!bug)
		order(first, second);
	each_copies(p, h, UP, second);
	wait_for(second);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = first);
	wait_for(first);
}

static void pool_memory_freed_on_other_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *p = pool_memory(first);

	copy_on(first, p, h, UP);
	if (!bug)
		order(first, second);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = second);
	wait_for(first);
	wait_for(second);
}

static void pool_memory_at_once(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *p = pool_memory(s);

	if (!bug)
		wait_for(s);
	each_copies(p, h, UP, NULL);
	CALL(aclrtMemPoolFreeAsync, .ptr = p, .stream = s);
	wait_for(s);
}

static const struct pair pairs[] = {
	PAIR("stream-race-copy", recorded_before_its_wait),
	PAIR_EACH("stream-race-copy", result_of_other_stream, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", result_of_other_stream, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", result_of_other_stream, COPY_BATCH, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", sum_with_other_stream, REDUCE),
	PAIR_AVOIDS("stream-race-copy", maximum_beside_a_sum),
	PAIR_AVOIDS("stream-race-copy", sum_beside_both),
	PAIR("stream-race-copy", sum_beside_its_beginning),
	PAIR("stream-race-copy", sum_of_a_third),
	PAIR("stream-race-copy", sum_read_early),
	PAIR("stream-race-copy", overwritten_by_other_stream),
	PAIR_AVOIDS("stream-race-copy", columns_of_a_matrix),
	PAIR("stream-race-copy", order_through_a_third),
	PAIR_EACH("stream-race-set", copied_while_set, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-set", set_while_copied, SET_BYTES, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-set", set_while_copied, SET_WORDS, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("async-result-used-before-sync", read_before_it_is_there, COPY_LINEAR,
		.mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("async-result-used-before-sync", read_before_it_is_there, COPY_ROWS,
		.mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("async-result-used-before-sync", read_before_it_is_there, COPY_BATCH,
		.mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("async-result-used-before-sync", source_overwritten, SET_BYTES, .mode = PAIR_IF_NOT_ASYNC),
	PAIR_EACH("async-result-used-before-sync", source_overwritten, SET_WORDS, .mode = PAIR_IF_NOT_ASYNC),
	PAIR("async-result-used-before-sync", variable_read),
	PAIR("async-result-used-before-sync", variable_written),
	PAIR_EACH("memset-async-host-unordered", host_set_at_once, SET_BYTES, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("memset-async-host-unordered", host_set_at_once, SET_WORDS, .mode = PAIR_IF_ASYNC),
	PAIR("free-in-flight", freed_too_early),
	PAIR("free-in-flight", freed_behind_a_wait),
	PAIR_ALSO("free-in-flight", freed_beside_a_wrong_first_task, "value-op-args"),
	PAIR_ALSO("free-in-flight", freed_beside_a_wrong_last_task, "value-op-args"),
	PAIR("free-in-flight", freed_while_cached),
	PAIR_EACH("free-in-flight", freed_before_its_status, OVERFLOW_READ),
	PAIR("stream-race-copy", copied_before_its_status),
	PAIR("free-in-flight", freed_while_prefetched),
	PAIR("free-in-flight", freed_while_one_is_prefetched),
	PAIR("free-host-in-flight", host_freed_too_early),
	PAIR("free-devsync-other-device", host_free_waits_here),
	PAIR("free-devsync-other-device", free_waits_here),
	PAIR("host-unregister-in-flight", unregistered_too_early),
	PAIR("vmm-unmap-in-flight", unmapped_too_early),
	PAIR("vmm-unmap-in-flight", second_mapping_unmapped_too_early),
	PAIR("free-in-flight", freed_behind_a_word),
	PAIR("free-in-flight", word_freed),
	PAIR("free-in-flight", freed_behind_an_open_wait),
	PAIR("stream-race-copy", word_not_waited_for),
	PAIR_ALSO("stream-race-copy", overtaken_behind_an_empty_wait, "event-wait-before-record"),
	PAIR_ALSO("stream-race-copy", overtaken_behind_a_slice, "async-copy-alignment"),
	PAIR_ALSO("stream-race-copy", overtaken_behind_slices, "async-copy-alignment"),
	PAIR_ALSO("stream-race-set", overtaken_and_overtaking, "stream-race-copy"),
	PAIR_EACH("pool-cross-stream-unordered", pool_memory_on_other_stream, COPY_LINEAR,
		.mode = PAIR_IF_ASYNC),
	PAIR_EACH("pool-cross-stream-unordered", pool_memory_at_once, COPY_LINEAR, .mode = PAIR_IF_NOT_ASYNC),
	PAIR("pool-cross-stream-unordered", pool_memory_freed_on_other_stream),
};

PAIRS_MAIN("order of tasks", pairs)
