/* SPDX-License-Identifier: Apache-2.0 */
/* Merging reports and journals by fingerprint. */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/report/merge_parts.h"
#include "interpose/common/report_format.h"
#include "tools/aclcheck/common/command.h"

#define CALLS_MAX                                                                                            \
	64 /* killed processes whose last calls are kept: the others' end is reported all the same */

/* A finding as a journal numbers it, for the records that count it again. */
struct journal_finding {
	UT_hash_handle hh;
	json_int_t serial, count, site;
	struct merged_finding *finding;
};

struct merge {
	struct finding_table table;
	struct finding_read reading;
	json_t *doubts; /* by reason */
	struct merged_call_coverage call_coverage;
	struct merged_rule_coverage rules;
	json_t *processes, *runs, *expectations, *injected, *cost, *evidence_ends;
	json_int_t calls;
	unsigned with_calls, files;
	uint64_t seen, bytes; /* findings and files read so far */
	double began, progress; /* seconds; began -1 = no terminal to show it on */
	uint64_t process; /* ordinal of the one being read, from 1 */
	/* Of the file being read. */
	const char *path;
	struct span text;
	bool journal;
	struct span findings; /* of a report */
	struct finding_counts counts; /* of those */
	json_t *head; /* process members of the report or journal */
	struct journal_finding *order; /* journal: by serial */
	int rank;
	bool bad, ended, against_baseline;
	char wrong[256]; /* what made it bad */
};

struct merge *merge_new(void)
{
	struct merge *m = need(calloc(1, sizeof(*m)));

	m->doubts = need(json_object());
	m->processes = need(json_array());
	m->evidence_ends = need(json_object());
	m->runs = need(json_array());
	return m;
}

void merge_free(struct merge *m)
{
	finding_table_free(&m->table);
	free(m->reading.kept);
	json_decref(m->doubts);
	json_decref(call_coverage_result(&m->call_coverage));
	json_decref(rule_coverage_result(&m->rules));
	json_decref(m->processes);
	json_decref(m->runs);
	json_decref(m->expectations);
	json_decref(m->injected);
	json_decref(m->cost);
	json_decref(m->evidence_ends);
	free(m);
}

size_t merge_processes(const struct merge *m)
{
	return json_array_size(m->processes);
}

bool merge_is_against_baseline(const struct merge *m)
{
	/* What is known by one report's baseline may be new by another's. */
	return m->files == 1 && m->against_baseline;
}

static bool ends(const char *name, const char *tail)
{
	size_t n = strlen(name), k = strlen(tail);

	return n >= k && !strcmp(name + n - k, tail);
}

static size_t line_of(const struct merge *m, const char *at)
{
	size_t line = 1;

	for (const char *p = m->text.at; p < at; p++)
		line += *p == '\n';
	return line;
}

static bool complain(struct merge *m, const char *at, const char *what)
{
	const char *slash = strrchr(m->path, '/');

	command_say("%s:%zu: %s", m->path, line_of(m, at), what);
	snprintf(m->wrong, sizeof(m->wrong), "%.120s: %.120s", slash ? slash + 1 : m->path, what);
	m->bad = true;
	return false;
}

static json_t *merge_parse(struct merge *m, struct span value)
{
	json_error_t error;
	json_t *json = json_loadb(value.at, (size_t)(value.end - value.at), JSON_DECODE_ANY, &error);

	if (!json)
		complain(m, value.at, error.text);
	return json;
}

/* --- findings ---------------------------------------------------------------- */

json_int_t span_number(struct span s, json_int_t otherwise)
{
	char digits[24];
	size_t n = (size_t)(s.end - s.at);

	if (!s.at || !n || n >= sizeof(digits))
		return otherwise;
	memcpy(digits, s.at, n);
	digits[n] = '\0';
	return sane_count(strtoll(digits, NULL, 10));
}

static struct journal_finding *by_serial(const struct merge *m, json_int_t serial)
{
	struct journal_finding *known;

