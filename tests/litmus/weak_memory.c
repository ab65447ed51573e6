/* SPDX-License-Identifier: Apache-2.0 */
/* The memory model of the litmus tests: locations with all their stores, and the choice of what a load reads.
 */
#include "tests/litmus/weak_memory.h"

#include <linux/futex.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define READER (WEAK_THREADS - 1)
#define ARENA ((size_t)64 << 20)
#define LOCATIONS (1u << 18)
#define OPERATIONS 3000 /* of one run */
#define STACK ((size_t)256 << 10)

enum mode { PLAIN, WRITE, READ, THREADS };

/* Up to which of its operations each thread's are known to have happened before. */
struct clock {
	uint32_t at[WEAK_THREADS];
};

struct store {
	uint64_t value;
	struct clock release; /* what whoever acquires it knows then */
	uint32_t time, number; /* of its thread; of all stores */
	uint8_t thread;
	bool barrier; /* who reads it acquires in any case */
};

/* A thread has read or written a store: whoever knows of that reads none before it. */
struct seen {
	uint32_t time, index;
	uint8_t thread;
};

struct location {
	uintptr_t address;
	uint32_t *bucket;
	struct store *stores;
	struct seen *seen;
	unsigned n, n_seen, size;
	/* Of the reader, in the run of that number. */
	uint64_t run, own;
	unsigned bound;
	bool has_own;
};

static enum mode mode;
static unsigned self;
static struct clock clocks[WEAK_THREADS];
static uint32_t newest; /* the latest store that the reader has read */
static uint32_t numbers;
static unsigned operations;
static uint64_t run;

static struct location *locations;
static uint32_t *buckets; /* by address: number + 1 of a location */
static unsigned n_locations;
static unsigned char *arena;
static size_t arena_used;

/* Pages given back in write: what was in them, for locations that nothing had been stored to by then. */
static struct given_back {
	uintptr_t begin, end;
	unsigned char *before;
	struct store zero;
} given_back[16];
static unsigned n_given_back;

bool weak_pages_return;
struct weak_site *weak_sites;

/* --- choices: each run takes the next combination ----------------------------------------- */

#define DEPTH 4096
static struct {
	unsigned taken, of;
} choices[DEPTH];
static unsigned depth, known_depth;

static unsigned choose(unsigned of)
{
	if (of <= 1)
		return 0;
	if (depth == known_depth) {
		if (depth == DEPTH)
			abort();
		choices[known_depth].taken = 0;
		choices[known_depth++].of = of;
	}
	return choices[depth++].taken;
}

static bool next_choice(void)
{
	while (known_depth && choices[known_depth - 1].taken + 1 == choices[known_depth - 1].of)
		known_depth--;
	depth = 0;
	if (!known_depth)
		return false;
	choices[known_depth - 1].taken++;
	return true;
}

/* --- a run's end ----------------------------------------------------------------------------- */

static struct trace {
	const struct weak_site *site;
	uint64_t value;
	unsigned back, thread; /* back: how many stores before the last one */
} trace[OPERATIONS];
static unsigned n_trace;
static bool quiet, failed, gave_up;

static jmp_buf reader_end;
static ucontext_t scheduler;
static ucontext_t contexts[WEAK_THREADS];
static enum { ABSENT, READY, ASLEEP, DONE } state[WEAK_THREADS];
static void *asleep_on[WEAK_THREADS];

static _Noreturn void run_ends(void)
{
	if (mode == READ)
		longjmp(reader_end, 1);
	gave_up = true;
	setcontext(&scheduler);
	abort();
}

static void note(const struct weak_site *site, uint64_t value, unsigned back)
{
	trace[n_trace++] = (struct trace){site, value, back, self};
	if (++operations < OPERATIONS && n_trace < OPERATIONS)
		return;
	run_ends();
}

static void print_trace(void)
{
	for (unsigned i = 0; i < n_trace; i++)
		printf("#   thread %u %s:%d %s %#llx%s%.0u%s\n", trace[i].thread, trace[i].site->file,
			trace[i].site->line, trace[i].site->what, (unsigned long long)trace[i].value,
			trace[i].back ? ", stored " : "", trace[i].back,
			trace[i].back ? " before the last" : "");
}

void weak_expect_(bool holds, const char *text, const char *file, int line)
{
	if (holds)
		return;
	failed = true;
	if (!quiet) {
		printf("# %s:%d: %s does not hold after\n", file, line, text);
		print_trace();
	}
	if (mode == READ || mode == THREADS)
		run_ends();
}

