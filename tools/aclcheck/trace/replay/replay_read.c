/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck-reader replay DIRECTORY TRACE...: the recording to its workers, a report for each into the
 * directory. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/aclcheck/trace/replay/replay_peers.h"

#define WRITE_BEHIND 65536u
#define PROCESSES_MAX (1u << 20)

int cmd_replay_reader(int argc, char **argv);

#define RANKS_MAX 65536

/* A recorded process. */
struct process {
	struct replay_peer peer;
	uint64_t key;
	UT_hash_handle hh; /* by key, the newest of it: the process may have become another program */
	unsigned number; /* from 0, in the order of their begins */
	int rank, ranks; /* which of how many; -1 and 0 = not known */
	int fd;
	bool named; /* it has said who it is */
	bool over; /* its verdict is there, or it was killed */
	size_t length;
	char *bytes; /* WRITE_BEHIND, NULL = nothing is to be written */
};

static struct {
	const char *directory;
	char **traces;
	unsigned n_traces;
	struct process **processes;
	unsigned n, room;
	struct process *by_key;
} reading;

/*
 * Whether all calls of a process are there is known at its end only.  What was reported of it to others by
 * then may be wrong: then all is read once more without it.
 */
static struct knowledge {
	bool again, not_all;
	bool lacks; /* something is noted beside the recording */
	unsigned reports; /* of the first time */
	struct {
		uint8_t result; /* enum replay_result */
		bool heard; /* of others */
	} of[PROCESSES_MAX];
} * known;

/* Read once more, it is the same as before: only what was heard of others can be different. */
static bool is_settled(const struct process *p)
{
	return known->again && !known->of[p->number].heard;
}

/* --- the pipes -------------------------------------------------------------------- */

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

static void flush(struct process *p)
{
	if (p->fd >= 0 && !write_all(p->fd, p->bytes, p->length)) {
		close(p->fd);
		p->fd = -1;
	}
	p->length = 0;
}

/* The worker finishes now: there may be many processes in a recording, one after the other. */
static void end(struct process *p)
{
	flush(p);
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	free(p->bytes);
	p->bytes = NULL;
}

static void send(struct process *p, const struct replay_record *r)
{
	if (is_settled(p))
		return;
	if (p->length + r->bytes > WRITE_BEHIND)
		flush(p);
	if (r->bytes <= WRITE_BEHIND) {
		if (!p->bytes)
			p->bytes = need(malloc(WRITE_BEHIND));
		memcpy(p->bytes + p->length, r, r->bytes);
		p->length += r->bytes;
	} else if (p->fd >= 0 && !write_all(p->fd, (const char *)r, r->bytes)) {
		close(p->fd);
		p->fd = -1;
	}
}

/* --- the processes ------------------------------------------------------------------ */

static void report_path(char *path, unsigned process)
{
	snprintf(path, REPLAY_REPORT_PATH, "%s/%u.json", reading.directory, process);
}

static bool read_start(struct process *p)
{
	struct replay_start s = {.pid = (uint32_t)p->key, .result = &known->of[p->number].result};
	int ends[2];
	bool good;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	report_path(s.report, p->number);
	*s.result = REPLAY_FAILED;
	good = replay_start(&s, ends[0]);
	close(ends[0]);
	p->fd = ends[1];
	return good;
}

static void send_to(struct replay_peer *peer, const struct replay_record *r)
{
	struct process *p = (struct process *)peer;

	known->of[p->number].heard = true;
	send(p, r);
}

static bool read_keep(struct process *p)
{
	struct process *old;

	if (reading.n == PROCESSES_MAX) {
		command_say("more than %u processes in one recording", PROCESSES_MAX);
		return false;
	}
	if (reading.n == reading.room) {
		reading.room = reading.room ? 2 * reading.room : 64;
		reading.processes = need(realloc(reading.processes, reading.room * sizeof(struct process *)));
	}
	p->number = reading.n;
	p->peer.untrusted = known->of[p->number].result == REPLAY_INCOMPLETE;
	if (!is_settled(p) && !read_start(p)) {
		command_say("%s", strerror(errno));
		return false;
	}
	reading.processes[reading.n++] = p;
	HASH_REPLACE(hh, reading.by_key, key, sizeof(p->key), p, old);
	return true;
}