	HASH_FIND(hh, m->order, &serial, sizeof(serial), known);
	return known;
}

static void remember_serial(
	struct merge *m, struct merged_finding *f, json_int_t serial, json_int_t count, json_int_t site)
{
	struct journal_finding *known = by_serial(m, serial);

	if (!known) {
		known = need(calloc(1, sizeof(*known)));
		known->serial = serial;
		HASH_ADD(hh, m->order, serial, sizeof(serial), known);
	}
	known->finding = f;
	known->count = count;
	known->site = site;
}

static void forget_serials(struct merge *m)
{
	struct journal_finding *known, *next;

	HASH_ITER(hh, m->order, known, next)
	{
		HASH_DEL(m->order, known);
		free(known);
	}
}

/* On a terminal, when it takes longer than a moment. */
static void show_progress(struct merge *m)
{
	struct timespec t;
	double now;

	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	if (!m->began)
		m->began = isatty(STDERR_FILENO) ? now : -1;
	if (m->began < 0 || now - m->began < 0.2 || now - m->progress < 0.1)
		return;
	m->progress = now;
	fprintf(stderr, "\raclcheck: %zu processes, %u findings, %.0f MB read\033[K",
		json_array_size(m->processes), HASH_COUNT(m->table.found), (double)m->bytes / 1e6);
}

static void end_progress(struct merge *m)
{
	if (m->progress > 0)
		fputs("\r\033[K", stderr);
	m->progress = 0;
}

/* Counts what was read; json: the same as a tree, where that was needed. */
static bool count_finding(struct merge *m, struct span value, json_t *json)
{
	const struct finding_read *r = &m->reading;
	size_t n = r->fingerprint.at ? (size_t)(r->fingerprint.end - r->fingerprint.at) : 0;
	json_int_t site = 0, count = span_number(r->count, 1);
	const char *wrong = finding_check(r);
	struct merged_finding *f;

	if (!n || n >= FINDING_KEY_MAX - 1 || memchr(r->fingerprint.at, '\0', n))
		return complain(m, value.at, "a finding has no fingerprint");
	if (wrong)
		return complain(m, value.at, wrong);
	finding_count(&m->counts, r, count);
	f = finding_of(&m->table, r);
	f->count += count;
	if (f->last_process != m->process)
		f->processes++;
	f->last_process = m->process;
	finding_add_rank(f, m->rank);
	if (r->merged)
		finding_take_over(f, json);
	if (!r->merged || !sites_take_over(&f->sites, json))
		site = sites_add(&f->sites, r->stack, count);
	/* Suppressed on some ranks only is not suppressed. */
	f->shown |= span_is(r->suppressed, "false");
	if (m->journal && r->serial.at)
		remember_serial(m, f, span_number(r->serial, 0), count, site);
	return true;
}

/* Unusual, but good where jansson takes it: read as jansson writes it. */
static bool add_rewritten(struct merge *m, struct span value)
{
	json_t *json = merge_parse(m, value);
	char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	struct span rewritten = {text, text ? text + strlen(text) : NULL};
	bool good = text && finding_read_rewritten(&m->reading, &rewritten);

	if (good)
		good = count_finding(m, value, json);
	else if (json)
		complain(m, value.at, "a finding is not well formed");
	free(text);
	json_decref(json);
	return good;
}

static bool ignore_member(void *context, struct span key, struct span value)
{
	(void)context, (void)key, (void)value;
	return true;
}

/* The finding that *value begins with; its end is moved there. */
static bool add_finding(void *context, struct span *value)
{
	struct merge *m = context;
	struct span rest = *value;
	json_t *json;
	bool good;

	if (!(++m->seen % 4096))
		show_progress(m);
	if (!finding_read(&m->reading, value)) {
		*value = rest;
		if (!scan_first_object(value, ignore_member, NULL))
			return complain(m, value->at, "a finding is not well formed");
		return add_rewritten(m, *value);
	}
	json = m->reading.merged ? merge_parse(m, *value) : NULL;
	good = (json || !m->reading.merged) && count_finding(m, *value, json);
	json_decref(json);
	return good;
}

