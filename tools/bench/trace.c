/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recording costs, in one process with interleaved repetitions; in brackets what a session must record.
 *
 *	trace events PROVIDER CALLS
 *		a pair by hand, one of the provider, one event a call
 *		(acl:aclrtMemcpyAsync_*, acl_call:aclrtMemcpyAsyncWithCondition, bench_hand:*)
 *	trace alone DIRECTORY CALLS
 *		record and copy: the briefest pair by hand, the library that only records
 *		(acl:*, bench_hand:*)
 *	trace idle DIRECTORY CALLS
 *		checks without the provider and with it, no session
 *	trace mix DIRECTORY CALLS
 *		a pair by hand, and what clients do, bare and with all checks, on one device and
 *		on eight (bench_hand:*)
 *	trace load PROVIDER
 *		microseconds until the provider can be used, and of the first call of a function
 *	trace calls CALLS
 *		that many calls of the linked runtime, for peers
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tools/bench/hand_events.h"

#include "bench.h"
#include "interpose/common/kernel_copy.h"
#include "interpose/report/trace_provider.h"

static const struct acl_trace_provider *provider;

static unsigned no_frames(uint32_t id, const uint64_t **ips)
{
	(void)id;
	(void)ips;
	return 0;
}

static const struct acl_module *no_module(uint32_t id)
{
	(void)id;
	return NULL;
}

static const struct acl_module *no_module_of(uint64_t address)
{
	(void)address;
	return NULL;
}

static const uint32_t closed;

static bool no_minimum(void)
{
	return false;
}

static bool never(void)
{
	return false;
}

static int no_rank(void)
{
	return -1;
}

static const struct acl_trace_host host = {.abi = ACL_TRACE_ABI,
	.size = sizeof(host),
	.version = "bench",
	.n_apis = ACL_API_COUNT,
	.minimal = no_minimum,
	.stack_frames = no_frames,
	.module_of = no_module_of,
	.module_by_id = no_module,
	.modules_closed = &closed,
	.read = kernel_copy,
	.rank = no_rank,
	.forked = never};

static bool load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	acl_trace_provider_fn get;
	const char *why = "";

	if (!library) {
		fprintf(stderr, "trace: %s\n", dlerror());
		return false;
	}
	get = (acl_trace_provider_fn)dlsym(library, ACL_TRACE_SYMBOL);
	provider = get ? get(&host, &why) : NULL;
	if (!provider)
		fprintf(stderr, "trace: %s\n", why);
	return provider != NULL;
}

/* --- events --------------------------------------------------------------- */

static struct acl_args_aclrtMemcpyAsync copy = {(void *)0x12c0c0013000, 4096, (void *)0x12c0c0014000, 4096,
	ACL_MEMCPY_HOST_TO_DEVICE, (void *)0x5555};
/* The same parameters: so both kinds of events can be on in one session. */
static struct acl_args_aclrtMemcpyAsyncWithCondition other = {(void *)0x12c0c0013000, 4096,
	(void *)0x12c0c0014000, 4096, ACL_MEMCPY_HOST_TO_DEVICE, (void *)0x5555};

static __attribute__((noinline)) void loop_hand(struct bench_variant *v, size_t n, size_t first)
{
	struct acl_call_record e;

	(void)v;
	(void)first;
	acl_call_record_init(&e, ACL_API_aclrtMemcpyAsync, &copy, 0x401000);
	for (size_t i = 0; i < n; i++) {
		lttng_ust_tracepoint(bench_hand, copy_entry, &e, &copy);
		lttng_ust_tracepoint(bench_hand, copy_exit, &e);
	}
}

static void emit(struct acl_call_record *e)
{
	if (!trace_is_switched_on(provider, e->api))
		return;
	provider->enter(e);
	provider->leave(e);
}

static __attribute__((noinline)) void loop_pair(struct bench_variant *v, size_t n, size_t first)
{
	struct acl_call_record e;

	(void)v;
	(void)first;
	acl_call_record_init(&e, ACL_API_aclrtMemcpyAsync, &copy, 0x401000);
	for (size_t i = 0; i < n; i++)
		emit(&e);
}

static __attribute__((noinline)) void loop_one(struct bench_variant *v, size_t n, size_t first)
{
	struct acl_call_record e;

	(void)v;
	(void)first;
	acl_call_record_init(&e, ACL_API_aclrtMemcpyAsyncWithCondition, &other, 0x401000);
	for (size_t i = 0; i < n; i++) {
		e.time = 0;
		emit(&e);
	}
}

