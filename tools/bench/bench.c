/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make bench: what a call costs on an empty runtime, four ways in one process:
 * direct, through a bare forwarder, through libaclcheck.so with checks off, and
 * with all checks.  Each way is a library of its own, entered by pointer.
 *
 *	bench DIRECTORY [calls]
 *		the table of times
 *	bench --count DIRECTORY VARIANT
 *		loops for an instruction counter, see tools/bench/instructions
 *	bench --loop DIRECTORY VARIANT LOOP CALLS
 *		one loop, to be looked at by hand
 *	bench --bytes DIRECTORY
 *		the rows of resident bytes alone
 *	bench --profile DIRECTORY LOOP CALLS
 *		one of either, for a profiler: with what it needs, inside of bench_counted
 *	bench --bounds
 *		NAME BOUND PERCENT OF-WHICH of what is counted
 *	bench --unordered
 *		the rules that are off in the variant of that name
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bounds.h"

static struct bench_variant variants[BENCH_LIBRARIES];

#define UNORDERED                                                                                            \
	"-stream-race-copy,-stream-race-set,-pool-cross-stream-unordered,-async-result-used-before-sync,"    \
	"-memset-async-host-unordered,-desc-modified-in-flight,-free-in-flight,-free-host-in-flight,"        \
	"-free-devsync-other-device,-vmm-unmap-in-flight,-host-unregister-in-flight,-sync-timeout-ignored,"  \
	"-sync-device-scope"

/* --- variants ------------------------------------------------------------ */

static void *open_library(const char *directory, const char *name)
{
	char path[4096];
	void *library;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "bench: %s\n", dlerror());
		exit(2);
	}
	return library;
}

