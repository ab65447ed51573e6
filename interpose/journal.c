/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the journal record by record, and the report out of what was kept. */
#include "interpose/journal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interpose/asked_json.h"
#include "interpose/claim.h"
#include "interpose/cost.h"
#include "interpose/expected.h"
#include "interpose/identity.h"
#include "interpose/kept.h"
#include "interpose/lastcalls.h"
#include "interpose/log.h"
#include "interpose/module.h"
#include "interpose/reach.h"
#include "interpose/settings.h"
#include "interpose/tell.h"
#include "interpose/verdict.h"

#define REPORT_FORMAT 1
#define ARGV_SHOWN 64

static struct {
	bool active, finished;
	struct out_file part;
	char report[OUT_PATH_MAX];
	char started[32];
} journal;

/* Said once; the program goes on. */
static void lost(const char *path, int error)
{
	char line[OUT_PATH_MAX + 160], reason[128];
	struct text t;

	journal.active = false;
	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s cannot be written: %s", path,
		error == EISDIR   ? "it is no regular file"
		: error == ESTALE ? "another file stands there now"
				  : strerror_r(error, reason, sizeof(reason)));
	log_line(line);
	verdict_doubt(REASON_REPORT, line);
	tell_run(settings_text(SETTING_JOB), line);
}

static void append(const struct text *t)
{
	if (!journal.active)
		return;
	if (t->cut)
		lost(journal.part.path, EFBIG);
	else if (!out_file_append(&journal.part, t->buf, t->len))
		lost(journal.part.path, errno);
}

static void record(struct jout *j, struct text *scratch, const char *kind)
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

static void now(char out[32])
{
	struct timespec ts;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &ts);
	gmtime_r(&ts.tv_sec, &tm);
	if (!strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm))
		*out = '\0';
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

/* Who and what: the same members in journal and report. job, pid and host stay in front (see claim.c). */
static void header(struct jout *j)
{
	char job[512];
	struct text t;

	text_init(&t, job, sizeof(job));
	identity_job(&t);
	jout_string(j, "aclcheck", ACLCHECK_VERSION);
	jout_uint(j, "format", REPORT_FORMAT);
	jout_string(j, "job", job);
	jout_uint(j, "pid", (uint64_t)getpid());
	jout_string(j, "host", identity_host());
	jout_uint(j, "ppid", (uint64_t)getppid());
	if (identity_rank() >= 0)
		jout_int(j, "rank", identity_rank());
	jout_string(j, "started", journal.started);
	arguments(j);
	settings(j);
}

/* no_calls: why nobody will know the last calls should the process be killed. */
static void start_record(struct text *scratch, const char *no_calls)
{
	struct jout j;

	record(&j, scratch, "start");
	header(&j);
	jout_string(&j, "last_calls_lost", no_calls);
	modules(&j);
	record_end(&j);
}

void journal_begin(struct text *scratch)
{
	char pattern[OUT_PATH_MAX], wanted[OUT_PATH_MAX], job[512], line[OUT_PATH_MAX + 64];
	const char *no_calls;
	struct text t;

	if (!*settings_text(SETTING_REPORT))
		return;
	settings_path(settings_text(SETTING_REPORT), pattern, sizeof(pattern));
	text_init(&t, wanted, sizeof(wanted));
	identity_expand(&t, pattern);
	text_init(&t, job, sizeof(job));
	identity_job(&t);
	now(journal.started);
	if (claim_report(wanted, job, &journal.part, journal.report) != CLAIM_TAKEN) {
		lost(wanted, errno);
		return;
	}
	journal.active = true;
	if (strcmp(wanted, journal.report)) {
		text_init(&t, line, sizeof(line));
		text_fmt(&t, "process %u reports to %s: another process of this run has %s",
			(uint64_t)getpid(), journal.report, wanted);
		log_line(line);
	}
	lastcalls_begin(journal.report, &no_calls);
	start_record(scratch, no_calls);
}

bool journal_active(void)
{
	return journal.active;
}

void journal_finding(struct text *scratch, const struct shown *s)
{
	struct kept *k;
	struct jout j;
	size_t start;

	record(&j, scratch, "finding");
	/* The report's object is the record without its brace and first member. */
	start = scratch->len + 1;
	shown_json(&j, s);
	if (!scratch->cut) {
		k = kept_add(s->f->serial, scratch->buf + start, scratch->len - start);
		if (k)
			k->count = s->f->repeat;
		else
			verdict_doubt(REASON_TABLE, "too many findings for the report; the journal has all");
	}
	jout_uint(&j, "count", s->f->repeat);
	record_end(&j);
}