/* --- locations -------------------------------------------------------------------------------- */

static uint64_t memory_value(const void *at, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, at, size);
	return value;
}

static struct location *look_up(const void *at, bool make, unsigned size)
{
	uintptr_t address = (uintptr_t)at;
	uint64_t i = address * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	struct location *l;

	for (;; i++) {
		uint32_t number = buckets[i % (2 * LOCATIONS)];

		if (!number)
			break;
		if (locations[number - 1].address == address)
			return &locations[number - 1];
	}
	if (!make)
		return NULL;
	if (n_locations == LOCATIONS)
		abort();
	l = &locations[n_locations++];
	buckets[i % (2 * LOCATIONS)] = n_locations;
	*l = (struct location){.address = address, .size = size, .bucket = &buckets[i % (2 * LOCATIONS)]};
	return l;
}

static void add_store(struct location *l, struct store s)
{
	if (!(l->n & (l->n - 1))) /* room is a power of two */
		l->stores = realloc(l->stores, sizeof(s) * (l->n ? 2 * l->n : 1));
	l->stores[l->n++] = s;
}

/* With what was there before anything was stored to it. */
static struct location *location_of(void *at, unsigned size)
{
	struct location *l = look_up(at, false, size);
	struct store first = {0};

	if (l)
		return l;
	l = look_up(at, true, size);
	first.value = memory_value(at, size);
	for (unsigned k = n_given_back; k-- > 0;)
		if (l->address >= given_back[k].begin && l->address < given_back[k].end)
			first.value =
				memory_value(given_back[k].before + (l->address - given_back[k].begin), size);
	add_store(l, first);
	for (unsigned k = 0; k < n_given_back; k++)
		if (l->address >= given_back[k].begin && l->address < given_back[k].end)
			add_store(l, given_back[k].zero);
	return l;
}

static void locations_clear(void)
{
	for (unsigned i = 0; i < n_locations; i++) {
		free(locations[i].stores);
		free(locations[i].seen);
		*locations[i].bucket = 0;
	}
	n_locations = 0;
	while (n_given_back)
		free(given_back[--n_given_back].before);
}

static void join(struct clock *into, const struct clock *other)
{
	for (unsigned t = 0; t < WEAK_THREADS; t++)
		if (into->at[t] < other->at[t])
			into->at[t] = other->at[t];
}

static bool is_known(unsigned thread, uint32_t time)
{
	return time <= clocks[self].at[thread];
}

/* The oldest store that a load of this thread may read. */
static unsigned oldest(struct location *l)
{
	unsigned bound = 0;

	if (mode == READ && l->run == run)
		bound = l->bound;
	for (unsigned i = l->n; i-- > bound;)
		if (is_known(l->stores[i].thread, l->stores[i].time)) {
			bound = i;
			break;
		}
	for (unsigned i = 0; i < l->n_seen; i++)
		if (l->seen[i].index > bound && is_known(l->seen[i].thread, l->seen[i].time))
			bound = l->seen[i].index;
	return bound;
}

static void has_seen(struct location *l, unsigned index)
{
	if (mode == READ) {
		l->run = run;
		l->bound = index;
		return;
	}
	if (mode != THREADS)
		return;
	if (!(l->n_seen & (l->n_seen - 1)))
		l->seen = realloc(l->seen, sizeof(*l->seen) * (l->n_seen ? 2 * l->n_seen : 1));
	l->seen[l->n_seen++] = (struct seen){clocks[self].at[self], index, (uint8_t)self};
}

static bool has_read_twice(const struct location *l, unsigned index)
{
	unsigned times = 0;

	for (unsigned i = 0; i < l->n_seen; i++)
		times += l->seen[i].index == index && l->seen[i].thread == self;
	return times >= 2;
}

static bool acquires(memory_order order)
{
	return order != memory_order_relaxed && order != memory_order_release;
}

static bool releases(memory_order order)
{
	return order != memory_order_relaxed && order != memory_order_acquire &&
	       order != memory_order_consume;
}

static uint64_t read_store(struct location *l, unsigned index, memory_order order)
{
	const struct store *s = &l->stores[index];

	if (acquires(order) || s->barrier)
		join(&clocks[self], &s->release);
	if (mode == READ && s->number > newest)
		newest = s->number;
	has_seen(l, index);
	return s->value;
}