static void bind(struct bench_variant *v, const char *name, void *library)
{
	v->name = name;
	v->library = library;
#define BIND(function)                                                                                       \
	v->function = (__typeof__(v->function))dlsym(library, #function);                                    \
	if (!v->function) {                                                                                  \
		fprintf(stderr, "bench: %s lacks " #function "\n", name);                                    \
		exit(2);                                                                                     \
	}
	BENCH_FUNCTIONS(BIND)
#undef BIND
}

static void open_variants(const char *directory)
{
	char runtime_path[4096];
	void *runtime, *bare;

	snprintf(runtime_path, sizeof(runtime_path), "%s/libempty.so", directory);
	setenv("ACLCHECK_RUNTIME", runtime_path, 1);
	setenv("ACLCHECK_TRACE", "off", 1);
	setenv("ACLCHECK_MAX_FINDINGS", "1000", 1);
	runtime = open_library(directory, "libempty.so");
	bare = open_library(directory, "libbare.so");
	((void (*)(void *))dlsym(bare, "bare_bind"))(runtime);
	bind(&variants[BENCH_DIRECT], "direct", runtime);
	bind(&variants[BENCH_BARE], "bare", bare);
	/* Each copy of the library reads its settings when it is loaded or first called. */
	setenv("ACLCHECK_CHECKS", "off", 1);
	bind(&variants[BENCH_OFF], "off", open_library(directory, "libaclcheck-off.so"));
	variants[BENCH_OFF].aclInit(NULL);
	setenv("ACLCHECK_CHECKS", "on", 1);
	bind(&variants[BENCH_CHECKS], "checks", open_library(directory, "libaclcheck-on.so"));
	variants[BENCH_CHECKS].aclInit(NULL);
}

static struct bench_variant *open_unordered(const char *directory)
{
	struct bench_variant *v = &variants[BENCH_UNORDERED];

	setenv("ACLCHECK_RULES", UNORDERED, 1);
	bind(v, "unordered", open_library(directory, "libaclcheck-unordered.so"));
	v->aclInit(NULL);
	unsetenv("ACLCHECK_RULES");
	bench_objects(v);
	bench_grow(v, 10);
	return v;
}

/* --- counting --------------------------------------------------------------- */

/* The counter counts inside of this function, and adds up at its end; that of the other machine
 * (count_plugin.c) from its begin to bench_ended. */
void bench_counted(struct bench_variant *v, bench_loop_fn loop, size_t calls);
__attribute__((noinline)) void bench_counted(struct bench_variant *v, bench_loop_fn loop, size_t calls)
{
	loop(v, calls, 0);
}

void bench_ended(void);
__attribute__((noinline)) void bench_ended(void)
{
	__asm__ volatile(""); /* or the call would go */
}

static struct bench_variant *variant_of(const char *name)
{
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		if (!strcmp(variants[v].name, name))
			return &variants[v];
	fprintf(stderr, "bench: no variant %s\n", name);
	exit(2);
}

/* What has to be there for it. */
static void prepare(struct bench_variant *v, const char *counted)
{
	if (!strcmp(counted, "copy_two_devices"))
		bench_two_devices(v);
	else if (!strcmp(counted, "register_10000"))
		bench_register(v, 10000);
	else if (!strcmp(counted, "copy_1000"))
		bench_grow(v, 1000);
	else if (!strcmp(counted, "copy_10000"))
		bench_grow(v, 10000);
	else if (!strcmp(counted, "reserve_small") || !strcmp(counted, "reserve_vast"))
		bench_grow(v, 10000);
	else if (!strcmp(counted, "copy_set") || !strcmp(counted, "copy_random"))
		bench_grow(v, 1000000);
	else if (!strcmp(counted, "copy_mixed"))
		bench_grow_mixed(v, 1000000);
	else if (!strcmp(counted, "copy_threads"))
		bench_grow(v, 1000);
	else if (!strcmp(counted, "record_many"))
		bench_many(v, BENCH_EVENT, BENCH_MANY);
	else if (!strcmp(counted, "mix"))
		bench_mix(v, 1, true);
	else if (!strcmp(counted, "mix_seen"))
		bench_mix(v, 1, false);
	else if (!strcmp(counted, "replay_2"))
		bench_capture(v, 2);
	else if (!strcmp(counted, "replay_2000"))
		bench_capture(v, 2000);
}

static void count_one(
	struct bench_variant *v, const char *directory, const char *name, const char *loop, size_t calls)
{
	if (v == &variants[BENCH_CHECKS] && !strcmp(name, "copy_unordered"))
		v = open_unordered(directory);
	prepare(v, name);
	bench_settle(v);
	bench_loop(loop)(v, calls, 0);
	bench_counted(v, bench_loop(loop), calls);
	bench_ended();
	printf("%s %zu\n", name, calls);
	fflush(stdout);
}

static int count(char **arg)
{
	struct bench_variant *v;

	open_variants(arg[0]);
	v = variant_of(arg[1]);
	bench_objects(v);
	bench_grow(v, 10);
#define COUNT(name, loop, calls, bound, percent, of) count_one(v, arg[0], #name, #loop, calls);
	BENCH_COUNTED(COUNT)
#undef COUNT
	return 0;
}

static int one_loop(char **arg)
{
	struct bench_variant *v;

	open_variants(arg[0]);
	v = variant_of(arg[1]);
	if (!bench_loop(arg[2])) {
		fprintf(stderr, "bench: no loop %s\n", arg[2]);
		return 2;
	}
	bench_objects(v);
	bench_grow(v, 10);
	bench_loop(arg[2])(v, strtoul(arg[3], NULL, 10), 0);
	return 0;
}

/* The loop of a counted row, or the loop of this name. */
static const char *loop_of(const char *name)
{
#define OF_COUNTED(row, loop, calls, bound, percent, of)                                                     \
	if (!strcmp(name, #row))                                                                             \
		return #loop;
	BENCH_COUNTED(OF_COUNTED)
#undef OF_COUNTED
	return name;
}

static int profile(char **arg)
{
	const char *loop = loop_of(arg[1]);

	if (!bench_loop(loop)) {
		fprintf(stderr, "bench: no loop %s\n", loop);
		return 2;
	}
	open_variants(arg[0]);
	bench_objects(&variants[BENCH_CHECKS]);
	bench_grow(&variants[BENCH_CHECKS], 10);
	count_one(&variants[BENCH_CHECKS], arg[0], arg[1], loop, strtoul(arg[2], NULL, 10));
	return 0;
}

static int print_bounds(void)
{
#define PRINT(name, loop, calls, bound, percent, of) printf("%s %d %d %s\n", #name, bound, percent, #of);
	BENCH_COUNTED(PRINT)
#undef PRINT
	return 0;
}

/* --- rows ---------------------------------------------------------------- */

static unsigned missed;
static FILE *missed_loops; /* for tools/bench/run, which profiles them */

static const char *verdict(bool kept)
{
	missed += !kept;
	return kept ? "kept" : "**missed**";
}

static const char *verdict_of(bool kept, const char *loop)
{
	if (!kept && missed_loops)
		fprintf(missed_loops, "%s\n", loop);
	return verdict(kept);
}

static const bool all_variants[BENCH_VARIANTS] = {true, true, true, true};
static const bool no_off[BENCH_VARIANTS] = {true, true, false, true};

static void settle_all(void)
{
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_settle(&variants[v]);
}

/*
 * A neighbour that comes and goes can spoil a whole row, and only to the worse:
 * a bound that looks missed is measured again.
 */
#define ATTEMPTS 4
#define UNBOUND 1e9

/* What it may add to the bare forward, and how that is said; UNBOUND: a row to look at. Returns it. */
static double row(const char *name, const char *loop, size_t calls, double bound, const char *said)
{
	double ns[BENCH_VARIANTS], added = 0, again[BENCH_VARIANTS];

	settle_all();
	for (unsigned i = 0; i < ATTEMPTS && (i == 0 || added > bound); i++) {
		bench_measure(variants, all_variants, bench_loop(loop), calls, again);
		if (i && again[BENCH_CHECKS] - again[BENCH_BARE] >= added)
			continue;
		memcpy(ns, again, sizeof(ns));
		added = ns[BENCH_CHECKS] - ns[BENCH_BARE];
	}
	printf("| %s | %.1f | %.1f | %.1f | %.1f | +%.1f ns | ", name, ns[BENCH_DIRECT], ns[BENCH_BARE],
		ns[BENCH_OFF], ns[BENCH_CHECKS], added);
	if (bound < UNBOUND)
		printf("≤ %s: %s |\n", said, verdict_of(added <= bound, loop));
	else
		printf("|\n");
	fflush(stdout);
	return added;
}

static void row_threads(unsigned threads, const char *name, const char *loop, size_t calls)
{
	double one[BENCH_VARIANTS], many[BENCH_VARIANTS], bare, checks, loss = 0;
	bool bound = threads == 2;

	settle_all();
	for (unsigned i = 0; i < ATTEMPTS && (i == 0 || (bound && loss > BOUND_TWO_THREADS)); i++) {
		bench_measure_threads(variants, no_off, bench_loop(loop), 1, calls, one);
		bench_measure_threads(variants, no_off, bench_loop(loop), threads, calls, many);
		bare = many[BENCH_BARE] / one[BENCH_BARE];
		checks = many[BENCH_CHECKS] / one[BENCH_CHECKS];
		loss = checks / bare;
	}
	printf("| %u threads, %s: time a call over one thread's | | ×%.2f | | ×%.2f | ×%.2f of bare | ",
		threads, name, bare, checks, loss);
	if (bound)
		printf("≤ %.2f: %s |\n", BOUND_TWO_THREADS, verdict_of(loss <= BOUND_TWO_THREADS, loop));
	else
		printf("|\n");
	fflush(stdout);
}

static void grow_all(size_t blocks)
{
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_grow(&variants[v], blocks);
}

static void open_all(const char *directory)
{
	open_variants(directory);
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_objects(&variants[v]);
}

static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%*u %lu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#define ROUNDS_AGAIN 3

static double bytes_of(struct bench_variant *v, enum bench_kind kind, size_t n)
{
	size_t before = resident();

	bench_many(v, kind, n);
	return (double)resident() - (double)before;
}

/*
 * What an object costs in memory: the checks' growth less that of the bare forward's own lists; and what as
 * many cost again when these are destroyed, as they find the room of the former; of the
 * last of some rounds, as what is kept of destroyed ones fills up first.
 */
static void row_memory(const char *name, enum bench_kind kind, size_t n, unsigned bound)
{
	double bare = bytes_of(&variants[BENCH_BARE], kind, n);
	double each = (bytes_of(&variants[BENCH_CHECKS], kind, n) - bare) / (double)n, again = 0;

	for (unsigned i = 0; i < ROUNDS_AGAIN; i++) {
		bench_none(&variants[BENCH_CHECKS], kind, n);
		again = bytes_of(&variants[BENCH_CHECKS], kind, n) / (double)n;
	}
	bench_none(&variants[BENCH_CHECKS], kind, n);
	if (bound)
		printf("| resident bytes: %s, %zu live | | | | %.0f | | ≤ %u: %s |\n", name, n, each, bound,
			verdict(each <= bound));
	else
		printf("| resident bytes: %s, %zu live | | | | %.0f | | |\n", name, n, each);
	printf("| … as many again, when all were destroyed | | | | %.0f | | ≤ %u: %s |\n", again, BOUND_AGAIN,
		verdict(again <= BOUND_AGAIN));
	fflush(stdout);
}

/* No more than are followed of a kind (objects.h): of others nothing is kept. */
static const struct {
	const char *name;
	enum bench_kind kind;
	size_t n;
	unsigned bound; /* 0 = none: to look at */
} memory_rows[] = {
	{"a block", BENCH_BLOCK, 1000000, BOUND_BLOCK_BYTES},
	{"an event", BENCH_EVENT, 200000, BOUND_OBJECT_BYTES},
	{"an event, recorded and waited for", BENCH_EVENT_USED, 200000, BOUND_OBJECT_BYTES},
	{"a stream", BENCH_STREAM, 100000, BOUND_OBJECT_BYTES},
	{"a stream that waited and launched", BENCH_STREAM_USED, 100000, BOUND_OBJECT_BYTES},
};

/* Each in a process of its own, in which there was nothing before. */
static void rows_memory(const char *directory)
{
	for (size_t i = 0; i < sizeof(memory_rows) / sizeof(memory_rows[0]); i++) {
		int status = 0;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0) {
			open_all(directory);
			row_memory(memory_rows[i].name, memory_rows[i].kind, memory_rows[i].n,
				memory_rows[i].bound);
			_exit(missed ? 1 : 0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			missed = true;
	}
}

static void row_many_events(size_t calls)
{
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_many(&variants[v], BENCH_EVENT, BENCH_MANY);
	row("record an event, 1 000 000 live, at random", "record_many", calls, UNBOUND, "");
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_none(&variants[v], BENCH_EVENT, BENCH_MANY);
}

/* --- a table as large as the blocks are many ------------------------------------------------- */

#define LINE 64

static unsigned char *lines;
static size_t n_lines;

/* Each load waits for the one before it, as a look-up's first does for the call before. */
static void loop_load(struct bench_variant *v, size_t n, size_t first)
{
	size_t at = 0;

	(void)v;
	for (size_t i = first; i < first + n; i++)
		at = ((i * 0x9e3779b97f4a7c15u >> 20) + lines[at * LINE]) % n_lines;
	__asm__ volatile("" : : "r"(at));
}

static double row_load(size_t size, size_t calls)
{
	static const bool one[BENCH_VARIANTS] = {true};
	double ns[BENCH_VARIANTS];

	n_lines = size;
	lines = calloc(n_lines, LINE);
	if (!lines)
		exit(2);
	/* Pages that were never written are all the same one. */
	for (size_t i = 0; i < n_lines; i++)
		lines[i * LINE + 1] = 1;
	bench_measure(variants, one, loop_load, calls, ns);
	printf("| a random load of a cache line among %zu | %.1f | | | | | |\n", size, ns[0]);
	free(lines);
	return ns[0];
}

/* What a finding costs where none was before: the first of the process, and the median of the next ones. */
static void rows_findings(void)
{
	double at[BENCH_SITES + 1], us[BENCH_SITES], next;

	bench_new_sites(&variants[BENCH_CHECKS], at);
	for (unsigned i = 0; i < BENCH_SITES; i++)
		us[i] = (at[i + 1] - at[i]) / 1e3;
	next = bench_quantile(us + 1, BENCH_SITES - 1, 0.5);
	printf("| the first finding, with names and lines | | | | %.0f µs | | ≤ %d ms: %s |\n", us[0],
		BOUND_FIRST_FINDING_MS, verdict(us[0] <= BOUND_FIRST_FINDING_MS * 1e3));
	printf("| a finding at a new place, median of %u | | | | %.1f µs | | ≤ %d µs: %s |\n",
		BENCH_SITES - 1, next, BOUND_NEW_SITE_US, verdict(next <= BOUND_NEW_SITE_US));
}

static void rows(size_t calls)
{
	double ten, load, small;

	rows_findings();
	row("a function with nothing but handle and pointer", "unchecked", calls, UNBOUND, "");
	row("query an event", "query", calls, UNBOUND, "");
	row("record an event", "record", calls, UNBOUND, "");
	row("wait for an event", "wait", calls, UNBOUND, "");
	row("batch of 64 copies, an entry", "batch_64", calls, UNBOUND, "");
	ten = row("copy, 10 blocks live", "copy_ten", calls, UNBOUND, "");
	grow_all(10000);
	row("copy, 10 000 blocks live, 64 streams", "copy_random", calls, UNBOUND, "");
	small = row(
		"reserve and release 4 KiB, 10 000 blocks live", "reserve_small", calls / 10, UNBOUND, "");
	row("reserve and release 64 GiB, 10 000 blocks live", "reserve_vast", calls / 10,
		BOUND_RESERVE * small, "1.3 × 4 KiB");
	row("3 000 launches, then one synchronise", "storm", calls, UNBOUND, "");
	for (unsigned threads = 2; threads <= BENCH_THREADS; threads *= 2) {
		row_threads(threads, "record", "record_threads", calls / threads);
		row_threads(threads, "copy", "copy_threads", calls / threads);
	}
	grow_all(1000000);
	row("copy, 1 000 000 live, 1 000 in use", "copy_set", calls, BOUND_SET * ten, "1.5 × 10 blocks");
	load = row_load(1000000, calls);
	row("copy, 1 000 000 live, at random", "copy_random", calls, ten + BOUND_RANDOM * load,
		"10 blocks + 1.3 × a load");
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_grow_mixed(&variants[v], 1000000);
	row("copy, 1 000 000 live of mixed sizes, at random", "copy_mixed", calls, ten + BOUND_RANDOM * load,
		"10 blocks + 1.3 × a load");
	bench_loop("repeat")(&variants[BENCH_CHECKS], 1000, 0);
	row("the same finding again", "repeat", calls, UNBOUND, "");
	/* Last: some look-ups go over the room of all events that ever were. */
	row_many_events(calls);
	printf("\nCPU nanoseconds a call, lower quartile of 20 interleaved repetitions of %zu calls, up to "
	       "%d attempts at a "
	       "bound; empty runtime.\n",
		calls, ATTEMPTS);
}

int main(int argc, char **argv)
{
	size_t calls = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;

	if (argc == 6 && !strcmp(argv[1], "--loop"))
		return one_loop(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "--count"))
		return count(argv + 2);
	if (argc == 5 && !strcmp(argv[1], "--profile"))
		return profile(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "--bounds"))
		return print_bounds();
	if (argc == 3 && !strcmp(argv[1], "--bytes")) {
		rows_memory(argv[2]);
		return missed ? 1 : 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--unordered"))
		return puts(UNORDERED) < 0;
	if (argc < 2 || calls == 0) {
		fprintf(stderr, "usage: bench DIRECTORY [calls]\n");
		return 2;
	}
	printf("| call | direct | bare | off | checks | checks over bare | bound "
	       "|\n|---|---|---|---|---|---|---|\n");
	rows_memory(argv[1]);
	if (getenv("BENCH_MISSED"))
		missed_loops = fopen(getenv("BENCH_MISSED"), "a");
	open_all(argv[1]);
	grow_all(1000);
	rows(calls);
	if (missed_loops)
		fclose(missed_loops);
	return missed ? 1 : 0;
}