void journal_repeat(struct text *scratch, const struct shown *s)
{
	struct kept *k = kept_find(s->f->serial);
	struct jout j;

	if (!k) {
		journal_finding(scratch, s);
		return;
	}
	k->count = s->f->repeat;
	record(&j, scratch, "repeat");
	jout_uint(&j, "serial", k->serial);
	jout_uint(&j, "count", k->count);
	record_end(&j);
}

void journal_doubt(struct text *scratch, const char *reason, const char *text)
{
	struct jout j;

	record(&j, scratch, "inconclusive");
	jout_string(&j, "reason", reason);
	jout_string(&j, "text", text);
	record_end(&j);
}

static void note_count(void *context, const struct checks_place *place)
{
	struct kept *k = kept_find(place->serial);

	(void)context;
	if (k && place->count > k->count)
		k->count = place->count;
}

/* What is known only at the end, the same in the end record and in the report. */
static void outcome(struct jout *j, const struct checks *c, enum checks_end kind)
{
	static const char *const ends[] = {"exit", "quick-exit", "exec"};
	struct checks_totals totals = {.calls = 0};
	const char *reason, *text;
	uint64_t excused[3];
	char time[32];

	verdict_totals(c, &totals, excused);
	now(time);
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
	jout_uint(j, "suppressed", excused[EXCUSE_SUPPRESSED]);
	if (excused[EXCUSE_EXPECTED])
		jout_uint(j, "expected", excused[EXCUSE_EXPECTED]);
	jout_object_end(j);
	expected_json(j);
	cost_json(j);
	reach_json(j);
	asked_json(j, c);
	jout_string(j, "end", ends[kind]);
	jout_string(j, "ended", time);
}

static bool put(struct out_file *f, struct text *scratch)
{
	bool good = !scratch->cut && out_file_append(f, scratch->buf, scratch->len);

	text_init(scratch, scratch->buf, scratch->cap);
	return good;
}

/* The findings one by one: they may be more than fit into the buffer. */
static bool put_findings(struct out_file *f, struct text *scratch)
{
	for (struct kept *k = kept_first(); k; k = k->next) {
		text_str(scratch, k == kept_first() ? "\n{" : ",\n{");
		text_put(scratch, k->json, k->length);
		text_str(scratch, ",\"count\":");
		text_uint(scratch, k->count);
		text_char(scratch, '}');
		if (!put(f, scratch))
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
	if (!put(f, scratch) || !put_findings(f, scratch))
		return false;
	text_str(scratch, "]}\n");
	return put(f, scratch);
}

/* Journal → report. The journal goes last: whoever looks finds at least one of them. */
static void finish(struct text *scratch, const struct checks *c, enum checks_end kind)
{
	char path[OUT_PATH_MAX];
	struct out_file temp;
	struct text t;

	text_init(&t, path, sizeof(path));
	text_fmt(&t, "%s.%u.tmp", journal.report, (uint64_t)getpid());
	unlink(path);
	if (!out_file_create(&temp, path)) {
		lost(path, errno);
		return;
	}
	if (!write_report(scratch, &temp, c, kind) || rename(temp.path, journal.report)) {
		lost(journal.report, errno);
		unlink(temp.path);
		return;
	}
	unlink(journal.part.path);
	journal.active = false;
	journal.finished = true;
}

void journal_end(struct text *scratch, const struct checks *c, enum checks_end kind)
{
	struct jout j;

	lastcalls_end();
	if (!journal.active)
		return;
	if (c)
		checks_each_site(c, note_count, NULL);
	record(&j, scratch, "end");
	outcome(&j, c, kind);
	record_end(&j);
	if (journal.active && kind != CHECKS_END_EXEC)
		finish(scratch, c, kind);
}

void journal_resume(struct text *scratch)
{
	const char *no_calls;
	struct jout j;

	record(&j, scratch, "resume");
	record_end(&j);
	lastcalls_begin(journal.report, &no_calls);
}

void journal_forked(void)
{
	memset(&journal, 0, sizeof(journal));
	kept_forked();
}

const char *journal_path(void)
{
	return journal.finished ? journal.report : journal.active ? journal.part.path : NULL;
}
