/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic fuzzing of everything that reads files: seeds are mutated by a
 * seeded generator, so a failure comes again with the same numbers.
 *	fuzz ROUNDS SEED @PROGRAM @REPORT...
 * Beyond memory errors (the sanitizers' part) one thing must hold: what could
 * not be read completely never gives "pass".
 */
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/config/config_file.h"
#include "interpose/common/last_calls_file.h"
#include "interpose/common/preloadable.h"
#include "interpose/config/run_settings.h"
#include "interpose/common/rule_switches.h"
#include "interpose/common/fault_rules.h"
#include "interpose/common/suppression.h"
#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/report/merge_parts.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"

#define INPUT_MAX 131072

#define FUZZ_PID 4711

static char input[INPUT_MAX + 64];
static size_t input_size;
static char path[] = "/tmp/aclcheck-fuzz-XXXXXX";
static uint64_t random_state;
static unsigned said; /* complaints of the present round */
static FILE *nowhere;

/* --- what the code under test calls ---------------------------------------------- */

void command_say(const char *format, ...)
{
	va_list ap;

	said++;
	va_start(ap, format);
	vfprintf(nowhere, format, ap);
	va_end(ap);
}

int command_misuse(const char *format, ...)
{
	(void)format;
	said++;
	return COMMAND_MISUSE;
}

int command_help(const char *name, const char *lines)
{
	(void)name;
	(void)lines;
	return 0;
}

/* Files that a damaged report names are not looked into. */
void missing_lines_resolve(json_t *report)
{
	(void)report;
}

void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

void settings_complain(const char *line)
{
	said += *line != '\0';
}

/* --- mutation --------------------------------------------------------------------- */

static uint32_t pick(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 32) * below >> 32);
}

static void replace(size_t at, size_t remove, const char *with, size_t n)
{
	if (input_size - remove + n > INPUT_MAX)
		return;
	memmove(input + at + n, input + at + remove, input_size - at - remove);
	memcpy(input + at, with, n);
	input_size += n - remove;
}

static void mutate(void)
{
	static const char *const words[] = {"{", "}", "[", "]", "\"", "\\", ",", ":", "null", "true", "-1",
		"99999999999999999999", "1e999", "\"\\u0000\"", "\xff\xfe", "\n", "{\"record\":\"end\"}",
		"\"fingerprint\":\"x\",", "\"serial\":1,", "\"ranks\":[-1,2147483648],", "\"processes\":[1],",
		"\"count\":-9223372036854775808,", "\"expected\":true,", "\"expectations\":[{}],",
		"\"in\":\"program\",", "\"met\":-1,", "\"opened\":9223372036854775807,",
		"\"expect\":", "\"cost\":{\"samples\":-5},", "\"rank\":{}", "\"stack\":[[]],",
		"\"verdict\":\"pass\""};
	size_t at = input_size ? pick((uint32_t)input_size) : 0, n = input_size - at;
	const char *word;
	char copy[256];

	switch (pick(6)) {
	case 0:
		if (input_size)
			input[at] = (char)(input[at] ^ 1 << pick(8));
		break;
	case 1:
		replace(at, n ? pick(n < 200 ? (uint32_t)n : 200) : 0, "", 0);
		break;
	case 2:
		word = words[pick(sizeof(words) / sizeof(*words))];
		replace(at, 0, word, strlen(word));
		break;
	case 3:
		n = pick(n < sizeof(copy) ? (uint32_t)n + 1 : sizeof(copy));
		memcpy(copy, input + at, n);
		replace(input_size ? pick((uint32_t)input_size) : 0, 0, copy, n);
		break;
	case 4:
		word = words[pick(sizeof(words) / sizeof(*words))];
		replace(at, n < strlen(word) ? n : strlen(word), word, strlen(word));
		break;
	default:
		if (!pick(8))
			input_size = at;
	}
}

static void write_input(void)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0 || write(fd, input, input_size) != (ssize_t)input_size)
		abort();
	close(fd);
}

/* --- targets ------------------------------------------------------------------------ */

static void give(const char *where, const char *word, const char *value)
{
	int64_t number;
	int s = setting_find(word, strlen(word));
	uint8_t rules[8192];
	size_t n;

	(void)where;
	setting_near(word, strlen(word));
	if (s >= 0)
		setting_check((enum setting)s, value, &number);
	if (acl_rule_count <= sizeof(rules))
		settings_rules(value, rules, &n);
}

static bool fuzz_faults(void)
{
	static struct fault_rules faults;
	static char list[65536];
	const char *bad, *wrong;
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(list, 1, sizeof(list) - 1, f) : 0, len;

	if (f)
		fclose(f);
	list[n] = '\0';
	wrong = fault_rules_parse(list, &faults, &bad, &len);
	if (wrong)
		settings_complain(wrong);
	/* What is named lies inside of the list. */
	return !wrong || (bad >= list && bad + len <= list + strlen(list));
}

static bool fuzz_config(void)
{
	config_read(path, give, settings_complain);
	return true;
}