static void write_store(struct location *l, uint64_t value, memory_order order, const struct clock *carried)
{
	struct store s = {
		.value = value, .time = clocks[self].at[self], .thread = (uint8_t)self, .number = ++numbers};

	if (carried)
		s.release = *carried;
	if (releases(order))
		join(&s.release, &clocks[self]);
	add_store(l, s);
	has_seen(l, l->n - 1);
	memcpy((void *)l->address, &value, l->size);
}

/* --- operations ---------------------------------------------------------------------------------- */

/* What threads store to; not cleared by a run. New ones come up in the first runs, which are repeated then.
 */
static uintptr_t written[64];
static unsigned n_written;
static bool again;

static bool is_written(const void *at, bool by_this)
{
	for (unsigned i = 0; i < n_written; i++)
		if (written[i] == (uintptr_t)at)
			return true;
	if (by_this) {
		if (n_written == sizeof(written) / sizeof(written[0]))
			abort();
		written[n_written++] = (uintptr_t)at;
		again = true;
	}
	return by_this;
}

/* Another thread's turn may come before each operation on what threads store to. */
static void turn(const void *at, bool stores)
{
	if (mode == THREADS && is_written(at, stores))
		swapcontext(&contexts[self], &scheduler);
	clocks[self].at[self]++;
}

static memory_order order_at(struct weak_site *site, memory_order order)
{
	if (!site->known) {
		site->known = true;
		site->ordered = order != memory_order_relaxed;
		site->next = weak_sites;
		weak_sites = site;
	}
	return site->weakened ? memory_order_relaxed : order;
}

/* A load that reads the store knows as much as the other tells, and more. */
static bool tells_no_less(const struct store *s, const struct store *other, bool acquire)
{
	for (unsigned t = 0; t < WEAK_THREADS; t++)
		if ((acquire || other->barrier) &&
			other->release.at[t] > (acquire || s->barrier ? s->release.at[t] : 0))
			return false;
	return true;
}

/*
 * Of equal values that follow each other the oldest: who reads it knows least, and what may come after a
 * later one may come after it too.
 */
static unsigned choose_store(struct location *l, memory_order order)
{
	unsigned able[256], n = 0, from = oldest(l);

	/* Twice the same old value is enough: it comes round in the end. */
	if (mode == THREADS && from + 1 < l->n && has_read_twice(l, from))
		from++;
	for (unsigned i = l->n; i-- > from;) {
		const struct store *s = &l->stores[i];

		if (i > from && s->value == s[-1].value && tells_no_less(s, s - 1, acquires(order)))
			continue;
		if (n == sizeof(able) / sizeof(able[0]))
			abort();
		able[n++] = i;
	}
	return able[choose(n)];
}

uint64_t weak_load(struct weak_site *site, void *at, unsigned size, memory_order order)
{
	struct location *l;
	unsigned back;
	uint64_t value;

	order = order_at(site, order);
	if (mode == PLAIN)
		return memory_value(at, size);
	turn(at, false);
	if (mode == WRITE) {
		l = location_of(at, size);
		return read_store(l, l->n - 1, order);
	}
	l = look_up(at, false, size);
	if (!l && mode == READ && !n_given_back)
		return memory_value(at, size);
	l = location_of(at, size);
	if (mode == READ && l->run == run && l->has_own)
		return l->own;
	back = l->n - 1 - choose_store(l, order);
	value = read_store(l, l->n - 1 - back, order);
	note(site, value, back);
	return value;
}

void weak_store(struct weak_site *site, void *at, uint64_t value, unsigned size, memory_order order)
{
	order = order_at(site, order);
	if (mode == PLAIN) {
		memcpy(at, &value, size);
		return;
	}
	if (mode == READ) /* not a reader, then */
		abort();
	turn(at, true);
	write_store(location_of(at, size), value, order, NULL);
	if (mode == THREADS)
		note(site, value, 0);
}