static struct process *read_begin(uint64_t key)
{
	struct process *p = need(calloc(1, sizeof(*p)));

	p->key = key;
	p->fd = p->rank = -1;
	p->peer.send = send_to;
	snprintf(p->peer.who, sizeof(p->peer.who), "process %u", (unsigned)key);
	if (read_keep(p))
		return p;
	free(p);
	return NULL;
}

static struct process *process_of(uint64_t key)
{
	struct process *p;

	HASH_FIND(hh, reading.by_key, &key, sizeof(key), p);
	return p ? p : read_begin(key);
}

static bool read_finish(void)
{
	bool good = true;

	replay_peers_finish();
	for (unsigned i = 0; i < reading.n; i++)
		end(reading.processes[i]);
	replay_starter_end();
	for (unsigned i = 0; i < reading.n; i++)
		if (known->of[i].result == REPLAY_FAILED) {
			command_say("the calls of process %u could not be checked",
				(unsigned)reading.processes[i]->key);
			good = false;
		}
	return good;
}

static bool any_incomplete(void)
{
	for (unsigned i = 0; i < reading.n; i++)
		if (known->of[i].result == REPLAY_INCOMPLETE)
			return true;
	return false;
}

static bool has_rank(int rank, int of)
{
	for (unsigned i = 0; i < reading.n; i++)
		if (reading.processes[i]->rank == rank && reading.processes[i]->ranks == of)
			return true;
	return false;
}

/* The launcher said how many ranks there are, and each is recorded. */
static bool all_are_there(void)
{
	int ranks = 0;

	for (unsigned i = 0; i < reading.n; i++)
		if (reading.processes[i]->ranks > ranks)
			ranks = reading.processes[i]->ranks;
	for (int rank = 0; rank < ranks; rank++)
		if (!has_rank(rank, ranks))
			return false;
	return ranks > 0;
}

/* After all was read. */
static void think_again(void)
{
	const struct replay_peers_seen *seen = replay_peers_end();
	bool incomplete = any_incomplete(), all = !incomplete && all_are_there();

	known->again = (seen->reported && incomplete) || (seen->needs_all && !all);
	known->not_all = !all;
	known->reports = reading.n;
}

/* --- the recording -------------------------------------------------------------------- */

static void learn_rank(struct process *p, const char *rank)
{
	p->named = true;
	if (!*rank)
		return;
	p->rank = atoi(rank);
	snprintf(p->peer.who, sizeof(p->peer.who), "rank %d", p->rank);
}

/* Which of several it is. */
static void learn(struct process *p, const struct replay_record *r)
{
	const char *first = (const char *)(r + 1), *second = first + strlen(first) + 1;

	if (r->kind == REPLAY_FACT && !strcmp(first, "ranks") && atoi(second) <= RANKS_MAX)
		p->ranks = atoi(second);
	else if (r->kind == REPLAY_PROCESS)
		learn_rank(p, second);
	p->peer.ranked = p->rank >= 0 && p->ranks > 0;
}

/* What others did with it while it lived is known by now. */
static bool take_end(uint64_t key, const struct replay_record *r)
{
	struct process *p;

	HASH_FIND(hh, reading.by_key, &key, sizeof(key), p);
	if (!p || p->over)
		return true;
	p->over = true;
	send(p, r);
	replay_peers_ended(&p->peer);
	if (!p->peer.awaited)
		end(p);
	return true;
}

