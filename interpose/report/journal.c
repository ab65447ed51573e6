/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the journal record by record, and the report out of what was kept. */
#include "interpose/report/journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interpose/report/rule_coverage_json.h"
#include "interpose/report/report_lock.h"
#include "interpose/report/tool_cost.h"
#include "interpose/report/expectations.h"
#include "interpose/report/injected_faults.h"
#include "interpose/config/job_identity.h"
#include "interpose/report/finding_store.h"
#include "interpose/report/last_calls.h"
#include "interpose/report/log.h"
#include "interpose/report/log_stream.h"
#include "interpose/symbolize/python_status.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/real_function.h"
#include "interpose/report/call_coverage.h"
#include "interpose/config/run_membership.h"
#include "interpose/config/run_settings.h"
#include "interpose/common/run_socket.h"
#include "interpose/common/report_format.h"
#include "interpose/common/rule_switches.h"
#include "interpose/common/notify_parent.h"
#include "interpose/report/verdict.h"
#include "interpose/common/errno_text.h"
#include "interpose/common/utc.h"

#define ARGV_SHOWN 64

/*
 * One is where the user wants it, one is the run's: a process that was given a path of its own, or none, is a
 * part of the run all the same.
 */
struct journal {
	bool active, finished;
	struct out_file part;
	char report[OUT_PATH_MAX];
};

enum { FOR_USER, FOR_RUN, JOURNALS };
static struct journal journals[JOURNALS];
static char started[UTC_SIZE];

/* Said once; the program goes on. */
static void lost(struct journal *which, const char *path, int error)
{
	char line[OUT_PATH_MAX + 160];
	struct text t;

	which->active = false;
	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s cannot be written: %s", path,
		error == EISDIR   ? "it is not a regular file"
		: error == ESTALE ? "another file stands there now"
				  : errno_text(error));
	log_line(line);
	verdict_add_reason(REASON_REPORT, line);
	notify_parent(settings_text(SETTING_JOB), run_directory(), line);
}

static void append(const struct text *t)
{
	for (struct journal *j = journals; j < journals + JOURNALS; j++) {
		if (!j->active)
			continue;
		if (t->cut)
			lost(j, j->part.path, EFBIG);
		else if (!out_file_append(&j->part, t->buf, t->len))
			lost(j, j->part.path, errno);
	}
}

static void journal_record(struct jout *j, struct text *scratch, const char *kind)
{
	text_init(scratch, scratch->buf, scratch->cap);
	jout_init(j, scratch);
	jout_object(j, NULL);
	jout_string(j, "record", kind);
}

static void record_end(struct jout *j)
{
	jout_object_end(j);
	text_char(j->t, '\n');
	append(j->t);
}

static void arguments(struct jout *j)
{
	char argv[4096];
	size_t n = identity_argv(argv, sizeof(argv) - 1);
	unsigned shown = 0;

	argv[n] = '\0';
	jout_array(j, "argv");
	for (const char *a = argv; a < argv + n && shown < ARGV_SHOWN; a += strlen(a) + 1, shown++)
		jout_string(j, NULL, a);
	jout_array_end(j);
}

static void settings(struct jout *j)
{
	jout_object(j, "settings");
	for (unsigned s = 0; s < SETTING_COUNT; s++)
		if (strcmp(settings_text((enum setting)s), setting_table[s].dflt))
			jout_string(j, setting_table[s].word, settings_text((enum setting)s));
	jout_object_end(j);
}

static void modules(struct jout *j)
{
	const struct acl_module *m;

	jout_array(j, "modules");
	for (uint32_t id = 1; (m = module_by_id(id)); id++) {
		char hex[41];
		struct text t;

		text_init(&t, hex, sizeof(hex));
		for (unsigned i = 0; i < m->build_id_len; i++)
			text_hex_digits(&t, m->build_id[i], 2);
		jout_object(j, NULL);
		jout_string(j, "path", m->path);
		jout_hex(j, "start", m->start);
		if (m->build_id_len)
			jout_string(j, "build_id", hex);
		jout_object_end(j);
	}
	jout_array_end(j);
}

/* Who and what: the same members in journal and report. job, pid and host stay in front (see report_lock.c).
 */
static void header(struct jout *j)
{
	char job[512];
	struct text t;

	text_init(&t, job, sizeof(job));
	identity_job(&t);
	jout_string(j, "aclcheck", ACLCHECK_VERSION);
	jout_uint(j, "format", REPORT_FORMAT);
	jout_string(j, "job", job);
	jout_uint(j, "pid", identity_pid());
	jout_string(j, "host", identity_host());
	jout_uint(j, "ppid", identity_ppid());
	if (identity_rank() >= 0)
		jout_int(j, "rank", identity_rank());
	jout_string(j, "started", started);
	arguments(j);
	settings(j);
}

/* no_calls: why the last calls will not be known should the process be killed. */
static void start_record(struct text *scratch, const char *no_calls)
{
	struct jout j;

	journal_record(&j, scratch, "start");
	header(&j);
	jout_string(&j, "last_calls_lost", no_calls);
	modules(&j);
	record_end(&j);
}

