/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sinks in order: what the settings said wrong, findings to journal, log
 * and trace, the end.  One lock keeps records whole and guards the symboliser;
 * a call inside a signal handler never gets here while its thread holds the
 * lock, as nested calls are not checked.
 */
#include "interpose/report/sinks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/common/tool_memory.h"
#include "interpose/report/tool_cost.h"
#include "interpose/report/expectations.h"
#include "interpose/report/injected_faults.h"
#include "interpose/report/journal.h"
#include "interpose/report/trace_sink.h"
#include "interpose/report/last_calls.h"
#include "interpose/report/log.h"
#include "interpose/report/log_stream.h"
#include "interpose/common/messages.h"
#include "interpose/common/notify_parent.h"
#include "interpose/report/call_coverage.h"
#include "interpose/config/run_membership.h"
#include "interpose/config/run_settings.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/report/finding_record.h"
#include "interpose/symbolize/code_symbol.h"
#include "interpose/symbolize/python_status.h"
#include "interpose/report/test_item.h"
#include "interpose/report/verdict.h"

#define LINES_PER_FINDING 10 /* for each finding in full as many in a line */
#define BUFFER_SIZE (1u << 20) /* the largest record with four full stacks is about a third of it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool begun, ended;
static _Atomic uint32_t owner; /* the process whose records these are */
static char *buffer;
static uint64_t shown, not_shown; /* findings of this process on the log; under the lock */

/* The buffer all records are built in; needs the lock. False: no memory at all. */
static bool scratch_get(struct text *scratch)
{
	if (!buffer) {
		void *p = tool_memory_map(BUFFER_SIZE, 0);

		if (!p) {
			verdict_add_reason(REASON_TABLE, "no memory for findings");
			return false;
		}
		buffer = p;
		tool_memory_add(p, BUFFER_SIZE);
	}
	text_init(scratch, buffer, BUFFER_SIZE);
	return true;
}

/* Forked children share the reason but do not repeat the lines. */
static void say_problems(struct text *scratch)
{
	static bool said;
	const char *line;

	for (unsigned i = 0; (line = settings_problem(i)); i++) {
		if (!said)
			log_line(line);
		if (verdict_add_reason(REASON_CONFIG, line) && journal_active())
			journal_reason(scratch, REASON_CONFIG, line);
	}
	said = true;
}

/*
 * A child of the bare system call has run no fork handler: what we hold is its parent's, and so may be the
 * lock.
 */
static bool is_owner(void)
{
	return atomic_load_explicit(&begun, memory_order_acquire) &&
	       atomic_load(&owner) == (uint32_t)getpid();
}

struct reason {
	const char *reason, *text;
};

/* What waits for the lock is on a stack of the tool's already: no owner of it waits for one. */
static void reason_to_journal(void *reason)
{
	const struct reason *r = reason;
	struct text scratch;

	pthread_mutex_lock(&lock);
	if (journal_active() && scratch_get(&scratch))
		journal_reason(&scratch, r->reason, r->text);
	pthread_mutex_unlock(&lock);
}

static void note_reason(const char *reason, const char *text)
{
	struct reason r = {reason, text};

	if (is_owner())
		tool_stack_run(reason_to_journal, &r);
}

static void begin_records(void *unused)
{
	struct text scratch;

	(void)unused;
	verdict_listen(note_reason);
	settings_load();
	symbol_prepare(settings_number(SETTING_SYMBOLS) == 0);
	pthread_mutex_lock(&lock);
	if (!atomic_load(&begun) && scratch_get(&scratch)) {
		log_begin();
		journal_begin(&scratch);
		say_problems(&scratch);
		atomic_store(&owner, (uint32_t)getpid());
		atomic_store(&begun, true);
	}
	pthread_mutex_unlock(&lock);
}

void sink_begin(void)
{
	int saved = errno;

	tool_stack_run(begin_records, NULL);
	errno = saved;
}

static void to_journal(const struct finding_record *s)
{
	struct text scratch;

	if (!journal_active() || !scratch_get(&scratch))
		return;
	if (s->f->repeat > 1)
		journal_repeat(&scratch, s);
	else
		journal_finding(&scratch, s);
}