static uint64_t result_of(enum weak_operation operation, uint64_t old, uint64_t operand, unsigned size)
{
	uint64_t value = operation == WEAK_EXCHANGE ? operand
			 : operation == WEAK_ADD    ? old + operand
			 : operation == WEAK_SUB    ? old - operand
			 : operation == WEAK_OR     ? old | operand
						    : old & operand;

	return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

/* Reads the last store and follows it at once. */
static uint64_t replace(struct weak_site *site, struct location *l, uint64_t value, memory_order order)
{
	unsigned last = l->n - 1;
	struct clock carried = l->stores[last].release; /* of the release sequence */
	uint64_t old = read_store(l, last, order);

	write_store(l, value, order, &carried);
	if (mode == THREADS)
		note(site, value, 0);
	return old;
}

uint64_t weak_rmw(struct weak_site *site, void *at, enum weak_operation operation, uint64_t operand,
	unsigned size, memory_order order)
{
	struct location *l;
	uint64_t old = memory_value(at, size), value = result_of(operation, old, operand, size);

	order = order_at(site, order);
	if (mode == PLAIN) {
		memcpy(at, &value, size);
		return old;
	}
	turn(at, true);
	l = location_of(at, size);
	if (mode == READ) {
		/* Leaving the lock that it took: nothing that others see came of it. */
		if (!l->has_own || l->run != run)
			abort();
		l->has_own = false;
		return l->own;
	}
	old = l->stores[l->n - 1].value;
	return replace(site, l, result_of(operation, old, operand, size), order);
}

/*
 * The reader's locks leave no store: it takes one between any two writers. Not before a store that it has
 * read, which was made while the lock was held.
 */
static bool reader_takes(
	struct weak_site *site, struct location *l, uint64_t *expected, uint64_t wanted, memory_order order)
{
	unsigned able[256], n = 0, from = oldest(l), picked;

	while (from + 1 < l->n && l->stores[from + 1].number <= newest)
		from++;
	for (unsigned i = l->n; i-- > from && n < 256;)
		if (l->stores[i].value == *expected)
			able[n++] = i;
	if (!n) {
		*expected = read_store(l, l->n - 1, memory_order_relaxed);
		note(site, *expected, 0);
		return false;
	}
	picked = able[choose(n)];
	read_store(l, picked, order);
	note(site, *expected, l->n - 1 - picked);
	l->has_own = true;
	l->own = wanted;
	return true;
}

bool weak_compare_exchange(struct weak_site *site, void *at, uint64_t *expected, uint64_t wanted,
	unsigned size, memory_order order)
{
	struct location *l;
	unsigned able[256], n = 0, from, picked;

	order = order_at(site, order);
	if (mode == PLAIN) {
		uint64_t now = memory_value(at, size);

		if (now == *expected)
			memcpy(at, &wanted, size);
		*expected = now;
		return memory_value(at, size) == wanted;
	}
	turn(at, true);
	l = location_of(at, size);
	if (mode == READ)
		return reader_takes(site, l, expected, wanted, order);
	/* It succeeds on the last store only; it may fail on any that a load may read. */
	from = mode == WRITE ? l->n - 1 : oldest(l);
	for (unsigned i = l->n; i-- > from && n < 256;)
		if (i == l->n - 1 || l->stores[i].value != *expected)
			able[n++] = i;
	picked = able[choose(n)];
	if (picked == l->n - 1 && l->stores[picked].value == *expected) {
		replace(site, l, wanted, order);
		return true;
	}
	*expected = read_store(l, picked, memory_order_relaxed);
	if (mode == THREADS)
		note(site, *expected, l->n - 1 - picked);
	return false;
}

/* --- the kernel ------------------------------------------------------------------------------------ */

long weak_futex(long number, void *word, int operation, uint32_t value)
{
	unsigned sleepers[WEAK_THREADS], n = 0, woken;

	(void)number;
	if (mode != THREADS)
		return 0;
	turn(word, true);
	if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT) {
		if (memory_value(word, sizeof(value)) != value)
			return -1;
		state[self] = ASLEEP;
		asleep_on[self] = word;
		swapcontext(&contexts[self], &scheduler);
		return 0;
	}
	for (unsigned t = 0; t < WEAK_THREADS; t++)
		if (state[t] == ASLEEP && asleep_on[t] == word)
			sleepers[n++] = t;
	if (!n)
		return 0;
	woken = sleepers[choose(n)];
	state[woken] = READY;
	return 1;
}

/* Given back, the pages read as zeros; every processor saw them before, so who reads one knows what led
 * there. */
