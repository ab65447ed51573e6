/* SPDX-License-Identifier: Apache-2.0 */
/* Words of Python frames; copies of many pieces in one system call. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "interpose/common/kernel_copy.h"
#include "interpose/symbolize/memory_windows.h"
#include "interpose/symbolize/python_place.h"

static void words_are_of_their_place(void **state)
{
	uint64_t a = python_place_word("f", "a.py", 1), b = python_place_word("f", "a.py", 2);
	char name[] = "f";

	(void)state;
	assert_true(is_python_frame(a));
	assert_false(is_python_frame((uintptr_t)&a));
	assert_true(a != b);
	assert_true(a != python_place_word("g", "a.py", 1) && a != python_place_word("f", "b.py", 1));
	assert_true(a == python_place_word(name, "a.py", 1));
	name[0] = 'x';
	assert_string_equal(python_place_of(a)->function, "f");
	assert_string_equal(python_place_of(b)->file, "a.py");
	assert_int_equal(python_place_of(b)->line, 2);
}

static void library_is_what_the_interpreter_brings(void **state)
{
	static const char *const library[] = {"/usr/lib/python3.11/threading.py", "<frozen runpy>",
		"<frozen importlib._bootstrap>", "/opt/lib64/python3.13t/asyncio/events.py"};
	static const char *const program[] = {"/usr/lib/python3/dist-packages/x.py",
		"/usr/lib/python3.11/site-packages/torch/nn.py", "<frozen __main__>", "<string>",
		"python3.py", "/home/u/python3.x/a.py", "<frozen iot>"};

	(void)state;
	for (unsigned i = 0; i < sizeof(library) / sizeof(*library); i++)
		assert_true(python_place_of(python_place_word("f", library[i], 1))->library);
	for (unsigned i = 0; i < sizeof(program) / sizeof(*program); i++)
		assert_false(python_place_of(python_place_word("f", program[i], 1))->library);
}

#define THREADS 4
#define PLACES 20000

static void *make_words(void *words)
{
	char name[32];

	for (int i = 0; i < PLACES; i++) {
		snprintf(name, sizeof(name), "f%d", i % 5000);
		((uint64_t *)words)[i] = python_place_word(name, "threads.py", i / 5000);
	}
	return NULL;
}

static void threads_get_the_same_words(void **state)
{
	static uint64_t words[THREADS][PLACES];
	pthread_t thread[THREADS];

	(void)state;
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, make_words, words[i]), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned i = 1; i < THREADS; i++)
		assert_memory_equal(words[0], words[i], sizeof(words[0]));
	for (unsigned i = 1; i < PLACES; i++)
		assert_true(words[0][i] != words[0][i - 1]);
}

/* More of them than one system call takes, and some that are not there. */
static void pieces_are_copied_but_for_missing_ones(void **state)
{
	static const char text[] = "0123456789";
	static struct kernel_copy_part parts[600];
	static char to[600][4];
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(page != MAP_FAILED);
	munmap(page + 4096, 4096);
	memset(to, 0, sizeof(to));
	for (unsigned i = 0; i < 600; i++) {
		uint64_t from = (uintptr_t)text + i % 7;

		if (i % 10 == 3)
			from = (uintptr_t)page + 4094; /* half of it */
		if (i == 0 || i == 32 || i == 599)
			from = 16;
		parts[i] = (struct kernel_copy_part){to[i], from, 4, i % 2};
	}
	kernel_copy_parts(parts, 600);
	for (unsigned i = 0; i < 600; i++) {
		bool missing = i % 10 == 3 || i == 0 || i == 32 || i == 599;

		assert_int_equal(parts[i].good, !missing);
		if (!missing)
			assert_memory_equal(to[i], text + i % 7, 4);
	}
	munmap(page, 4096);
}

static void windows_of_one_page_are_one_copy(void **state)
{
	static uint8_t bytes[WINDOW_BYTES];
	static struct memory_windows w = {.room = sizeof(bytes), .bytes = bytes};
	uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uintptr_t)pages;

	(void)state;
	assert_true(pages != MAP_FAILED);
	for (unsigned i = 0; i < 3 * 4096; i++)
		pages[i] = (uint8_t)(i * 7 + i / 256);
	munmap(pages + 2 * 4096, 4096);
	windows_clear(&w);
	assert_true(windows_want(&w, at + 1000, 16));
	assert_true(windows_want(&w, at + 64, 8));
	assert_true(windows_want(&w, at + 4090, 20)); /* goes on in the next page */
	assert_true(windows_want(&w, at + 2000, 1));
	assert_true(windows_want(&w, at + 4096 + 50, 8));
	assert_true(windows_want(
		&w, at + 8190, 4)); /* half of it is not there: with it all that begins on its page */
	assert_true(windows_have(&w, at + 64, 4046));
	assert_false(windows_have(&w, at + 63, 1));
	assert_int_equal(w.n, 2);
	windows_read(&w);
	assert_memory_equal(windows_find(&w, at + 1000, 16), pages + 1000, 16);
	assert_memory_equal(windows_find(&w, at + 64, 8), pages + 64, 8);
	assert_memory_equal(windows_find(&w, at + 4090, 20), pages + 4090, 20);
	assert_null(windows_find(&w, at + 4090, 21));
	assert_null(windows_find(&w, at + 4096 + 50, 8));
	assert_null(windows_find(&w, at + 8190, 4));
	munmap(pages, 2 * 4096);
}

static void windows_end_where_there_is_no_room(void **state)
{
	static uint8_t bytes[WINDOW_BYTES];
	static struct memory_windows w = {.room = sizeof(bytes), .bytes = bytes};
	static uint8_t memory[(WINDOWS_MAX + 2) * 4096];
	uint64_t at = ((uintptr_t)memory + 4095) & ~UINT64_C(4095);
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(memory); i++)
		memory[i] = (uint8_t)(i / 4096 + i);
	windows_clear(&w);
	while (n < WINDOWS_MAX + 1 && windows_want(&w, at + 4096 * (uint64_t)n + n, 8))
		n++;
	assert_int_equal(n, WINDOWS_MAX);
	windows_read(&w);
	for (unsigned i = 0; i < n; i++)
		assert_memory_equal(windows_find(&w, at + 4096 * (uint64_t)i + i, 8),
			(void *)(uintptr_t)(at + 4096 * (uint64_t)i + i), 8);
	windows_clear(&w);
	for (n = 0; n < WINDOWS_MAX && windows_want(&w, at + 4096 * (uint64_t)n, 4096);)
		n++;
	assert_in_range(n, WINDOW_BYTES / 4096 - 2, WINDOW_BYTES / 4096);
	windows_read(&w);
	assert_memory_equal(windows_find(&w, at + 4096 * (uint64_t)(n - 1), 4096),
		(void *)(uintptr_t)(at + 4096 * (uint64_t)(n - 1)), 4096);
	assert_false(windows_want(&w, UINT64_MAX - 3, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_of_their_place),
		cmocka_unit_test(library_is_what_the_interpreter_brings),
		cmocka_unit_test(threads_get_the_same_words),
		cmocka_unit_test(pieces_are_copied_but_for_missing_ones),
		cmocka_unit_test(windows_of_one_page_are_one_copy),
		cmocka_unit_test(windows_end_where_there_is_no_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