/* How much of a finding is shown: a thousand of them in full would hide what matters. */
enum shown { SHOWN_FULL, SHOWN_LINE, SHOWN_NOT };

static void shown_changes(struct text *t, enum message m, uint64_t n)
{
	text_str(t, "== aclcheck: ");
	text_fmt(t, message_text(m, settings_lang()), n);
	text_char(t, '\n');
}

/* Counts one more. What changes from here on is said before it. */
static enum shown shown_how(struct text *t)
{
	uint64_t limit = (uint64_t)settings_number(SETTING_MAX_FINDINGS), lines = LINES_PER_FINDING * limit;
	uint64_t n = shown++;

	if (n < limit)
		return SHOWN_FULL;
	if (n == limit && limit)
		shown_changes(t, MSG_LINES_ONLY, n);
	if (n < lines)
		return SHOWN_LINE;
	if (n == lines)
		shown_changes(t, MSG_COUNTED_ONLY, n);
	not_shown++;
	return SHOWN_NOT;
}

static void to_log(const struct finding_record *s)
{
	struct text scratch;

	if (!log_wanted() || s->status != FINDING_COUNTED || !scratch_get(&scratch))
		return;
	switch (shown_how(&scratch)) {
	case SHOWN_FULL:
		finding_text(&scratch, s, log_colour());
		break;
	case SHOWN_LINE:
		finding_line(&scratch, s, log_colour());
		break;
	default:
		break;
	}
	if (scratch.len)
		log_write(&scratch);
}

/* In this order; the lock keeps records whole, and is not held while a trace provider runs. */
static const struct sink {
	void (*finding)(const struct finding_record *s);
	bool locked;
} sinks[] = {
	{to_journal, true},
	{to_log, true},
	{trace_finding, false},
};

static void pass_on(const struct finding_record *s, bool locked)
{
	for (unsigned i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++)
		if (sinks[i].locked == locked)
			sinks[i].finding(s);
}

/* Once: call stacks lack what the reader of a finding looks for first. */
static void say_python_unread(void)
{
	static bool said;
	struct python_status python;
	struct text scratch;
	char version[24];
	struct text t;

	if (said || !python_status(&python) || !python.why_not || !log_wanted() || !scratch_get(&scratch))
		return;
	said = true;
	text_init(&t, version, sizeof(version));
	if (python.minor)
		text_fmt(&t, "3.%u", (uint64_t)python.minor);
	text_str(&scratch, "== aclcheck: ");
	text_fmt(&scratch, message_text(MSG_PYTHON_UNREAD, settings_lang()), version, python.why_not);
	text_char(&scratch, '\n');
	log_write(&scratch);
}

/*
 * In a child that has run no fork handler, or that has its parent's memory: the journal is not its own. The
 * command above learns it once, without any lock.
 */
static void finding_lost(const struct acl_finding *f)
{
	static atomic_bool notified;
	char line[NOTIFY_MAX];
	struct text t;

	if (f->advice || f->secondary || f->severity < verdict_least_severity() ||
		atomic_exchange(&notified, true))
		return;
	text_init(&t, line, sizeof(line));
	text_fmt(&t, "process %u was forked past the C library: what it does wrong (%s) is in no report",
		(uint64_t)(unsigned)getpid(), f->rule->id);
	verdict_add_reason(REASON_REPORT, line); /* where the memory is its parent's */
	notify_parent(run_job(), run_directory(), line);
}

struct taking {
	const struct acl_finding *finding;
	bool late; /* behind the end */
};

static void take_finding(void *taking)
{
	struct taking *t = taking;
	const struct acl_finding *f = t->finding;
	uint64_t began = cost_now();
	struct finding_record s;
	bool known = false;

	if (is_owner()) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&ended)) {
			known = true;
			finding_record_init(&s, f);
			s.test = f->event ? test_item_name() : NULL;
			verdict_count(f, s.status);
			if (f->output_of)
				injected_output_used(f->output_of - 1);
			test_item_finding(&s);
			say_python_unread();
			pass_on(&s, true);
		}
		t->late = !known;
		pthread_mutex_unlock(&lock);
	} else if (atomic_load(&begun)) {
		finding_lost(f);
	}
	if (known)
		pass_on(&s, false);
	cost_work(COST_FINDINGS, began);
}

