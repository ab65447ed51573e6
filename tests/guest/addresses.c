/* SPDX-License-Identifier: Apache-2.0 */
/* Where host addresses lie, which module holds code, and how stacks are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "interpose/runtime/host_address.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/call_stack.h"

static int data = 1, zero[4096];
static const char text[] = "constant";

static void test_own_memory(void **state)
{
	int local = 0;
	char *small = malloc(40), *large = malloc(8 << 20);

	(void)state;
	assert_int_equal(host_class_of(&local), ACL_HOST_STACK);
	assert_int_equal(host_class_of(&data), ACL_HOST_FILE);
	assert_int_equal(host_class_of(&zero[2000]), ACL_HOST_FILE);
	assert_int_equal(host_class_of(text), ACL_HOST_FILE);
	assert_int_equal(host_class_of((void *)(uintptr_t)strlen), ACL_HOST_FILE);
	assert_int_equal(host_class_of(small), ACL_HOST_HEAP);
	assert_int_equal(host_class_of(large), ACL_HOST_HEAP);
	assert_int_equal(host_class_of(large + 123456), ACL_HOST_HEAP);
	free(small);
	free(large);
	assert_int_equal(host_class_of(NULL), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of((void *)0x10), ACL_HOST_UNKNOWN);
}

/* What a runtime maps for itself looks like this: it must never be called heap. */
static void test_mapped_memory(void **state)
{
	size_t size = 1 << 20;
	char *anonymous = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *closed = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("pool", 0);
	char *pool;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	pool = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_int_equal(host_class_of(anonymous), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of(anonymous + 16), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of(anonymous + 5000), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of(shared + 16), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of(closed + 16), ACL_HOST_UNKNOWN);
	assert_int_equal(host_class_of(pool + 16), ACL_HOST_UNKNOWN);
	munmap(anonymous, size);
	munmap(shared, size);
	munmap(closed, size);
	munmap(pool, size);
	close(fd);
}

static void test_file_mapping(void **state)
{
	char path[] = "/tmp/addressesXXXXXX";
	int fd = mkstemp(path);
	char *p;

	(void)state;
	unlink(path);
	assert_int_equal(ftruncate(fd, 8192), 0);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_int_equal(host_class_of(p + 100), ACL_HOST_FILE);
	munmap(p, 8192);
	/* The same place given to another owner: the old answer must not stick for long. */
	assert_ptr_equal(
		mmap(p, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), p);
	usleep(150000);
	assert_int_equal(host_class_of(p + 100), ACL_HOST_UNKNOWN);
	munmap(p, 8192);
	close(fd);
}

#define MANY 20000 /* mappings, which take many milliseconds to read */
#define ASKED 1000

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A program that asks all the time keeps nearly all of its time. */
static void test_many_mappings(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *many = mmap(NULL, MANY * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double used, passed;

	(void)state;
	for (size_t i = 0; i < MANY; i += 2)
		assert_int_equal(mprotect(many + i * page, page, PROT_READ), 0);
	used = seconds_of(CLOCK_THREAD_CPUTIME_ID);
	passed = seconds_of(CLOCK_MONOTONIC);
	for (int i = 0; i < ASKED; i++) {
		host_class_of(many + (MANY - 1) * page);
		usleep(1000);
	}
	used = seconds_of(CLOCK_THREAD_CPUTIME_ID) - used;
	passed = seconds_of(CLOCK_MONOTONIC) - passed;
	if (used > passed / 10)
		print_message("# %.3f of %.3f s\n", used, passed);
	assert_true(used < passed / 10);
	munmap(many, MANY * page);
}

static struct {
	pthread_barrier_t ready, checked;
	int *local;
	char *block;
	int own, own_block;
} other;

static void *other_thread(void *unused)
{
	int local = 0;

	(void)unused;
	other.local = &local;
	other.block = malloc(64); /* from an arena of its own, as the main one is in use */
	other.own = host_class_of(&local);
	other.own_block = host_class_of(other.block);
	pthread_barrier_wait(&other.ready);
	pthread_barrier_wait(&other.checked);
	return NULL;
}

static void test_other_threads(void **state)
{
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&other.ready, NULL, 2);
	pthread_barrier_init(&other.checked, NULL, 2);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_barrier_wait(&other.ready);
	assert_int_equal(other.own, ACL_HOST_STACK);
	assert_int_equal(other.own_block, ACL_HOST_HEAP);
	assert_int_equal(host_class_of(other.local), ACL_HOST_STACK);
	pthread_barrier_wait(&other.checked);
	pthread_join(thread, NULL);
	/* Its stack is free now: the next mapping may be another owner's. The kernel lists the thread a
	 * moment longer. */
	for (int ms = 0; ms < 2000 && host_class_of(other.local) == ACL_HOST_STACK; ms++)
		usleep(1000);
	assert_int_not_equal(host_class_of(other.local), ACL_HOST_STACK);
	free(other.block);
}

static void test_modules(void **state)
{
	const struct acl_module *self = module_of((uintptr_t)test_modules),
				*libc = module_of((uintptr_t)strlen);
	void *handle;
	const struct acl_module *loaded;
	void *address;

	(void)state;
	assert_non_null(self);
	assert_non_null(libc);
	assert_non_null(strstr(self->path, "addresses"));
	assert_non_null(strstr(libc->path, "libc.so.6"));
	assert_int_not_equal(self->id, libc->id);
	assert_ptr_equal(module_by_id(libc->id), libc);
	assert_true(libc->build_id_len > 0);
	assert_null(module_of((uintptr_t)&self));
	assert_null(module_by_id(0));
	assert_null(module_by_id(100000));

	handle = dlopen("libcap-ng.so.0", RTLD_NOW);
	if (!handle)
		handle = dlopen("libz.so.1", RTLD_NOW);
	if (!handle)
		return;
	address = dlsym(handle, "zlibVersion");
	if (!address)
		address = dlsym(handle, "capng_clear");
	loaded = module_of((uintptr_t)address);
	assert_non_null(loaded);
	assert_true(loaded->id > libc->id);
	dlclose(handle);
}

static void *intern_many(void *ids)
{
	for (unsigned i = 0; i < 2000; i++)
		((uint32_t *)ids)[i] = stack_intern(&(uint64_t){0x1000 + i % 500 * 16}, 1);
	return NULL;
}

static void test_stacks(void **state)
{
	static uint32_t ids[4][2000];
	pthread_t threads[4];
	const uint64_t *ips;

	(void)state;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, intern_many, ids[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int t = 0; t < 4; t++) {
		for (unsigned i = 0; i < 2000; i++) {
			assert_int_not_equal(ids[t][i], 0);
			assert_int_equal(stack_frames(ids[t][i], &ips), 1);
			assert_int_equal(ips[0], 0x1000 + i % 500 * 16);
		}
	}
	assert_int_equal(stack_frames(0, &ips), 0);
}

static void test_unwinding(void **state)
{
	const uint64_t *ips;
	unsigned n;

	(void)state;
	n = stack_frames(stack_take(42), &ips);
	/* The program is the tool itself here, so its frames are dropped and the C library's remain. */
	assert_true(n >= 1);
	for (unsigned i = 0; i < n; i++)
		assert_false(module_is_self(ips[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_memory), cmocka_unit_test(test_mapped_memory),
		cmocka_unit_test(test_file_mapping), cmocka_unit_test(test_other_threads),
		cmocka_unit_test(test_modules), cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_unwinding),
		cmocka_unit_test(test_many_mappings), /* last: it uses up what readings may take at once */
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("addresses", tests, NULL, NULL);
}