static bool fuzz_suppressions(void)
{
	static const struct suppress_frame frame = {
		"copy_in", "_Z7copy_in", "/src/demo.c", "/usr/lib/libx.so"};
	static const char *const words[] = {"source memory", NULL, "0x10"};
	const struct suppression *list;
	size_t n;
	struct suppress_subject s = {
		"async-copy-alignment", "aclrtMemcpyAsync", "0123456789abcdef", &frame, 1, words, 3, 4};

	suppress_load(path, "2026-11-21", settings_complain);
	suppress_by_stack(s.rule);
	suppress_match(&s);
	list = suppress_list(&n);
	for (size_t i = 0; i < n; i++) {
		/* Whoever holds has a reason and a pattern; expectations come first. */
		if (!list[i].reason || !*list[i].reason || (!list[i].rule && !list[i].fingerprint) ||
			(i && list[i].expected && !list[i - 1].expected))
			return false;
	}
	return true;
}

/* What is written without a tree is JSON, and says what the tree says. */
static bool written_is(const json_t *report)
{
	struct merge *m = merge_new();
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	json_t *read;
	bool same;

	merge_add(m, path);
	merge_add(m, path);
	json_decref(merge_write(m, f));
	merge_free(m);
	fclose(f);
	read = json_loadb(text, n, 0, NULL);
	same = read && json_equal(read, report);
	json_decref(read);
	free(text);
	return same;
}

static bool fuzz_report(void)
{
	struct merge *m = merge_new();
	bool good = merge_add(m, path), holds;
	json_t *report, *old;
	const char *verdict;

	merge_add(m, path);
	report = merge_result(m);
	merge_free(m);
	verdict = text_of(report, "verdict");
	holds = (good || strcmp(verdict, "pass") != 0) && written_is(report);
	for (const struct report_format *f = report_formats; f->name; f++)
		f->print(nowhere, report);
	suppressions_apply(report);
	old = baseline_read(path);
	if (old)
		baseline_apply(report, old);
	json_decref(old);
	report_evaluate(report, FAIL_ON_NEW);
	json_decref(report);
	return holds;
}

/* Numbers of a file in memory form: words are put where they hurt. */
static bool fuzz_calls(void)
{
	static const uint64_t nasty[] = {0, 1, 3, UINT64_MAX, UINT64_C(0xffffffff) << 16, 0x7fffffff, 0xffff};
	json_t *calls;

	for (unsigned i = pick(40); i > 0 && input_size > 1024; i--)
		memcpy(input + 256 + 8 * pick((uint32_t)(input_size - 512) / 8), &nasty[pick(7)], 8);
	write_input();
	calls = last_calls_read(path, FUZZ_PID);
	said = calls == NULL;
	if (calls)
		json_dumpf(calls, nowhere, 0);
	json_decref(calls);
	return true;
}

/* What a thread of this process might have left. */
static bool make_calls(const char *to)
{
	struct last_calls_area *a = calloc(1, sizeof(*a));
	FILE *f = fopen(to, "we");
	bool good = a && f;

	if (!good)
		return false;
	a->magic = LASTCALLS_MAGIC;
	a->model = last_calls_model();
	a->pid = FUZZ_PID;
	a->rings = LASTCALLS_RINGS;
	a->entries = LASTCALLS_ENTRIES;
	a->words = LASTCALLS_WORDS;
	for (unsigned i = 0; i < LASTCALLS_RINGS * LASTCALLS_ENTRIES; i++) {
		struct last_calls_entry *e = &a->ring[i / LASTCALLS_ENTRIES].entries[i % LASTCALLS_ENTRIES];

		e->what = UINT64_C(7) << 32 | (uint64_t)(i % acl_api_count) << 16 | LASTCALLS_WORDS;
		e->state = (i / 2 + 1) << 1 | (i & 1);
		e->result = i % 3 ? 0 : 507899;
	}
	good = fwrite(a, sizeof(*a), 1, f) == 1;
	good &= !fclose(f);
	free(a);
	return good;
}

/* A program that may be anybody's: its head and its dynamic section. */
static bool fuzz_program(void)
{
	char name[PATH_MAX], runtime[64] = "";
	enum runtime_dependency how;

	snprintf(name, sizeof(name), "%s", path);
	preloadable(name, sizeof(name));
	how = runtime_dependency(path, "/nowhere::$ORIGIN", runtime, sizeof(runtime));
	said = how != RUNTIME_NEEDED;
	return how == RUNTIME_NOT_NEEDED || how == RUNTIME_MAY_BE_STARTED || is_runtime(runtime);
}

/* Notes of children, alone in a directory. */
static bool fuzz_notes(void)
{
	char directory[] = "/tmp/aclcheck-notes-XXXXXX", file[64];
	struct uncovered *u;
	bool good;

	if (!mkdtemp(directory))
		return false;
	snprintf(file, sizeof(file), "%s/x.notes", directory);
	good = !rename(path, file);
	u = uncovered_new(directory, true);
	said = !strstr(uncovered_found(u), "ran /");
	good &= strlen(uncovered_found(u)) < 512;
	uncovered_free(u);
	good &= !rename(file, path);
	rmdir(directory);
	return good;
}