/* --- doubts ------------------------------------------------------------------- */

static void add_doubt(struct merge *m, const char *reason, const char *text, json_int_t processes)
{
	json_t *doubt = json_object_get(m->doubts, reason), *ranks;

	if (!doubt) {
		doubt = json_pack("{s:s, s:s}", "reason", reason, "text", text);
		if (!doubt)
			return;
		json_object_set_new(m->doubts, reason, doubt);
	}
	if (processes)
		json_object_set_new(
			doubt, "processes", json_integer(number_of(doubt, "processes") + processes));
	if (m->rank < 0)
		return;
	ranks = json_object_get(doubt, "ranks");
	if (!ranks)
		json_object_set_new(doubt, "ranks", ranks = json_array());
	json_array_append_new(ranks, json_integer(m->rank));
}

void merge_inconclusive(struct merge *m, const char *reason, const char *text)
{
	m->rank = -1;
	add_doubt(m, reason, text, 0);
}

static void add_doubts(struct merge *m, const json_t *list)
{
	const json_t *doubt;
	size_t i;

	json_array_foreach(list, i, doubt)
	{
		json_int_t n = sane_count(number_of(doubt, "processes"));

		if (*text_of(doubt, "reason"))
			add_doubt(m, text_of(doubt, "reason"), text_of(doubt, "text"), n ? n : 1);
	}
}

/* --- processes ---------------------------------------------------------------- */

/* What is kept of each process: short, as there may be thousands. */
static void add_process(struct merge *m)
{
	static const char *const keep[] = {"pid", "ppid", "host", "rank", "argv", "started", "ended", "end",
		"verdict", "calls", "settings", "runtime", "runtime_version", "python", "last_calls",
		"last_calls_lost", "log_dropped"};
	json_t *process = json_object(), *list = json_object_get(m->head, "processes");

	m->calls += sane_count(number_of(m->head, "calls"));
	call_coverage_add(&m->call_coverage, json_object_get(m->head, "reach"));
	if (!m->cost)
		m->cost = need(json_object());
	counts_add(m->cost, json_object_get(m->head, "cost"));
	counts_add(m->evidence_ends, json_object_get(m->head, "evidence_ends"));
	expectations_add(&m->expectations, json_object_get(m->head, "expectations"));
	injected_add(&m->injected, json_object_get(m->head, "injected"));
	rule_coverage_add(&m->rules, json_object_get(m->head, "rules"));
	if (json_is_array(json_object_get(m->head, "runs")))
		json_array_extend(m->runs, json_object_get(m->head, "runs"));
	if (json_is_array(list)) {
		json_array_extend(m->processes, list);
		json_decref(process);
		return;
	}
	for (size_t i = 0; i < sizeof(keep) / sizeof(*keep); i++) {
		json_t *value = json_object_get(m->head, keep[i]);

		if (value)
			json_object_set(process, keep[i], value);
	}
	if (!m->ended)
		json_object_set_new(process, "end", json_string("killed"));
	json_array_append_new(m->processes, process);
}

static void begin_process(struct merge *m)
{
	m->process++;
	m->head = need(json_object());
	m->rank = -1;
	m->ended = m->journal = false;
	m->findings = (struct span){NULL, NULL};
	m->counts = (struct finding_counts){.listed = 0};
}

static void add_killed(struct merge *m)
{
	const char *program = json_string_value(json_array_get(json_object_get(m->head, "argv"), 0));
	char text[512];

	if (number_of(m->head, "pid") > 0)
		snprintf(text, sizeof(text), "process %lld (%.300s) ended without its end record",
			number_of(m->head, "pid"), program ? program : "unknown");
	else
		snprintf(text, sizeof(text), "%.300s: the journal has no beginning", m->path);
	add_doubt(m, "process-killed", text, 1);
}

