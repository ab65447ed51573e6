/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers that lead nowhere, in every function: what the checker reads of them it
 * reads without a fault, before the call and after one that failed.
 */
#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks/engine/program_memory.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define WILD_BYTES (64ul << 20)
#define PAGE 4096ul

/* How the arguments of a call are wild. */
struct wildness {
	const char *name;
	bool pages; /* pointers lead to pages that are there, and full of pointers that lead nowhere */
	uint64_t number; /* in all numbers */
	int64_t result;
};

static char *wild, *pages;

static void prepare(void)
{
	/* What lies far behind the pages is wild as well, wherever the kernel puts them. */
	pages = mmap(
		NULL, 4 * PAGE + WILD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	wild = pages + 4 * PAGE;
	assert_int_equal(mprotect(pages, 3 * PAGE, PROT_READ | PROT_WRITE), 0);
	for (size_t i = 0; i < 3 * PAGE / sizeof(void *); i++)
		((void **)pages)[i] = wild + WILD_BYTES / 2;
}

static bool points(const struct acl_param *p)
{
	return p->kind == ACL_KIND_POINTER || p->kind == ACL_KIND_STRING;
}

/* An object of each kind is alive, so that what is known of it is no reason to stop. */
static void *known(unsigned kind)
{
	return handle(1000 + kind);
}

static void make_objects(struct checks *c)
{
	for (unsigned kind = 0; kind < ACL_HANDLE_COUNT; kind++)
		if (c->kinds[kind])
			object_create(c, NULL, kind, known(kind), 0);
}

static void fill(void *args, unsigned api, const struct wildness *how)
{
	const struct acl_api_info *info = &acl_apis[api];

	memset(args, 0, info->args_size);
	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		char *at = (char *)args + p->offset;
		void *pointer = how->pages ? pages : wild + WILD_BYTES / 2;

		if (p->kind == ACL_KIND_HANDLE)
			memcpy(at, &(void *){known(p->handle)}, sizeof(void *));
		else if (points(p))
			memcpy(at, &pointer, sizeof(pointer));
		else if (p->kind == ACL_KIND_STRUCT)
			memcpy(at, pages, p->size);
		else if (p->kind == ACL_KIND_INT || p->kind == ACL_KIND_UINT)
			memcpy(at, &how->number, p->size);
	}
}

/* Where each call begins. */
static struct fixture *with_objects(void)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	fixture->other_ways = 0;
	fixture->wild = (uintptr_t)wild;
	fixture->wild_bytes = WILD_BYTES;
	fixture->page_end = (uintptr_t)pages + 3 * PAGE;
	make_objects(fixture->checks);
	fixture_keep(fixture);
	return fixture;
}

static void call_wild(struct fixture *fixture, unsigned api, const struct wildness *how)
{
	struct acl_call_record call;
	_Alignas(16) char args[512];

	fixture_again(fixture);
	assert_true(acl_apis[api].args_size <= sizeof(args));
	fill(args, api, how);
	/* Twice: the second call finds what the first one left. */
	for (unsigned i = 0; i < 2; i++) {
		fixture->n_found = fixture->n_seen = 0;
		fixture_enter(fixture, &call, api, args, 1);
		fixture_leave(fixture, &call, how->result);
	}
}

static const struct wildness ways[] = {
	{"all wild, one, failed", false, 1, 107000},
	{"all wild, many, failed", false, UINT64_C(1) << 40, 107000},
	{"pages of wild pointers, three, failed", true, 3, 107000},
	{"pages of wild pointers, many, failed", true, UINT64_C(1) << 40, 107000},
	{"pages of wild pointers, three, succeeded", true, 3, 0},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

/* In a child: which function faults is the answer. */
static bool survives(struct fixture *fixture, unsigned api, unsigned first, unsigned end)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		alarm(60);
		for (unsigned i = first; i < end; i++)
			call_wild(fixture, api, &ways[i]);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

static void every_function(void **state)
{
	struct fixture *fixture;
	unsigned faults = 0;

	(void)state;
	prepare();
	fixture = with_objects();
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (survives(fixture, api, 0, WAYS))
			continue;
		for (unsigned i = 0; i < WAYS; i++)
			if (!survives(fixture, api, i, i + 1))
				print_message("# %s, %s\n", acl_apis[api].name, ways[i].name);
		faults++;
	}
	fixture_free(fixture);
	assert_int_equal(faults, 0);
}

/* Where rules read only of what they have seen before. */
static void known_objects(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 1 << 16), *h, *nowhere;
	void *dsts[2], *srcs[2];
	size_t sizes[2] = {64, 64}, failed;
	uint32_t n = 3;

	(void)state;
	prepare();
	fixture->wild = (uintptr_t)wild;
	fixture->wild_bytes = WILD_BYTES;
	nowhere = wild + WILD_BYTES / 2;
	make_objects(fixture->checks);
	CALL(fixture, aclmdlRIGetStreams, 0, .modelRI = known(ACL_HANDLE_MODEL), .numStreams = &n);
	CALL(fixture, aclmdlRIGetStreams, 107000, .modelRI = known(ACL_HANDLE_MODEL), .streams = nowhere,
		.numStreams = nowhere);
	h = fixture_malloc_host(fixture, HOST_MEMORY, 1 << 16);
	for (unsigned i = 0; i < 2; i++) {
		dsts[i] = (char *)d + i * 4096;
		srcs[i] = (char *)h + i * 4096;
	}
	CALL(fixture, aclrtMemcpyBatch, 107000, .dsts = dsts, .destMaxs = sizes, .srcs = srcs, .sizes = sizes,
		.numBatches = 2, .attrs = nowhere, .attrsIndexes = nowhere, .numAttrs = 2,
		.failIndex = &failed);
	/* The same arrays, right before a page that is not there. */
	fixture->page_end = (uintptr_t)pages + 3 * PAGE;
	memcpy((char *)fixture->page_end - sizeof(sizes), sizes, sizeof(sizes));
	CALL(fixture, aclrtMemcpyBatch, 107000, .dsts = (void **)(fixture->page_end - sizeof(dsts)),
		.destMaxs = (size_t *)(fixture->page_end - sizeof(sizes)),
		.srcs = (void **)(fixture->page_end - sizeof(srcs)),
		.sizes = (size_t *)(fixture->page_end - sizeof(sizes)), .numBatches = UINT64_C(1) << 40,
		.attrs = nowhere, .attrsIndexes = nowhere, .numAttrs = 2, .failIndex = nowhere);
}