static bool make_notes(const char *to, const char *program)
{
	static const char end[] = "\0/lib:/usr/lib\0environment\0pid:[4026531836]";
	FILE *f = fopen(to, "we");

	if (!f)
		return false;
	fprintf(f, "17%c/bin/true", 0);
	fwrite(end, sizeof(end), 1, f);
	fprintf(f, "18%c%s", 0, program);
	fwrite(end, sizeof(end), 1, f);
	return !fclose(f);
}

struct target {
	const char *name;
	bool (*run)(void);
	const char *const *seeds; /* texts, or file names after '@' */
};

static void load_seed(const char *seed)
{
	FILE *f;

	input_size = strlen(seed);
	if (*seed != '@') {
		memcpy(input, seed, input_size);
		return;
	}
	f = fopen(seed + 1, "re");
	if (!f) {
		printf("Bail out! %s cannot be read\n", seed + 1);
		exit(1);
	}
	input_size = fread(input, 1, INPUT_MAX, f);
	fclose(f);
}

static bool run_target(const struct target *t, unsigned rounds, uint64_t seed)
{
	unsigned n = 0, complaints = 0;

	while (t->seeds[n])
		n++;
	for (unsigned round = 0; round < rounds; round++) {
		random_state = (seed + round) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		load_seed(t->seeds[round % n]);
		/* The seeds themselves come first. */
		for (unsigned i = round < n ? 0 : 1 + pick(6); i > 0; i--)
			mutate();
		write_input();
		said = 0;
		if (!t->run()) {
			printf("# %s: seed %llu, round %u\n", t->name, (unsigned long long)seed, round);
			return false;
		}
		complaints += said != 0;
	}
	printf("# %s: %u of %u inputs were refused\n", t->name, complaints, rounds);
	/* A mutator that breaks nothing, or everything, tests nothing. */
	return complaints > rounds / 10 && complaints < rounds;
}

int main(int argc, char **argv)
{
	static const char *const configs[] = {
		"{\"lang\": \"zh\", \"rules\": [\"+perf\", \"-event-*\"], \"exitcode\": 3}",
		"{\"report\": \"x%p.json\", \"fail_on\": \"warning\", \"target_cann\": \"9.1\", \"stacks\": "
		"null}",
		NULL};
	static const char *const faults[] = {
		"aclrtMalloc:when=3:error=207001;aclrtMemcpyAsync:p=0.01:seed=7:error=507899;"
		"aclrtSynchronizeStream:delay=50ms",
		"aclrt*Event*:at=copy.cpp#42:when=10+:delay=3s; aclrtFree:thread=worker*:p=1:error=1", NULL};
	static const char *const suppressions[] = {
		"{\"suppressions\": [{\"rule\": \"async-*\", \"function\": \"copy_*\", \"file\": \"*.c\", "
		"\"reason\": \"x\", "
		"\"until\": \"2027-01-31\", \"rank\": \"0-3,8\", \"object\": \"*memory\", \"note\": \"n\"},"
		"{\"fingerprint\": \"0123456789abcdef\", \"module\": \"lib?.so\", \"reason\": \"y\"}]}",
		"{\"note\": \"n\", \"expect\": [{\"rule\": \"*\", \"call\": \"aclrt*\", \"reason\": \"z\"}, "
		"{\"rule\": \"x\", "
		"\"until\": \"2020-01-31\", \"reason\": \"z\"}], \"suppressions\": []}",
		NULL};
	static const char *reports[8], *calls[2];
	static char calls_path[sizeof(path) + 8], notes_path[sizeof(path) + 8];
	const char *const programs[] = {argc > 3 ? argv[3] : "", NULL}, *const notes[] = {notes_path, NULL};
	const struct target targets[] = {{"configuration", fuzz_config, configs},
		{"suppressions", fuzz_suppressions, suppressions}, {"faults", fuzz_faults, faults},
		{"reports, journals, baselines", fuzz_report, reports}, {"last calls", fuzz_calls, calls},
		{"programs", fuzz_program, programs}, {"notes of children", fuzz_notes, notes}};
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000, failed = 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	int fd = mkstemp(path);

	for (int i = 4; i < argc && i < 11; i++)
		reports[i - 4] = argv[i];
	nowhere = fopen("/dev/null", "we");
	if (fd < 0 || !nowhere || !reports[0])
		return 2;
	close(fd);
	snprintf(calls_path, sizeof(calls_path), "@%s.calls", path);
	calls[0] = calls_path;
	snprintf(notes_path, sizeof(notes_path), "@%s.notes", path);
	if (!make_calls(calls_path + 1) || !make_notes(notes_path + 1, programs[0] + 1))
		return 2;
	printf("1..%zu\n", sizeof(targets) / sizeof(*targets));
	for (unsigned i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		bool good = run_target(&targets[i], rounds, seed);

		printf("%s %u - %s\n", good ? "ok" : "not ok", i + 1, targets[i].name);
		failed += !good;
	}
	unlink(path);
	unlink(calls_path + 1);
	unlink(notes_path + 1);
	fclose(nowhere);
	return failed != 0;
}
