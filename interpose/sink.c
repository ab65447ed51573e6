/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sinks in order: what the settings said wrong, findings to log and
 * journal, the end.  One lock keeps records whole and guards the symboliser;
 * a call inside a signal handler never gets here while its thread holds the
 * lock, as nested calls are not judged.
 */
#include "interpose/sink.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/cost.h"
#include "interpose/expected.h"
#include "interpose/journal.h"
#include "interpose/lastcalls.h"
#include "interpose/log.h"
#include "interpose/reach.h"
#include "interpose/settings.h"
#include "interpose/shown.h"
#include "interpose/symbol.h"
#include "interpose/verdict.h"

#define BUFFER_SIZE (1u << 20) /* the largest record with four full stacks is about a third of it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool begun, ended;
static char *buffer;

/* The buffer all records are built in; needs the lock. False: no memory at all. */
static bool scratch_get(struct text *scratch)
{
	if (!buffer) {
		void *p = mmap(NULL, BUFFER_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED) {
			verdict_doubt(REASON_TABLE, "no memory for findings");
			return false;
		}
		buffer = p;
		cost_memory(p, BUFFER_SIZE);
	}
	text_init(scratch, buffer, BUFFER_SIZE);
	return true;
}

/* Forked children share the doubt but do not repeat the lines. */
static void say_problems(struct text *scratch)
{
	static bool said;
	const char *line;

	for (unsigned i = 0; (line = settings_problem(i)); i++) {
		if (!said)
			log_line(line);
		if (verdict_doubt(REASON_CONFIG, line) && journal_active())
			journal_doubt(scratch, REASON_CONFIG, line);
	}
	said = true;
}

void sink_begin(void)
{
	struct text scratch;
	int saved = errno;

	settings_load();
	symbol_prepare(settings_number(SETTING_SYMBOLS) == 0);
	pthread_mutex_lock(&lock);
	if (!atomic_load(&begun) && scratch_get(&scratch)) {
		log_begin();
		journal_begin(&scratch);
		say_problems(&scratch);
		atomic_store(&begun, true);
	}
	pthread_mutex_unlock(&lock);
	errno = saved;
}

static void show(const struct shown *s, struct text *scratch)
{
	if (journal_active()) {
		if (s->f->repeat > 1)
			journal_repeat(scratch, s);
		else
			journal_finding(scratch, s);
	}
	if (!log_wanted() || s->excuse)
		return;
	text_init(scratch, buffer, BUFFER_SIZE);
	shown_text(scratch, s, log_colour());
	log_write(scratch->buf, scratch->len);
}

void sink_finding(const struct acl_finding *f)
{
	uint64_t began = cost_now();
	struct text scratch;
	struct shown s;
	int saved = errno;

	if (atomic_load_explicit(&begun, memory_order_acquire)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&ended) && scratch_get(&scratch)) {
			shown_init(&s, f);
			verdict_count(f, s.excuse);
			show(&s, &scratch);
		}
		pthread_mutex_unlock(&lock);
	}
	cost_work(COST_FINDINGS, began);
	errno = saved;
}

void sink_inconclusive(const char *reason, const char *text)
{
	struct text scratch;
	int saved = errno;

	if (verdict_doubt(reason, text) && atomic_load_explicit(&begun, memory_order_acquire)) {
		pthread_mutex_lock(&lock);
		if (journal_active() && scratch_get(&scratch))
			journal_doubt(&scratch, reason, text);
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
}

static void last_doubts(const struct checks *c)
{
	struct checks_totals totals = {.calls = 0};

	if (c)
		checks_totals(c, &totals);
	/* With a checker, calls that no rule speaks about have been seen: to ask for the product's name is
	 * right. */
	else if (!settings_problem(0))
		verdict_doubt(REASON_NOTHING, "no call was checked");
	if (totals.trouble)
		verdict_doubt(REASON_TABLE, totals.trouble_text ? totals.trouble_text : "a table was full");
}

void sink_end(struct checks *c, enum checks_end kind)
{
	struct text scratch;
	int saved = errno;

	if (!atomic_load(&begun) || atomic_exchange(&ended, true))
		return;
	reach_search();
	pthread_mutex_lock(&lock);
	if (scratch_get(&scratch)) {
		last_doubts(c);
		expected_judge(kind);
		journal_end(&scratch, c, kind);
		/* An exec'ed program is a run of its own; this one's verdict would read as the whole's. */
		if (log_wanted() && (kind != CHECKS_END_EXEC || verdict_get() != ACL_VERDICT_PASS)) {
			text_init(&scratch, buffer, BUFFER_SIZE);
			summary_text(&scratch, c, journal_path(), log_colour());
			log_write(scratch.buf, scratch.len);
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
	if (atomic_exchange(&ended, false) && journal_active() && scratch_get(&scratch))
		journal_resume(&scratch);
	pthread_mutex_unlock(&lock);
	errno = saved;
}

void sink_forked(void)
{
	/* Another thread of the parent may have held it, and all that it guards is half done then. */
	pthread_mutex_init(&lock, NULL);
	atomic_store(&begun, false);
	atomic_store(&ended, false);
	buffer = NULL;
	journal_forked();
	expected_forked();
	cost_forked();
	verdict_forked();
	symbol_forked();
	reach_forked();
	lastcalls_forked();
}