static void end_process(struct merge *m)
{
	add_doubts(m, json_object_get(m->head, "inconclusive"));
	if (!m->ended && !m->bad)
		add_killed(m);
	/* A file that is none of ours stands for no process. */
	if (!m->bad || json_object_get(m->head, "aclcheck"))
		add_process(m);
	json_decref(m->head);
	forget_serials(m);
	m->head = NULL;
}

/* --- a report ------------------------------------------------------------------ */

static bool report_member(void *context, struct span key, struct span value)
{
	struct merge *m = context;
	json_t *json;
	char name[64];
	size_t n = (size_t)(key.end - key.at);

	if (span_is(key, "findings"))
		m->findings = value;
	if (span_is(key, "findings") || span_is(key, "modules") || n >= sizeof(name))
		return true;
	json = merge_parse(m, value);
	if (!json)
		return false;
	memcpy(name, key.at, n);
	name[n] = '\0';
	json_object_set_new(m->head, name, json);
	return true;
}

/* What a newer release means by its members is not known here. */
static void check_format(struct merge *m)
{
	const json_t *format = json_object_get(m->head, "format");
	const json_int_t n = json_integer_value(format);
	char text[120];

	if (m->bad || !format || (json_is_integer(format) && n >= 1 && n <= REPORT_FORMAT))
		return;
	if (n > REPORT_FORMAT)
		snprintf(text, sizeof(text), "format %lld is newer than this aclcheck reads (%d)",
			(long long)n, REPORT_FORMAT);
	else
		snprintf(text, sizeof(text), "'%s' is missing or not of its kind", "format");
	complain(m, m->text.at, text);
	json_object_clear(m->head);
}

/* Findings last: the rank may stand behind them. */
static void add_report(struct merge *m)
{
	struct span report = m->text, behind;
	const json_t *rank;
	char why[120];

	begin_process(m);
	if (!scan_first_object(&report, report_member, m) && !m->bad)
		complain(m, m->text.at, "this is not a report of aclcheck");
	behind = span_trim((struct span){report.end, m->text.end});
	if (!m->bad && behind.at != behind.end)
		complain(m, behind.at, "more stands behind the report: each is a file of its own");
	rank = json_object_get(m->head, "rank");
	if (json_is_integer(rank))
		m->rank = (int)json_integer_value(rank);
	m->ended = json_object_get(m->head, "verdict") != NULL;
	m->against_baseline = !strcmp(text_of(m->head, "fail_on"), "new");
	if (!m->bad && !m->ended)
		complain(m, m->text.at, "this is not a report of aclcheck");
	check_format(m);
	if (!m->bad && m->findings.at && !scan_array(m->findings, add_finding, m) && !m->bad)
		complain(m, m->findings.at, "the list of findings is not well formed");
	if (!m->bad && !report_check(m->head, m->findings.at != NULL, &m->counts, why, sizeof(why)))
		complain(m, m->text.at, why);
	end_process(m);
}

/* --- a journal ------------------------------------------------------------------ */

static bool record_member(void *context, struct span key, struct span value)
{
	struct span *kind = context;

	/* "record" comes first in each line. */
	if (span_is(key, "record"))
		span_string(value, kind);
	return false;
}

static void start_record(struct merge *m, struct span line)
{
	json_t *start = merge_parse(m, line);

	if (!start)
		return;
	if (json_object_get(m->head, "record"))
		complain(m, line.at, "more stands behind the report: each is a file of its own");
	json_object_del(start, "modules");
	json_object_update(m->head, start);
	check_format(m);
	if (json_is_integer(json_object_get(start, "rank")))
		m->rank = (int)json_integer_value(json_object_get(start, "rank"));
	json_decref(start);
}

static void finding_record(struct merge *m, struct span line)
{
	struct span finding = line;

	if (add_finding(m, &finding) && span_trim((struct span){finding.end, line.end}).at != line.end)
		complain(m, line.at, "this line is not a journal record");
}