static void open_one(struct journal *which, const char *wanted)
{
	char job[512], line[OUT_PATH_MAX + 64];
	struct text t;

	text_init(&t, job, sizeof(job));
	identity_job(&t);
	if (report_lock_take(wanted, job, &which->part, which->report) != REPORT_LOCK_TAKEN) {
		lost(which, wanted, errno);
		return;
	}
	which->active = true;
	if (strcmp(wanted, which->report)) {
		text_init(&t, line, sizeof(line));
		text_fmt(&t, "process %u reports to %s: another process of this run has %s",
			(uint64_t)getpid(), which->report, wanted);
		log_line(line);
	}
}

static void open_all(void)
{
	char path[OUT_PATH_MAX], name[OUT_PATH_MAX];
	struct text t;

	if (*settings_text(SETTING_REPORT)) {
		/* What stands before it is no pattern. */
		text_init(&t, name, sizeof(name));
		identity_expand(&t, settings_text(SETTING_REPORT));
		settings_path(name, path, sizeof(path));
		open_one(&journals[FOR_USER], path);
	}
	if (*run_directory()) {
		text_init(&t, path, sizeof(path));
		text_fmt(&t, "%s/", run_directory());
		identity_expand(&t, RUN_REPORT);
		open_one(&journals[FOR_RUN], path);
	}
}

/* The run's comes first: the command reads what a killed process called last. */
static const struct journal *main_journal(void)
{
	return journals[FOR_RUN].active ? &journals[FOR_RUN] : &journals[FOR_USER];
}

/* Why they will not be known should the process be killed, or NULL. */
static const char *begin_last_calls(void)
{
	const char *why;

	last_calls_begin(journal_active() ? main_journal()->report : NULL, &why);
	return why;
}

void journal_begin(struct text *scratch)
{
	const char *no_calls;

	if (settings_report_wanted()) {
		utc_text(identity_time(), started);
		open_all();
	}
	no_calls = begin_last_calls();
	if (journal_active())
		start_record(scratch, no_calls);
}

bool journal_active(void)
{
	return journals[FOR_USER].active || journals[FOR_RUN].active;
}

void journal_finding(struct text *scratch, const struct finding_record *s)
{
	struct stored_finding *k;
	struct jout j;
	size_t start;

	journal_record(&j, scratch, "finding");
	/* The report's object is the record without its brace and first member. */
	start = scratch->len + 1;
	finding_json(&j, s);
	if (!scratch->cut) {
		k = finding_store_add(s->f->serial, scratch->buf + start, scratch->len - start);
		if (k)
			k->count = s->f->repeat;
		else
			verdict_add_reason(
				REASON_TABLE, "too many findings for the report; the journal has all");
	}
	jout_uint(&j, "count", s->f->repeat);
	record_end(&j);
}

void journal_repeat(struct text *scratch, const struct finding_record *s)
{
	struct stored_finding *k = finding_store_find(s->f->serial);
	struct jout j;

	if (!k) {
		journal_finding(scratch, s);
		return;
	}
	k->count = s->f->repeat;
	journal_record(&j, scratch, "repeat");
	jout_uint(&j, "serial", k->serial);
	jout_uint(&j, "count", k->count);
	record_end(&j);
}

void journal_reason(struct text *scratch, const char *reason, const char *text)
{
	struct jout j;

	journal_record(&j, scratch, "inconclusive");
	jout_string(&j, "reason", reason);
	jout_string(&j, "text", text);
	record_end(&j);
}

void journal_injected(struct text *scratch, const struct injected_fault *f)
{
	struct jout j;

	journal_record(&j, scratch, "injected");
	injected_members(&j, f);
	record_end(&j);
}

static void note_count(void *context, const struct checks_site *place)
{
	struct stored_finding *k = finding_store_find(place->serial);

	(void)context;
	if (k && place->count > k->count)
		k->count = place->count;
}

static char runtime_version[128]; /* "" = unknown */

void journal_runtime_version(const char *version)
{
	struct text t;

	text_init(&t, runtime_version, sizeof(runtime_version));
	text_str(&t, version);
}

/* The file whose functions were called. */
static void runtime(struct jout *j)
{
	const struct acl_module *m = real_sample() ? module_of(real_sample()) : NULL;

	if (m)
		jout_string(j, "runtime", m->path);
	if (*runtime_version)
		jout_string(j, "runtime_version", runtime_version);
}

/* Which interpreter ran, and whether call stacks have its frames. */
static void python(struct jout *j)
{
	struct python_status python;
	char version[24];
	struct text t;

	if (!python_status(&python))
		return;
	jout_object(j, "python");
	text_init(&t, version, sizeof(version));
	text_fmt(&t, "3.%u", (uint64_t)python.minor);
	if (python.minor)
		jout_string(j, "version", version);
	jout_bool(j, "frames", python.read);
	jout_string(j, "why_not", python.why_not);
	jout_object_end(j);
}