static int measure_events(const char *path, size_t calls)
{
	static struct bench_variant none[BENCH_VARIANTS];
	static const bool one[BENCH_VARIANTS] = {true};
	double hand, pair, single, best[3] = {1e9, 1e9, 1e9}, ns[BENCH_VARIANTS];

	if (!load(path))
		return 2;
	if (!lttng_ust_tracepoint_enabled(bench_hand, copy_entry) ||
		!trace_is_switched_on(provider, ACL_API_aclrtMemcpyAsync) ||
		!trace_is_switched_on(provider, ACL_API_aclrtMemcpyAsyncWithCondition)) {
		fprintf(stderr, "trace: no session records these events\n");
		return 2;
	}
	/* Rounds of all three, so that a slow phase of the machine hits none alone. */
	for (unsigned round = 0; round < 5; round++) {
		bench_measure(none, one, loop_hand, calls / 5, ns);
		best[0] = ns[0] < best[0] ? ns[0] : best[0];
		bench_measure(none, one, loop_pair, calls / 5, ns);
		best[1] = ns[0] < best[1] ? ns[0] : best[1];
		bench_measure(none, one, loop_one, calls / 5, ns);
		best[2] = ns[0] < best[2] ? ns[0] : best[2];
	}
	hand = best[0];
	pair = best[1];
	single = best[2];
	printf("%.1f %.1f %.1f\n", hand, pair, single);
	return 0;
}

/* --- the provider at rest --------------------------------------------------- */

#define BIND(function) v->function = (__typeof__(v->function))dlsym(v->library, #function);

static bool open_variant(struct bench_variant *v, const char *directory, const char *name, const char *trace)
{
	void (*bare_bind)(void *);
	char path[4096];
	void *runtime;

	snprintf(path, sizeof(path), "%s/libempty.so", directory);
	setenv("ACLCHECK_RUNTIME", path, 1);
	setenv("ACLCHECK_TRACE", trace, 1);
	runtime = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	v->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!v->library) {
		fprintf(stderr, "trace: %s\n", dlerror());
		return false;
	}
	bare_bind = (void (*)(void *))dlsym(v->library, "bare_bind");
	if (bare_bind)
		bare_bind(runtime);
	BENCH_FUNCTIONS(BIND)
	v->aclInit(NULL);
	v->aclrtSetDevice(0);
	for (unsigned i = 0; i < BENCH_STREAMS; i++) {
		v->aclrtCreateStream(&v->streams[i]);
		v->aclrtCreateEventExWithFlag(&v->events[i], ACL_EVENT_SYNC);
		v->aclrtRecordEvent(v->events[i], v->streams[i]);
	}
	return true;
}

static __attribute__((noinline)) void loop_record(struct bench_variant *v, size_t n, size_t first)
{
	for (size_t i = first; i < first + n; i++)
		v->aclrtRecordEvent(v->events[i % BENCH_STREAMS], v->streams[i % BENCH_STREAMS]);
}