static void repeat_record(struct merge *m, struct span line)
{
	json_t *repeat = merge_parse(m, line);
	struct journal_finding *known;
	json_int_t count;

	if (!repeat)
		return;
	known = by_serial(m, number_of(repeat, "serial"));
	count = sane_count(number_of(repeat, "count"));
	if (known && count > known->count) {
		known->finding->count += count - known->count;
		sites_count(known->finding->sites, known->site, count - known->count);
		known->count = count;
	}
	json_decref(repeat);
}

static void end_record(struct merge *m, struct span line)
{
	json_t *json = merge_parse(m, line);

	if (!json)
		return;
	json_object_update(m->head, json);
	m->ended = true;
	json_decref(json);
}

/* What the end record, if it comes, has all of. */
static void list_record(struct merge *m, struct span line, const char *member)
{
	json_t *json = merge_parse(m, line), *list = json_object_get(m->head, member);

	if (!json)
		return;
	json_object_del(json, "record");
	if (!list)
		json_object_set_new(m->head, member, list = json_array());
	json_array_append_new(list, json);
}

static void add_line(struct merge *m, struct span line)
{
	struct span kind = {0};

	if (!scan_object(line, record_member, &kind) || !kind.at)
		complain(m, line.at, "this line is not a journal record");
	else if (span_is(kind, "start"))
		start_record(m, line);
	else if (span_is(kind, "finding"))
		finding_record(m, line);
	else if (span_is(kind, "repeat"))
		repeat_record(m, line);
	else if (span_is(kind, "resume"))
		m->ended = false;
	else if (span_is(kind, "end"))
		end_record(m, line);
	else if (span_is(kind, "inconclusive"))
		list_record(m, line, "inconclusive");
	else if (span_is(kind, "injected"))
		list_record(m, line, "injected");
}

/* REPORT.part -> REPORT.calls. A normal end, or an exec, has removed it. */
static void read_calls(struct merge *m)
{
	const size_t n = strlen(m->path) - strlen(".part");
	json_t *calls;
	char *path;

	if (m->with_calls == CALLS_MAX || !ends(m->path, ".part") ||
		asprintf(&path, "%.*s.calls", (int)n, m->path) < 0)
		return;
	calls = last_calls_read(path, number_of(m->head, "pid"));
	if (calls)
		json_object_set_new(m->head, "last_calls", calls);
	m->with_calls += calls != NULL;
	free(path);
}

/* The last line of a killed process may be cut: without its newline it does not count. */
static void add_journal(struct merge *m)
{
	struct span line = m->text;

	begin_process(m);
	m->journal = true;
	while (line.at < m->text.end && !m->bad) {
		line.end = memchr(line.at, '\n', (size_t)(m->text.end - line.at));
		if (!line.end)
			break;
		add_line(m, line);
		line.at = line.end + 1;
	}
	json_object_del(m->head, "last_calls");
	if (!m->ended && !m->bad)
		read_calls(m);
	end_process(m);
}

static bool is_journal(struct span text)
{
	struct span kind = {0}, line = text;

	line.end = memchr(text.at, '\n', (size_t)(text.end - text.at));
	/* Killed within its first line. */
	if (!line.end)
		line.end = text.end;
	scan_object(line, record_member, &kind);
	return kind.at || text.at == text.end;
}

/* --- files ------------------------------------------------------------------------ */

static bool add_file(struct merge *m, const char *path)
{
	struct span mapped;

	m->path = path;
	m->bad = m->against_baseline = false;
	m->files++;
	if (!mapped_file(path, &mapped)) {
		m->rank = -1;
		add_doubt(m, "report-unreadable", "a report could not be read", 1);
		return false;
	}
	m->text = span_trim(mapped);
	m->bytes += (uint64_t)(mapped.end - mapped.at);
	show_progress(m);
	if (is_journal(m->text))
		add_journal(m);
	else
		add_report(m);
	mapped_file_free(mapped);
	if (m->bad)
		add_doubt(m, "report-unreadable", m->wrong, 1);
	return !m->bad;
}