/* What is known only at the end, the same in the end record and in the report. */
static void outcome(struct jout *j, const struct checks *c, enum checks_end kind)
{
	static const char *const ends[] = {"exit", "quick-exit", "exec"};
	struct checks_totals totals = {.calls = 0};
	const char *reason, *text;
	uint64_t set_aside[FINDING_STATUSES];
	char time[UTC_SIZE];

	verdict_totals(c, &totals, set_aside);
	utc_text(identity_time(), time);
	jout_string(j, "verdict", acl_verdict_names[verdict_get()]);
	jout_array(j, "inconclusive");
	for (unsigned i = 0; (reason = verdict_reason(i, &text)); i++) {
		jout_object(j, NULL);
		jout_string(j, "reason", reason);
		jout_string(j, "text", text);
		jout_object_end(j);
	}
	jout_array_end(j);
	jout_uint(j, "calls", totals.calls);
	jout_object(j, "totals");
	for (int s = ACL_SEV_ERROR; s >= 0; s--)
		jout_uint(j, acl_severity_names[s], totals.findings[s]);
	jout_uint(j, "advice", totals.advice);
	jout_uint(j, "suppressed", set_aside[FINDING_SUPPRESSED]);
	jout_uint(j, "expected", set_aside[FINDING_EXPECTED]);
	jout_object_end(j);
	jout_object(j, "evidence_ends");
	for (unsigned i = 0; i < CHECKS_EVIDENCE_ENDS; i++)
		jout_uint(j, checks_evidence_end_name(i), totals.evidence_ends[i]);
	jout_object_end(j);
	expectations_json(j);
	injected_json(j);
	cost_json(j);
	call_coverage_json(j);
	rule_coverage_json(j, c);
	if (log_stream_dropped())
		jout_uint(j, "log_dropped", log_stream_dropped());
	runtime(j);
	python(j);
	jout_string(j, "end", ends[kind]);
	jout_string(j, "ended", time);
}

static bool journal_put(struct out_file *f, struct text *scratch)
{
	bool good = !scratch->cut && out_file_append(f, scratch->buf, scratch->len);

	text_init(scratch, scratch->buf, scratch->cap);
	return good;
}

/* The findings one by one: they may be more than fit into the buffer. */
static bool put_findings(struct out_file *f, struct text *scratch)
{
	for (struct stored_finding *k = finding_store_first(); k; k = k->next) {
		text_str(scratch, k == finding_store_first() ? "\n{" : ",\n{");
		text_put(scratch, k->json, k->length);
		text_str(scratch, ",\"count\":");
		text_uint(scratch, k->count);
		text_char(scratch, '}');
		if (!journal_put(f, scratch))
			return false;
	}
	return true;
}

static bool write_report(
	struct text *scratch, struct out_file *f, const struct checks *c, enum checks_end kind)
{
	struct jout j;

	text_init(scratch, scratch->buf, scratch->cap);
	jout_init(&j, scratch);
	jout_object(&j, NULL);
	header(&j);
	outcome(&j, c, kind);
	modules(&j);
	jout_array(&j, "findings");
	if (!journal_put(f, scratch) || !put_findings(f, scratch))
		return false;
	text_str(scratch, "]}\n");
	return journal_put(f, scratch);
}

/* Journal → report. The journal goes last: whoever looks finds at least one of them. */
static void finish(struct journal *which, struct text *scratch, const struct checks *c, enum checks_end kind)
{
	char path[OUT_PATH_MAX];
	struct out_file temp;
	struct text t;

	text_init(&t, path, sizeof(path));
	text_fmt(&t, "%s.%u.tmp", which->report, (uint64_t)getpid());
	unlink(path);
	if (!out_file_create(&temp, path, settings_file_mode())) {
		lost(which, path, errno);
		return;
	}
	if (!write_report(scratch, &temp, c, kind) || rename(temp.path, which->report)) {
		lost(which, which->report, errno);
		unlink(temp.path);
		return;
	}
	unlink(which->part.path);
	which->active = false;
	which->finished = true;
}

void journal_end(struct text *scratch, const struct checks *c, enum checks_end kind)
{
	struct jout j;

	last_calls_end();
	if (!journal_active())
		return;
	if (c)
		checks_each_site(c, note_count, NULL);
	journal_record(&j, scratch, "end");
	outcome(&j, c, kind);
	record_end(&j);
	for (unsigned i = 0; i < JOURNALS && kind != CHECKS_END_EXEC; i++)
		if (journals[i].active)
			finish(&journals[i], scratch, c, kind);
}

void journal_resume(struct text *scratch)
{
	struct jout j;

	if (journal_active()) {
		journal_record(&j, scratch, "resume");
		record_end(&j);
	}
	(void)begin_last_calls();
}

void journal_forked(void)
{
	memset(journals, 0, sizeof(journals));
	finding_store_forked();
}

const char *journal_path(void)
{
	const struct journal *j = &journals[FOR_USER];

	return j->finished ? j->report : j->active ? j->part.path : NULL;
}