int weak_madvise(void *begin, size_t bytes, int advice)
{
	struct given_back *g = &given_back[n_given_back];

	if (advice != MADV_DONTNEED)
		return 0;
	if (!weak_pages_return)
		return -1;
	if (mode == WRITE) {
		if (n_given_back == sizeof(given_back) / sizeof(given_back[0]))
			abort();
		clocks[self].at[self]++;
		g->begin = (uintptr_t)begin;
		g->end = g->begin + bytes;
		g->before = memcpy(malloc(bytes), begin, bytes);
		g->zero = (struct store){.time = clocks[self].at[self],
			.thread = (uint8_t)self,
			.number = ++numbers,
			.release = clocks[self],
			.barrier = true};
		for (unsigned i = 0; i < n_locations; i++)
			if (locations[i].address >= g->begin && locations[i].address < g->end)
				add_store(&locations[i], g->zero);
		n_given_back++;
	}
	memset(begin, 0, bytes);
	return 0;
}

void *weak_alloc(size_t bytes)
{
	void *p = arena + arena_used;

	bytes = (bytes + 63) & ~(size_t)63;
	if (arena_used + bytes > ARENA)
		abort();
	arena_used += bytes;
	return memset(p, 0, bytes);
}

/* --- exploring --------------------------------------------------------------------------------------- */

static void begin_run(const struct weak_test *test)
{
	locations_clear();
	arena_used = 0;
	numbers = 0;
	self = 0;
	memset(clocks, 0, sizeof(clocks));
	mode = PLAIN;
	test->prepare();
}

void weak_writer(unsigned number)
{
	self = number;
}

static void begin_operations(void)
{
	run++;
	operations = n_trace = 0;
	newest = 0;
}

static void explore_reader(const struct weak_test *test, uint64_t max, struct weak_result *result)
{
	begin_run(test);
	begin_operations();
	mode = WRITE;
	test->write();
	self = READER;
	mode = READ;
	do {
		begin_operations();
		memset(&clocks[READER], 0, sizeof(clocks[READER]));
		result->runs++;
		if (!setjmp(reader_end))
			test->read();
		else if (!failed)
			result->endless++;
	} while (!failed && next_choice() && result->runs < max);
}

static void (*bodies[WEAK_THREADS])(void);

static void thread_body(int number)
{
	bodies[number]();
	state[number] = DONE;
	setcontext(&scheduler);
}

/* Volatile: getcontext could return twice, says the compiler; here it does not. */
static void begin_threads(const struct weak_test *test)
{
	static unsigned char stacks[WEAK_THREADS][STACK];

	for (volatile int t = 0; t < WEAK_THREADS; t++) {
		bodies[t] = test->thread[t];
		state[t] = bodies[t] ? READY : ABSENT;
		if (!bodies[t] || getcontext(&contexts[t]))
			continue;
		contexts[t].uc_stack.ss_sp = stacks[t];
		contexts[t].uc_stack.ss_size = STACK;
		makecontext(&contexts[t], (void (*)(void))thread_body, 1, t);
	}
}

/* Lets threads take turns until none is left. */
static void take_turns(void)
{
	for (;;) {
		unsigned ready[WEAK_THREADS], n = 0, sleeping = 0;

		for (unsigned t = 0; t < WEAK_THREADS; t++) {
			if (state[t] == READY)
				ready[n++] = t;
			sleeping += state[t] == ASLEEP;
		}
		if (!n) {
			self = 0;
			weak_expect(!sleeping);
			return;
		}
		self = ready[choose(n)];
		swapcontext(&scheduler, &contexts[self]);
		if (gave_up)
			return;
	}
}

static void explore_threads(const struct weak_test *test, uint64_t max, struct weak_result *result)
{
	do {
		begin_run(test);
		begin_operations();
		gave_up = false;
		begin_threads(test);
		mode = THREADS;
		take_turns();
		mode = PLAIN;
		result->runs++;
		result->endless += gave_up && !failed;
		if (!gave_up && !failed)
			test->after();
		if (again)
			known_depth = 0; /* turns were left out where they matter: from the beginning */
		else if (!next_choice())
			return;
		again = false;
		depth = 0;
	} while (!failed && result->runs < max);
}

struct weak_result weak_explore(const struct weak_test *test, uint64_t max, bool quietly)
{
	struct weak_result result = {0};

	if (!arena) {
		arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		locations = malloc(LOCATIONS * sizeof(*locations));
		buckets = calloc(2 * LOCATIONS, sizeof(*buckets));
	}
	quiet = quietly;
	failed = false;
	again = false;
	depth = known_depth = n_written = 0;
	if (test->read)
		explore_reader(test, max, &result);
	else
		explore_threads(test, max, &result);
	result.failed = failed;
	result.unfinished = !failed && result.runs >= max;
	return result;
}
