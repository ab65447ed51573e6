/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make bench: what a call costs on an empty runtime, four ways in one process:
 * direct, through a bare forwarder, through libaclcheck.so with checks off, and
 * with all checks.  Each way is a library of its own, entered by pointer.
 *
 * usage: bench DIRECTORY [calls]		the table of times
 *	bench --count DIRECTORY VARIANT		loops for an instruction counter, see tools/bench/instructions
 *	bench --loop DIRECTORY VARIANT LOOP CALLS	one loop, to be looked at by hand
 *	bench --bounds				NAME BOUND PERCENT OF-WHICH of what is counted
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The counter counts inside of this function, and adds up at its end. */
void bench_counted(struct bench_variant *v, bench_loop_fn loop, size_t calls);
__attribute__((noinline)) void bench_counted(struct bench_variant *v, bench_loop_fn loop, size_t calls)
{
	loop(v, calls, 0);
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

static int print_bounds(void)
{
#define PRINT(name, loop, calls, bound, percent, of) printf("%s %d %d %s\n", #name, bound, percent, #of);
	BENCH_COUNTED(PRINT)
#undef PRINT
	return 0;
}

/* --- rows ---------------------------------------------------------------- */

static unsigned missed;

static const char *verdict(bool kept)
{
	missed += !kept;
	return kept ? "kept" : "**missed**";
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
		printf("≤ %s: %s |\n", said, verdict(added <= bound));
	else
		printf("|\n");
	fflush(stdout);
	return added;
}

static void row_two(const char *name, const char *low, const char *high, size_t calls)
{
	double one[BENCH_VARIANTS], two[BENCH_VARIANTS], bare, checks, loss = 0;

	settle_all();
	for (unsigned i = 0; i < ATTEMPTS && (i == 0 || loss > BOUND_TWO_THREADS); i++) {
		bench_measure_two(variants, no_off, bench_loop(low), bench_loop(high), calls, one, two);
		bare = two[BENCH_BARE] / one[BENCH_BARE];
		checks = two[BENCH_CHECKS] / one[BENCH_CHECKS];
		loss = checks / bare;
	}
	printf("| two threads, %s: time a call over one thread's | | ×%.2f | | ×%.2f | ×%.2f of bare | ≤ "
	       "%.2f: "
	       "%s |\n",
		name, bare, checks, loss, BOUND_TWO_THREADS, verdict(loss <= BOUND_TWO_THREADS));
	fflush(stdout);
}

static void grow_all(size_t blocks)
{
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_grow(&variants[v], blocks);
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
	return pages * 4096;
}

/* What a block costs in memory: the checks' growth less that of the bare forward's own lists. */
static void row_memory(size_t blocks)
{
	size_t before = variants[BENCH_CHECKS].n_blocks, at = resident(), bare, checks;

	bench_grow(&variants[BENCH_BARE], blocks);
	bare = resident() - at;
	at = resident();
	bench_grow(&variants[BENCH_CHECKS], blocks);
	checks = resident() - at;
	grow_all(blocks);
	printf("| resident bytes a block, %zu live | | | | %.0f | | |\n", blocks,
		((double)checks - (double)bare) / (double)(blocks - before));
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

	printf("| call | direct | bare | off | checks | checks over bare | bound "
	       "|\n|---|---|---|---|---|---|---|\n");
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
	row_two("record", "record_low", "record_high", calls);
	row_two("copy", "copy_low", "copy_high", calls);
	row_memory(1000000);
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
	if (argc == 2 && !strcmp(argv[1], "--bounds"))
		return print_bounds();
	if (argc < 2 || calls == 0) {
		fprintf(stderr, "usage: bench DIRECTORY [calls]\n");
		return 2;
	}
	open_variants(argv[1]);
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		bench_objects(&variants[v]);
	grow_all(1000);
	rows(calls);
	return missed ? 1 : 0;
}