static int merge_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Journals end in .part and reports in .json; while a report is being written both may be there. */
static bool add_directory(struct merge *m, const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, merge_by_name);
	bool good = true;

	if (n < 0) {
		command_say("%s: %s", path, strerror(errno));
		return false;
	}
	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		char *file = NULL, *report;

		if (*name != '.' && (ends(name, ".json") || ends(name, ".part")) &&
			asprintf(&file, "%s/%s", path, name) >= 0) {
			report = need(strdup(file));
			if (ends(report, ".part"))
				report[strlen(report) - 5] = '\0';
			if (!ends(name, ".part") || access(report, F_OK))
				good &= add_file(m, file);
			free(report);
		}
		free(file);
		free(list[i]);
	}
	free(list);
	return good;
}

bool merge_add(struct merge *m, const char *path)
{
	struct stat st;
	char *part;
	bool good;

	if (!filestat_path(path, &st) && S_ISDIR(st.st_mode))
		return add_directory(m, path);
	/* A process that was killed left its journal instead of its report. */
	if (access(path, F_OK) && asprintf(&part, "%s.part", path) >= 0) {
		good = !access(part, F_OK);
		if (good)
			good = add_file(m, part);
		else
			command_say("%s: %s", path, strerror(ENOENT));
		free(part);
		return good;
	}
	return add_file(m, path);
}

/* --- the result ---------------------------------------------------------------------- */

static bool warning_fails(const json_t *processes)
{
	const json_t *p;
	size_t i;

	json_array_foreach(processes, i,
		p) if (!strcmp(text_of(json_object_get(p, "settings"), "fail_on"), "warning")) return true;
	return false;
}

/* Everything but the findings, which are given as they are needed. */
static json_t *result(struct merge *m, json_t *findings)
{
	json_t *report = json_pack(
		"{s:s, s:i, s:s}", "aclcheck", ACLCHECK_VERSION, "format", REPORT_FORMAT, "verdict", "pass");
	json_t *doubts = json_array(), *reach = call_coverage_result(&m->call_coverage), *doubt;
	json_t *rules = rule_coverage_result(&m->rules);
	const char *reason;

	end_progress(m);
	json_object_foreach(m->doubts, reason, doubt) json_array_append(doubts, doubt);
	if (!json_array_size(m->processes) && !json_array_size(doubts))
		json_array_append_new(doubts, json_pack("{s:s, s:s}", "reason", "nothing-observed", "text",
						      "no process made an acl call"));
	json_object_set_new(report, "totals", json_object());
	json_object_set_new(report, "calls", json_integer(m->calls));
	json_object_set_new(report, "inconclusive", doubts);
	json_object_set(report, "evidence_ends", m->evidence_ends);
	json_object_set(report, "processes", m->processes);
	if (json_array_size(m->runs))
		json_object_set(report, "runs", m->runs);
	if (json_object_size(m->cost))
		json_object_set(report, "cost", m->cost);
	if (m->expectations)
		json_object_set_new(report, "expectations", sums_list(m->expectations));
	if (m->injected)
		json_object_set_new(report, "injected", sums_list(m->injected));
	if (reach)
		json_object_set_new(report, "reach", reach);
	if (rules)
		json_object_set_new(report, "rules", rules);
	json_object_set_new(report, "findings", findings);
	report_evaluate(report, warning_fails(m->processes) ? FAIL_ON_WARNING : FAIL_ON_ERROR);
	return report;
}

json_t *merge_result(struct merge *m)
{
	return result(m, finding_table_list(&m->table));
}

json_t *merge_write(struct merge *m, FILE *to)
{
	json_t *head = result(m, finding_table_grades(&m->table));
	char *text;
	size_t n;

	json_object_del(head, "findings");
	missing_lines_resolve(head);
	text = need(json_dumps(head, JSON_INDENT(1)));
	n = strlen(text);
	/* The findings are its last member. */
	fwrite(text, 1, n - 2, to);
	fputs(",\n \"findings\": ", to);
	finding_table_write(&m->table, to);
	fputs("\n}\n", to);
	free(text);
	return head;
}