static bool take_event(void *context, const bt_event *event, const bt_clock_snapshot *clock)
{
	const struct replay_event *e = replay_event_of(bt_event_borrow_class_const(event));
	struct replay_record *r;
	struct process *p;
	int64_t ns;

	(void)context;
	if (!e)
		return true;
	if (replay_is_one_event(e)) {
		command_say(
			"recorded with --one-event, which leaves out what a call was given before it ended: "
			"record it without");
		return false;
	}
	if (replay_is_minimal(e)) {
		command_say(
			"recorded with --minimal, which leaves out what calls are given: record it without");
		return false;
	}
	if (!replay_has_ids(e)) {
		command_say("the recording lacks the contexts vpid and vtid: record it with aclcheck trace");
		return false;
	}
	r = replay_decode(e, event);
	if (!r) {
		command_say("an event is larger than any that was recorded: the recording is damaged");
		return false;
	}
	if (clock && bt_clock_snapshot_get_ns_from_origin(clock, &ns) ==
			     BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		r->seconds = ns / 1000000000;
	if (r->kind == REPLAY_KILLED)
		return take_end(replay_process_of(e, event), r);
	p = process_of(replay_process_of(e, event));
	/* It says who it is once: the second time it is another program, after an exec. */
	if (p && r->kind == REPLAY_PROCESS && p->named) {
		replay_peers_ended(&p->peer);
		p = read_begin(p->key);
	}
	if (!p)
		return false;
	learn(p, r);
	/* What others did comes before a call begins, and what they may now do after one has ended. */
	if (r->kind != REPLAY_EXIT)
		replay_peers_look(&p->peer, r);
	send(p, r);
	if (r->kind == REPLAY_EXIT)
		replay_peers_look(&p->peer, r);
	/* Nothing comes after it but what others have done. */
	if (r->kind == REPLAY_VERDICT) {
		p->over = true;
		replay_peers_ended(&p->peer);
		if (!p->peer.awaited)
			end(p);
	}
	return true;
}

static void report_gap(const char *text)
{
	struct {
		struct replay_record r;
		char text[128];
	} gap = {.r = {.bytes = sizeof(gap), .kind = REPLAY_GAP}};

	snprintf(gap.text, sizeof(gap.text), "%s", text);
	for (unsigned i = 0; i < reading.n; i++)
		send(reading.processes[i], &gap.r);
}

static void take_loss(void *context, uint64_t count)
{
	(void)context;
	(void)count;
	report_gap("events were lost: calls after the first loss were not checked");
}

/* The end is not there: what follows from it is unknown. */
static void take_lacks(void *context, unsigned lacks)
{
	(void)context;
	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (lacks >> i & 1)
			report_gap(recording_lack_text(i));
	known->lacks = lacks != 0;
}

/* One for each process that was recorded, until its end. */
static void permit_descriptors(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int read_all(void *unused)
{
	const struct ctf_reader reader = {.event = take_event,
		.discarded = take_loss,
		.lost = take_loss,
		.lacks = take_lacks,
		.progress = true};
	bool good;

	(void)unused;
	signal(SIGPIPE, SIG_IGN);
	replay_peers_begin(!known->not_all);
	permit_descriptors();
	if (!replay_starter_begin()) {
		command_say("%s", strerror(errno));
		return COMMAND_MISUSE;
	}
	good = ctf_read(reading.traces, reading.n_traces, &reader);
	good = read_finish() && good;
	think_again();
	return !good ? COMMAND_MISUSE : known->lacks ? COMMAND_INCONCLUSIVE : 0;
}

/* Reports are not written over. */
static void forget_reports(void)
{
	char path[REPLAY_REPORT_PATH];

	for (unsigned i = 0; i < known->reports; i++) {
		if (!known->of[i].heard)
			continue;
		report_path(path, i);
		unlink(path);
	}
}

int cmd_replay_reader(int argc, char **argv)
{
	const char *what;
	int code;

	if (argc < 3)
		return command_misuse("replay: which trace? aclcheck replay TRACE...");
	reading.directory = argv[1];
	reading.traces = argv + 2;
	reading.n_traces = (unsigned)(argc - 2);
	known = mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (known == MAP_FAILED)
		return command_misuse("out of memory");
	what = reading.n_traces == 1 ? reading.traces[0] : "one of the traces";
	code = isolated_run(read_all, NULL, what);
	if (code == COMMAND_MISUSE || !known->again)
		return code;
	forget_reports();
	return isolated_run(read_all, NULL, what);
}