bool sink_finding(const struct acl_finding *f)
{
	struct taking taking = {.finding = f};
	int saved = errno;

	tool_stack_run(take_finding, &taking);
	errno = saved;
	return !taking.late;
}

static void last_reasons(const struct checks *c)
{
	struct checks_totals totals = {.calls = 0};

	if (c)
		checks_totals(c, &totals);
	/* Calls that no rule speaks about are counted as well, once a function: to ask for the product's name
	 * is right. */
	if (!totals.calls && !settings_problem(0))
		verdict_add_reason(REASON_NOTHING, "no call was checked");
	if (c && !checks_severity_on(c, verdict_least_severity()))
		verdict_add_reason(
			REASON_CHECKS_OFF, settings_number(SETTING_FAIL_ON) == 1
						   ? "no rule of severity error or warning is switched on"
						   : "no rule of severity error is switched on");
	if (totals.degraded)
		verdict_add_reason(
			REASON_TABLE, totals.degraded_text ? totals.degraded_text : "a table was full");
}

void sink_end(struct checks *c, enum checks_end kind)
{
	struct text scratch;
	int saved = errno;

	if (!is_owner() || atomic_exchange(&ended, true))
		return;
	call_coverage_search();
	pthread_mutex_lock(&lock);
	if (scratch_get(&scratch)) {
		last_reasons(c);
		expectations_evaluate(kind);
		journal_end(&scratch, c, kind);
		/* An exec'ed program is a run of its own; this one's verdict would read as the whole's. */
		/* Several processes have one summary: aclcheck run's. */
		if (log_wanted() && !log_summed_up() &&
			(kind != CHECKS_END_EXEC || verdict_get() != ACL_VERDICT_PASS)) {
			text_init(&scratch, buffer, BUFFER_SIZE);
			summary_text(&scratch, c, journal_path(), not_shown, log_colour());
			log_write(&scratch);
		}
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
}

void sink_resume(void)
{
	struct text scratch;
	int saved = errno;

	pthread_mutex_lock(&lock);
	if (atomic_exchange(&ended, false) && scratch_get(&scratch))
		journal_resume(&scratch);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

static void take_injected(void *place)
{
	struct injected_fault f;
	struct text scratch;

	if (!is_owner() || !injected_get(*(unsigned *)place - 1, &f))
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&ended) && journal_active() && scratch_get(&scratch))
		journal_injected(&scratch, &f);
	pthread_mutex_unlock(&lock);
}

void sink_injected(unsigned place)
{
	int saved = errno;

	tool_stack_run(take_injected, &place);
	errno = saved;
}

struct place_question {
	uint64_t word;
	const char *where;
	bool answer;
};

static void look_at_place(void *question)
{
	struct place_question *q = question;
	const struct symbol *s;

	pthread_mutex_lock(&lock);
	s = symbol_of(q->word);
	q->answer = s && symbol_place_is(s, q->where);
	pthread_mutex_unlock(&lock);
}

bool sink_place_is(uint64_t word, const char *where)
{
	struct place_question q = {word, where, false};
	int saved = errno;

	tool_stack_run(look_at_place, &q);
	errno = saved;
	return q.answer;
}

void sink_forked(void)
{
	/* Another thread of the parent may have held it, and all that it guards is half done then. */
	pthread_mutex_init(&lock, NULL);
	atomic_store(&begun, false);
	atomic_store(&ended, false);
	buffer = NULL;
	shown = not_shown = 0;
	journal_forked();
	finding_record_forked();
	test_item_forked();
	expectations_forked();
	injected_forked();
	cost_forked();
	verdict_forked();
	symbol_forked();
	call_coverage_forked();
	last_calls_forked();
	log_stream_forked();
}