/* --- the readers --------------------------------------------------------------------------- */

static struct fixture *with_edge(void)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);

	prepare();
	fixture->wild = (uintptr_t)pages + 3 * PAGE;
	fixture->wild_bytes = PAGE;
	return fixture;
}

static void texts(void **state)
{
	struct fixture *fixture = with_edge();
	struct checks *c = fixture->checks;
	char *end = pages + 3 * PAGE, text[8];

	(void)state;
	memcpy(end - 4, "abc", 4);
	assert_true(program_text(c, end - 4, text, sizeof(text)));
	assert_string_equal(text, "abc");
	assert_true(program_text(c, end - 4, text, 3));
	assert_string_equal(text, "ab");
	end[-1] = 'd';
	assert_false(program_text(c, end - 4, text, sizeof(text)));
	assert_true(program_text(c, end - 4, text, 4));
	assert_string_equal(text, "abc");
	assert_false(program_text(c, NULL, text, sizeof(text)));
	assert_false(program_text(c, end, text, sizeof(text)));
	assert_int_equal(program_text_key(c, end), 0);
	memcpy(end - PAGE - 2, "abcd", 5); /* across two pages that are there */
	assert_true(program_text(c, end - PAGE - 2, text, sizeof(text)));
	assert_string_equal(text, "abcd");
	assert_true(program_text_key(c, end - PAGE - 2) == program_text_key(c, end - PAGE - 2));
	assert_true(program_text_key(c, end - PAGE - 2) != program_text_key(c, end - PAGE - 1));
}

static void arrays(void **state)
{
	struct fixture *fixture = with_edge();
	struct checks *c = fixture->checks;
	uint64_t *words = (uint64_t *)(pages + 3 * PAGE) - 100;
	struct program_array a;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		words[i] = i + 1;
	program_array_open(&a, c, words, sizeof(*words), UINT64_C(1) << 40);
	assert_int_equal(a.count, PROGRAM_ELEMENTS);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(program_array_word(&a, i), i + 1);
	assert_null(program_array_at(&a, 100)); /* beyond the last page */
	assert_null(program_array_at(&a, PROGRAM_ELEMENTS));
	assert_int_equal(program_array_word(&a, 3), 4); /* back again */
	program_array_open(&a, c, words, sizeof(*words), 5);
	assert_int_equal(program_array_word(&a, 4), 5);
	assert_null(program_array_at(&a, 5));
	program_array_open(&a, c, NULL, sizeof(*words), 5);
	assert_null(program_array_at(&a, 0));
}

/* The number of the barriers can be read, they themselves cannot. */
static void half_a_list(void **state)
{
	const struct checks_config config = {.target = DOCUMENTS, .soc = "Ascend310B1"};
	struct fixture *fixture = fixture_with(&config);
	aclrtBarrierTaskInfo *info;

	(void)state;
	prepare();
	fixture->page_end = (uintptr_t)pages + 3 * PAGE;
	info = (void *)(fixture->page_end - 8);
	info->barrierNum = 1;
	CALL(fixture, aclrtCmoWaitBarrier, 0, .taskInfo = info);
	never(fixture, "cmo-barrier-id");
	info = (void *)pages;
	*info = (aclrtBarrierTaskInfo){.barrierNum = 1};
	CALL(fixture, aclrtCmoWaitBarrier, 0, .taskInfo = info);
	assert_string_equal(fixture->found[fixture->n_found - 1].rule->id, "cmo-barrier-id");
}

/* Without a host that reads nothing is read. */
static void nobody_reads(void **state)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint64_t word = 1, copy;

	(void)state;
	assert_true(program_read(fixture->checks, &word, &copy, sizeof(word)));
	fixture->checks->host.read = NULL;
	assert_false(program_read(fixture->checks, &word, &copy, sizeof(word)));
	assert_null(program_pointer(fixture->checks, &word));
}

/* A text is read page by page, and as much of it as there is room for. */
static void texts_across_pages(void **state)
{
	struct fixture *fixture = fixture_new(DOCUMENTS);

	(void)state;
	for (unsigned before = 1; before < 24; before++)
		for (unsigned room = 1; room < 40; room++) {
			char *text = pages + PAGE - before, got[64];
			size_t length = room - 1 < 30 ? room - 1 : 30;

			memset(got, '#', sizeof(got));
			memset(text, 'x', 30);
			text[30] = 0;
			assert_true(program_text(fixture->checks, text, got, room));
			assert_int_equal(strspn(got, "x"), length);
			assert_int_equal(got[length], 0);
			for (unsigned i = room; i < sizeof(got); i++)
				assert_int_equal(got[i], '#');
		}
	fixture_free(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(texts_across_pages),
		cmocka_unit_test(arrays),
		cmocka_unit_test(half_a_list),
		cmocka_unit_test(nobody_reads),
		cmocka_unit_test(known_objects),
		cmocka_unit_test(every_function),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
