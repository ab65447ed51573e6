/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives the trace provider through its seam, as libaclcheck.so does, without
 * a runtime or checks: what reaches the trace is then the provider's doing
 * alone, and what it costs as well.
 *
 *	drive PROVIDER copies N [THREADS]	N asynchronous copies a thread
 *	drive PROVIDER records N		N records of an event
 *	drive PROVIDER each [N]			every function once, or the first N, with zeroed arguments
 *	drive PROVIDER sample			one of everything a reader should see
 *	drive PROVIDER holes			calls of which an event is not there, 50 ms apart
 *	drive PROVIDER hang MS			a call that does not return until it is killed after MS
 *	drive PROVIDER fork			two copies in the parent, three in the child
 *	drive PROVIDER twice			a copy, another after a line on stdin
 *	drive PROVIDER refused			offers what an older core would
 *	drive PROVIDER open N			loads it and waits N seconds
 *	drive --names				names of all functions
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "interpose/common/kernel_copy.h"
#include "interpose/report/trace_provider.h"

static const struct acl_trace_provider *provider;

/* --- the core's side of the seam ----------------------------------------- */

static const uint64_t frames[] = {0x401010, 0x401020, 0x401030};
static const struct acl_module program = {.id = 1,
	.start = 0x400000,
	.end = 0x500000,
	.base = 0x400000,
	.path = "/opt/sample/app",
	.build_id = {0xab, 0xcd, 0xef},
	.build_id_len = 3};

static unsigned sample_frames(uint32_t id, const uint64_t **ips)
{
	*ips = frames;
	return id == 7 ? 3 : 0;
}

static const struct acl_module *sample_module_of(uint64_t address)
{
	return address >= program.start && address < program.end ? &program : NULL;
}

static const struct acl_module *sample_module(uint32_t id)
{
	return id == program.id ? &program : NULL;
}

static void follow(unsigned api, bool traced)
{
	(void)api;
	(void)traced;
}

static const uint32_t closed;

static bool sample_minimal(void)
{
	const char *fields = getenv("ACLCHECK_TRACE_FIELDS");

	return fields && !strcmp(fields, "minimal");
}

static bool never(void)
{
	return false;
}

static const char *sample_processes(void)
{
	const char *directory = getenv("ACLCHECK_TRACE_PROCESSES");

	return directory ? directory : "";
}

static int sample_rank(void)
{
	return -1;
}

static const struct acl_trace_host host = {.abi = ACL_TRACE_ABI,
	.size = sizeof(host),
	.version = "0.1.0",
	.n_apis = ACL_API_COUNT,
	.minimal = sample_minimal,
	.stack_frames = sample_frames,
	.module_of = sample_module_of,
	.module_by_id = sample_module,
	.modules_closed = &closed,
	.read = kernel_copy,
	.follow = follow,
	.rank = sample_rank,
	.forked = never,
	.processes = sample_processes};

static bool load(const char *path, const struct acl_trace_host *host)
{
	struct timespec a, b;
	const char *why = "";
	void *so;
	acl_trace_provider_fn get;

	clock_gettime(CLOCK_MONOTONIC, &a);
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		fprintf(stderr, "drive: %s\n", dlerror());
		return false;
	}
	get = (acl_trace_provider_fn)dlsym(so, ACL_TRACE_SYMBOL);
	provider = get ? get(host, &why) : NULL;
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (!provider)
		fprintf(stderr, "drive: refused: %s\n", why);
	if (getenv("DRIVE_LOAD_TIME"))
		fprintf(stderr, "load_us %ld\n",
			(b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000);
	return provider != NULL;
}

/* --- calls -------------------------------------------------------------- */

static void begin_call(struct acl_call_record *ev, unsigned api, const void *args)
{
	static _Thread_local uint32_t calls;

	acl_call_record_init(ev, api, args, 0x401234);
	ev->number = ++calls;
}

static void call(unsigned api, const void *args, int64_t result, uint32_t stack)
{
	struct acl_call_record ev;

	begin_call(&ev, api, args);
	if (!trace_is_switched_on(provider, api))
		return;
	ev.pthread_id = (uint64_t)pthread_self();
	ev.module = 1;
	ev.stack = stack;
	provider->enter(&ev);
	ev.result.i = result;
	ev.n_after = 1;
	ev.after[0] = acl_mark(4711, 3, true);
	provider->leave(&ev);
}