static int measure_idle(const char *directory, size_t calls)
{
	static struct bench_variant v[BENCH_VARIANTS];
	static const bool two[BENCH_VARIANTS] = {true, true};
	double ns[BENCH_VARIANTS];

	if (!open_variant(&v[0], directory, "libaclcheck-on.so", "off") ||
		!open_variant(&v[1], directory, "traced/libaclcheck.so", "on"))
		return 2;
	if (!dlopen("liblttng-ust.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
		fprintf(stderr, "trace: the provider is not loaded\n");
		return 2;
	}
	bench_measure(v, two, loop_record, calls, ns);
	printf("%.1f %.1f\n", ns[0], ns[1]);
	return 0;
}

/* --- the library that records, and checks nothing ------------------------------- */

static __attribute__((noinline)) void loop_record_by_hand(struct bench_variant *v, size_t n, size_t first)
{
	for (size_t i = first; i < first + n; i++) {
		aclrtEvent event = v->events[i % BENCH_STREAMS];
		aclError ret;

		lttng_ust_tracepoint(bench_hand, brief_entry, event, v->streams[i % BENCH_STREAMS]);
		ret = v->aclrtRecordEvent(event, v->streams[i % BENCH_STREAMS]);
		lttng_ust_tracepoint(bench_hand, brief_exit, ret);
	}
}

static aclError copy_to(struct bench_variant *v, size_t i)
{
	return v->aclrtMemcpyAsync(
		copy.dst, copy.destMax, copy.src, copy.count, copy.kind, v->streams[i % BENCH_STREAMS]);
}

static __attribute__((noinline)) void loop_copy(struct bench_variant *v, size_t n, size_t first)
{
	for (size_t i = first; i < first + n; i++)
		copy_to(v, i);
}

static __attribute__((noinline)) void loop_copy_by_hand(struct bench_variant *v, size_t n, size_t first)
{
	for (size_t i = first; i < first + n; i++) {
		aclError ret;

		lttng_ust_tracepoint(bench_hand, brief_entry, copy.dst, v->streams[i % BENCH_STREAMS]);
		ret = copy_to(v, i);
		lttng_ust_tracepoint(bench_hand, brief_exit, ret);
	}
}

static int measure_alone(const char *directory, size_t calls)
{
	static struct bench_variant v[2][BENCH_VARIANTS];
	static const bool one[BENCH_VARIANTS] = {true};
	/* Of each call: by hand, by the library. */
	static const bench_loop_fn loops[] = {loop_record_by_hand, loop_record, loop_copy_by_hand, loop_copy};
	double best[4] = {1e9, 1e9, 1e9, 1e9}, ns[BENCH_VARIANTS];

	setenv("ACLCHECK_CHECKS", "off", 1);
	if (!open_variant(&v[0][0], directory, "libempty.so", "off") ||
		!open_variant(&v[1][0], directory, "traced/libaclcheck.so", "on"))
		return 2;
	if (!lttng_ust_tracepoint_enabled(bench_hand, brief_entry)) {
		fprintf(stderr, "trace: no session records these events\n");
		return 2;
	}
	for (unsigned round = 0; round < 5; round++)
		for (unsigned i = 0; i < 4; i++) {
			bench_measure(v[i % 2], one, loops[i], calls / 5, ns);
			best[i] = ns[0] < best[i] ? ns[0] : best[i];
		}
	printf("%.1f %.1f %.1f %.1f\n", best[0], best[1], best[2], best[3]);
	return 0;
}

/* --- what clients do ---------------------------------------------------------- */

/* CPU nanoseconds a call, of both threads: bare forward and checks. */
static void measure_mix_on(struct bench_variant *v, unsigned devices, size_t calls, double *ns)
{
	static const bool bare_and_checks[BENCH_VARIANTS] = {true, true};

	bench_mix(&v[0], devices, true);
	bench_mix(&v[1], devices, true);
	bench_measure_threads(v, bare_and_checks, bench_loop_mix, devices * BENCH_MIX_THREADS, calls, ns);
	for (unsigned i = 0; i < 2; i++)
		ns[i] *= BENCH_MIX_THREADS;
}

/* Those of a pair by hand, by as many threads at once: what processors share slows both. */
static double measure_hand_on(struct bench_variant *v, unsigned devices, size_t calls)
{
	static const bool one[BENCH_VARIANTS] = {true};
	double hand[BENCH_VARIANTS];

	bench_measure_threads(v, one, loop_hand, devices * BENCH_MIX_THREADS, calls, hand);
	return hand[0];
}

static int measure_mix(const char *directory, size_t calls)
{
	static const unsigned devices[] = {1, 8};
	static struct bench_variant v[BENCH_VARIANTS];
	double ns[2][BENCH_VARIANTS];

	if (!open_variant(&v[0], directory, "libbare.so", "off") ||
		!open_variant(&v[1], directory, "libaclcheck-on.so", "off"))
		return 2;
	if (!lttng_ust_tracepoint_enabled(bench_hand, copy_entry)) {
		fprintf(stderr, "trace: no session records these events\n");
		return 2;
	}
	printf("%.0f ", bench_line_ns());
	for (unsigned i = 0; i < 2; i++)
		measure_mix_on(v, devices[i], calls, ns[i]);
	/* What was recorded last is still written to the disk, and slows what runs meanwhile: the pairs come
	 * after. */
	for (unsigned i = 0; i < 2; i++)
		printf("%u %.1f %.1f %.1f;", devices[i], measure_hand_on(v, devices[i], calls), ns[i][0],
			ns[i][1]);
	printf("\n");
	return 0;
}

/* --- the rest ---------------------------------------------------------------- */

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int measure_load(const char *path)
{
	/* Large enough for any argument struct, and zero: NULL pointers everywhere. */
	static const uint64_t zeros[64];
	struct acl_call_record e;
	long began = now_us(), loaded;

	if (!load(path))
		return 2;
	loaded = now_us();
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		acl_call_record_init(&e, api, zeros, 0x401000);
		emit(&e);
	}
	printf("%ld %ld\n", loaded - began, (now_us() - loaded) / ACL_API_COUNT);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "events"))
		return measure_events(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "alone"))
		return measure_alone(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "idle"))
		return measure_idle(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "mix"))
		return measure_mix(argv[2], strtoul(argv[3], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "load"))
		return measure_load(argv[2]);
	fprintf(stderr, "usage: trace events PROVIDER CALLS | alone DIRECTORY CALLS | idle DIRECTORY CALLS | "
			"mix DIRECTORY CALLS | "
			"load PROVIDER\n");
	return 2;
}