static void copies(unsigned long n)
{
	struct acl_args_aclrtMemcpyAsync a = {.dst = (void *)0x12c0c0013000,
		.destMax = 4096,
		.src = &a,
		.count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE,
		.stream = (void *)0x5555};

	for (unsigned long i = 0; i < n; i++)
		call(ACL_API_aclrtMemcpyAsync, &a, 0, 0);
}

static void *copier(void *n)
{
	copies((unsigned long)n);
	return NULL;
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int drive_copies(unsigned long n, unsigned threads)
{
	pthread_t ids[64];
	double cpu = cpu_seconds();

	for (unsigned i = 1; i < threads && i < 64; i++)
		pthread_create(&ids[i], NULL, copier, (void *)n);
	copies(n);
	for (unsigned i = 1; i < threads && i < 64; i++)
		pthread_join(ids[i], NULL);
	printf("calls %lu ns_per_call %.1f\n", n * threads,
		(cpu_seconds() - cpu) * 1e9 / (double)(n * threads));
	return 0;
}

static int drive_records(unsigned long n)
{
	struct acl_args_aclrtRecordEvent a = {.event = (void *)0x4444, .stream = (void *)0x5555};
	struct acl_call_record ev;

	for (unsigned long i = 0; i < n; i++) {
		begin_call(&ev, ACL_API_aclrtRecordEvent, &a);
		provider->enter(&ev);
		provider->leave(&ev);
	}
	return 0;
}

static int drive_each(unsigned n)
{
	/* Large enough for any argument struct, and zero: NULL pointers everywhere. */
	static const uint64_t zeros[64];

	for (unsigned i = 0; i < n; i++)
		call(i, zeros, 0, 0);
	printf("calls %u\n", n);
	return 0;
}

/* --- one of everything --------------------------------------------------- */

static void sample_finding(const struct acl_call_record *ev)
{
	static const struct acl_rule rule = {.id = "sample-rule", .severity = ACL_SEV_ERROR};
	struct acl_finding f = {.rule = &rule,
		.title = "a title",
		.severity = ACL_SEV_ERROR,
		.serial = 3,
		.repeat = 10,
		.event = ev,
		.stack = 7,
		.detail = "the detail",
		.n_values = 2,
		.n_objects = 1};

	f.values[0] = (struct acl_value){.name = "count", .form = ACL_VALUE_BYTES, .u = 4097};
	f.values[1] = (struct acl_value){.name = "who", .form = ACL_VALUE_TEXT, .s = "text value"};
	f.objects[0] = (struct acl_object_history){.role = "stream",
		.kind = "stream",
		.value = 0x5555,
		.serial = 2,
		.device = 1,
		.created = {.stack = 7, .tid = 42, .caller = 0x401010, .api = ACL_API_aclrtCreateStream}};
	provider->finding(&f, FINDING_SUPPRESSED);
}

static int drive_sample(void)
{
	static const char text[] = "config.json";
	int32_t device = 0;
	void *block = (void *)0x12c0c0013000;
	size_t free_bytes = 111, total = 222;
	aclrtStream stream = (void *)0x5555;
	struct acl_args_aclInit init = {.configPath = text};
	struct acl_args_aclInit no_config = {.configPath = NULL};
	struct acl_args_aclInit bad_config = {.configPath = (const char *)0x10};
	struct acl_args_aclrtSetDevice set = {.deviceId = 1};
	struct acl_args_aclrtGetDevice get = {.deviceId = &device};
	struct acl_args_aclrtMalloc alloc = {
		.devPtr = &block, .size = 4096, .policy = ACL_MEM_MALLOC_HUGE_FIRST};
	struct acl_args_aclrtGetMemInfo info = {.attr = ACL_HBM_MEM, .free = &free_bytes, .total = &total};
	struct acl_args_aclrtCreateStream create = {.stream = &stream};
	struct acl_args_aclrtDestroyStream destroy = {.stream = (void *)0x5555};
	struct acl_call_record ev;

	provider->describe("target_cann", "documents");
	call(ACL_API_aclInit, &init, 0, 7);
	call(ACL_API_aclInit, &no_config, 100002, 0);
	call(ACL_API_aclInit, &bad_config, 100003, 0);
	call(ACL_API_aclrtSetDevice, &set, 0, 0);
	device = 5;
	call(ACL_API_aclrtGetDevice, &get, 0, 0);
	call(ACL_API_aclrtMalloc, &alloc, 0, 7);
	call(ACL_API_aclrtGetMemInfo, &info, 0, 0);
	call(ACL_API_aclrtGetMemInfo, &info, 107002, 0);
	call(ACL_API_aclrtCreateStream, &create, 0, 7);
	copies(2);
	begin_call(&ev, ACL_API_aclrtDestroyStream, &destroy);
	provider->enter(&ev);
	sample_finding(&ev);
	provider->callback(&ev, 0, 1, true);
	provider->callback(&ev, 0, 1, false);
	provider->leave(&ev);
	/* The last call never comes back. */
	begin_call(&ev, ACL_API_aclrtDestroyStream, &destroy);
	provider->enter(&ev);
	provider->describe("verdict", "fail");
	return 0;
}

/* --- as if events had been lost ------------------------------------------- */

enum { ENTRY = 1, EXIT = 2 };

static void events_of(struct acl_call_record *ev, unsigned which)
{
	if (which & ENTRY)
		provider->enter(ev);
	if (which & EXIT)
		provider->leave(ev);
	usleep(50000);
}

static int drive_holes(void)
{
	static const unsigned seen[] = {ENTRY, ENTRY | EXIT, EXIT};
	struct acl_args_aclrtSynchronizeStream args = {.stream = (void *)0x5555};
	struct acl_call_record ev, inner;

	for (unsigned i = 0; i < sizeof(seen) / sizeof(*seen); i++) {
		begin_call(&ev, ACL_API_aclrtSynchronizeStream, &args);
		events_of(&ev, seen[i]);
	}
	begin_call(&ev, ACL_API_aclrtSynchronizeStream, &args);
	begin_call(&inner, ACL_API_aclrtSynchronizeStream, &args);
	inner.callback_depth = 1;
	provider->enter(&ev);
	provider->enter(&inner);
	events_of(&ev, EXIT);
	begin_call(&ev, ACL_API_aclrtSynchronizeStream, &args);
	provider->enter(&ev);
	provider->describe("verdict", "pass");
	return 0;
}

static int drive_hang(unsigned ms)
{
	struct acl_args_aclrtSynchronizeStream args = {.stream = (void *)0x5555};
	struct acl_call_record ev;

	begin_call(&ev, ACL_API_aclrtSynchronizeStream, &args);
	provider->enter(&ev);
	usleep(ms * 1000);
	return raise(SIGKILL);
}

static int drive_twice(void)
{
	int c;

	provider->describe("target_cann", "documents");
	copies(1);
	puts("copied");
	fflush(stdout);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
	copies(1);
	return 0;
}

static int drive_refused(const char *path)
{
	struct acl_trace_host older = host;

	older.abi--;
	return load(path, &older);
}

static int print_names(void)
{
	for (unsigned i = 0; i < acl_api_count; i++)
		puts(acl_apis[i].name);
	return 0;
}

static int drive_fork(void)
{
	pid_t child;
	int status;

	copies(2);
	provider->before_fork();
	child = fork();
	if (!child) {
		provider->after_fork_child();
		copies(3);
		_exit(0);
	}
	provider->after_fork_parent();
	waitpid(child, &status, 0);
	printf("parent %d child %d\n", (int)getpid(), (int)child);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";

	if (argc > 1 && !strcmp(argv[1], "--names"))
		return print_names();
	if (!strcmp(what, "refused"))
		return drive_refused(argv[1]);
	if (!*what || !load(argv[1], &host))
		return 2;
	if (!strcmp(what, "copies") && argc > 3)
		return drive_copies(
			strtoul(argv[3], NULL, 0), argc > 4 ? (unsigned)strtoul(argv[4], NULL, 0) : 1);
	if (!strcmp(what, "each"))
		return drive_each(argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : acl_api_count);
	if (!strcmp(what, "records") && argc > 3)
		return drive_records(strtoul(argv[3], NULL, 0));
	if (!strcmp(what, "sample"))
		return drive_sample();
	if (!strcmp(what, "holes"))
		return drive_holes();
	if (!strcmp(what, "hang") && argc > 3)
		return drive_hang((unsigned)strtoul(argv[3], NULL, 0));
	if (!strcmp(what, "fork"))
		return drive_fork();
	if (!strcmp(what, "twice"))
		return drive_twice();
	if (!strcmp(what, "open") && argc > 3) {
		sleep((unsigned)strtoul(argv[3], NULL, 0));
		return 0;
	}
	return 2;
}
