/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck trace: runs a program and records its calls with LTTng. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

#define FACTS_SIZE (256u << 10)
#define FACTS_COUNT 2
#define FACTS_CHANNEL "facts"
#define STACKS_CHANNEL "stacks"
#define DISK_SECONDS 0.05 /* between two looks at the disk */
#define COUNT_LIMIT (512ull << 20) /* larger traces are not counted unasked */

int cmd_trace(int argc, char **argv);

static const char help[] =
	"-o, --output DIR\twhere the trace goes (default: aclcheck-trace-DATE-TIME)\n"
	"--one-event\tone event a call, at its end, instead of entry and exit: about half the cost\n"
	"--minimal\ttimes and results only, no arguments: two thirds of the size\n"
	"--lossless\tthe program waits for the disk rather than lose events\n"
	"--buffers SIZE\tmemory for all buffers together, like 64M (default: 1/4 of the free /dev/shm)\n"
	"--class LIST\tonly functions of these classes: memory,copy,stream,event,context,device,capture...\n"
	"--events GLOB\tonly functions whose name matches; LTTng event names if it holds a ':'\n"
	"--start-after S\trecords calls from S seconds after the program's start on\n"
	"--for S\trecords calls for S seconds (each time that recording begins)\n"
	"--on-signal\tSIGUSR1 to this command begins and ends the recording of calls\n"
	"--on-request\tthe program does, by ACLCHECK_TRACE_START and ACLCHECK_TRACE_STOP of aclcheck.h\n"
	"--calls N\teach process records its first N calls\n"
	"--ring SIZE\tkeeps the last calls in memory, and writes them at the first finding, when the program "
	"fails, when one of its processes is killed or crashes; with --on-signal at SIGUSR1, too\n"
	"--hang S\twith --ring: a call that does not return for S seconds is a reason to write them, too\n"
	"--attach PID\trecords a process that runs already under libaclcheck.so, until it ends, --for is "
	"over, or Ctrl-C\n"
	"--timeout S\tends the program after S seconds; the exit code is then 98\n"
	"--live\tcan be read while it is recorded (prints the command to type)\n"
	"--url URL\tsends the trace to a relay daemon, like net://HOST\n"
	"--shared\tuses the session daemon that is running, not one of its own\n"
	"--softnpu[=DEVICES]\truns on the software runtime instead of an NPU\n"
	"--plan\tprints the buffer sizes and ends\n"
	"\nThe exit code is the program's; 98 instead of 0: not all was recorded; 99: it was not started.\n";

struct options {
	struct trace_selection select;
	const char *output, *url, *devices;
	uint64_t buffers;
	bool minimal, lossless, live, shared, plan, softnpu;
	struct trace_window window;
	const char *calls; /* how many, NULL = all */
	unsigned timeout; /* in seconds, 0 = none */
	bool on_request, on_signal;
	pid_t attach; /* the process that is recorded, 0 = the program is started */
	double hang; /* seconds after which a call that has not returned is a reason to write the ring, 0 =
			none */
	bool ring; /* only the last calls are kept; buffers says how many bytes of them */
	char **program;
};

struct recording {
	struct options opt;
	struct trace_plan plan;
	struct trace_daemon daemon;
	char *events;
	char directory[PATH_MAX]; /* absolute, "" when the trace goes elsewhere */
	bool made_directory;
	const char *lttng_home; /* the user's, or NULL */
	char name[64]; /* of the session */
	uint64_t discarded, lost;
	struct hang_watch hang;
	struct trace_ends ends;
	struct trace_disk disk;
	bool full; /* the disk, sooner or later */
	bool ran; /* there is such a program */
	bool empty; /* no call was recorded */
	bool lacking; /* not all calls were recorded, though all were to be */
	bool timed_out;
	uint64_t ended; /* by CLOCK_MONOTONIC, when the program had; 0 = it may run on */
	unsigned left; /* processes that ran on when the program had ended */
};

/* --- options --------------------------------------------------------------- */

enum {
	OPT_ONE = 256,
	OPT_MINIMAL,
	OPT_LOSSLESS,
	OPT_BUFFERS,
	OPT_CLASS,
	OPT_EVENTS,
	OPT_LIVE,
	OPT_URL,
	OPT_SHARED,
	OPT_PLAN,
	OPT_START_AFTER,
	OPT_FOR,
	OPT_ON_SIGNAL,
	OPT_ON_REQUEST,
	OPT_CALLS,
	OPT_RING,
	OPT_HANG,
	OPT_ATTACH,
	OPT_TIMEOUT,
	OPT_SOFTNPU
};

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"one-event", no_argument, NULL, OPT_ONE},
	{"minimal", no_argument, NULL, OPT_MINIMAL},
	{"lossless", no_argument, NULL, OPT_LOSSLESS},
	{"buffers", required_argument, NULL, OPT_BUFFERS},
	{"class", required_argument, NULL, OPT_CLASS},
	{"events", required_argument, NULL, OPT_EVENTS},
	{"live", no_argument, NULL, OPT_LIVE},
	{"url", required_argument, NULL, OPT_URL},
	{"shared", no_argument, NULL, OPT_SHARED},
	{"plan", no_argument, NULL, OPT_PLAN},
	{"start-after", required_argument, NULL, OPT_START_AFTER},
	{"for", required_argument, NULL, OPT_FOR},
	{"on-signal", no_argument, NULL, OPT_ON_SIGNAL},
	{"on-request", no_argument, NULL, OPT_ON_REQUEST},
	{"calls", required_argument, NULL, OPT_CALLS},
	{"ring", required_argument, NULL, OPT_RING},
	{"hang", required_argument, NULL, OPT_HANG},
	{"attach", required_argument, NULL, OPT_ATTACH},
	{"timeout", required_argument, NULL, OPT_TIMEOUT},
	{"softnpu", optional_argument, NULL, OPT_SOFTNPU},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* Which calls of those that are selected. False: one line has been said. */
static bool parse_window(struct options *o, const struct option *option, const char *value)
{
	if (option->val == OPT_START_AFTER || option->val == OPT_FOR || option->val == OPT_HANG) {
		double *seconds = option->val == OPT_FOR    ? &o->window.length
				  : option->val == OPT_HANG ? &o->hang
							    : &o->window.after;

		*seconds = trace_seconds(value);
		if (!*seconds)
			command_say("--%s %s: not a number of seconds such as 2.5", option->name, value);
		return *seconds > 0;
	}
	if (option->val == OPT_CALLS) {
		o->calls = value;
		if (!trace_is_count(value))
			command_say("--%s %s: not a number from 1 to 1000000000", option->name, value);
		return trace_is_count(value);
	}
	o->on_signal |= option->val == OPT_ON_SIGNAL;
	o->on_request |= option->val == OPT_ON_REQUEST;
	return true;
}

/* Exit status, or -1 to go on. */
static int trace_parse(struct options *o, int argc, char **argv)
{
	int c, index;

	optind = 1;
	while ((c = getopt_long(argc, argv, "+o:h", long_options, &index)) != -1) {
		switch (c) {
		case 'o':
			o->output = optarg;
			break;
		case OPT_ONE:
			o->select.one_event = true;
			break;
		case OPT_MINIMAL:
			o->minimal = true;
			break;
		case OPT_LOSSLESS:
			o->lossless = true;
			break;
		case OPT_RING:
		case OPT_BUFFERS:
			o->ring |= c == OPT_RING;
			o->buffers = trace_size(optarg);
			if (!o->buffers) {
				command_say(
					"--%s %s: not a size such as 64M", long_options[index].name, optarg);
				return COMMAND_MISUSE;
			}
			break;
		case OPT_ATTACH:
			o->attach = attach_number(optarg);
			if (!o->attach)
				return command_misuse("--attach %s: not a process id", optarg);
			break;
		case OPT_TIMEOUT:
			if (timeout_parse(optarg, &o->timeout))
				return COMMAND_MISUSE;
			break;
		case OPT_CLASS:
			o->select.classes = optarg;
			break;
		case OPT_EVENTS:
			o->select.events = optarg;
			break;
		case OPT_LIVE:
			o->live = true;
			break;
		case OPT_URL:
			o->url = optarg;
			break;
		case OPT_SHARED:
			o->shared = true;
			break;
		case OPT_PLAN:
			o->plan = true;
			break;
		case OPT_START_AFTER:
		case OPT_FOR:
		case OPT_HANG:
		case OPT_ON_SIGNAL:
		case OPT_ON_REQUEST:
		case OPT_CALLS:
			if (!parse_window(o, &long_options[index], optarg))
				return COMMAND_MISUSE;
			break;
		case OPT_SOFTNPU:
			o->softnpu = true;
			o->devices = optarg;
			break;
		case 'h':
			return command_help("trace", help);
		default:
			return command_bad_option(argv, optind, long_options);
		}
	}
	o->program = argv + optind;
	/* Of a ring the signal says when it is written. */
	o->window.by_signal = o->on_signal && !o->ring;
	if (o->minimal && o->select.one_event)
		return command_misuse("--minimal and --one-event exclude each other");
	if (o->ring && (o->live || o->url || o->lossless || o->shared))
		return command_misuse("--ring excludes --live, --url, --lossless and --shared");
	if (o->hang && !o->ring)
		return command_misuse("--hang needs --ring");
	if (o->attach && (*o->program || o->ring || o->minimal || o->calls || o->on_request || o->softnpu ||
				 o->timeout))
		return command_misuse(
			"--attach excludes a program, --ring, --minimal, --calls, --on-request, "
			"--softnpu and --timeout");
	if (*o->program || o->plan || o->attach)
		return -1;
	command_say("which program? aclcheck trace [options] -- PROGRAM [ARGUMENT...]");
	return COMMAND_MISUSE;
}

/* --- where the trace goes --------------------------------------------------- */

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	bool empty = true;

	while (d && (e = readdir(d)))
		empty = empty && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."));
	if (d)
		closedir(d);
	return empty;
}

static bool trace_make_directory(struct recording *r)
{
	char name[64];
	time_t now = time(NULL);
	struct stat st;
	struct tm t;

	if (r->opt.url) {
		if (!r->opt.output)
			return true;
		command_say("--output and --url exclude each other");
		return false;
	}
	if (!r->opt.output) {
		strftime(name, sizeof(name), "aclcheck-trace-%Y%m%d-%H%M%S", localtime_r(&now, &t));
		r->opt.output = strdup(name);
	}
	r->made_directory = mkdir(r->opt.output, 0777) == 0;
	if (!r->made_directory && errno == EEXIST && !filestat_path(r->opt.output, &st) &&
		!S_ISDIR(st.st_mode)) {
		command_say("%s: a file of that name is there (expected a directory, or a new name)",
			r->opt.output);
		return false;
	}
	if ((!r->made_directory && errno != EEXIST) || !realpath(r->opt.output, r->directory) ||
		access(r->directory, W_OK | X_OK)) {
		command_say("%s: %s", r->opt.output, strerror(errno));
		return false;
	}
	if (!is_empty(r->directory)) {
		command_say("%s: there is something in it already, which a trace must not mix with",
			r->opt.output);
		return false;
	}
	return true;
}

/* --- the session ------------------------------------------------------------ */

static bool create_session(struct recording *r)
{
	struct trace_daemon *d = &r->daemon;
	char relay[64];
	bool ok;

	snprintf(r->name, sizeof(r->name), "aclcheck-%d-%lx", (int)getpid(), (unsigned long)time(NULL));
	snprintf(relay, sizeof(relay), "net://127.0.0.1:%u:%u", d->control_port, d->data_port);
	if (r->opt.url || r->opt.live)
		ok = control_create_remote(r->name, r->opt.url ? r->opt.url : relay, r->opt.live);
	else
		ok = control_create_local(r->name, r->directory, r->opt.ring);
	if (ok)
		strcpy(d->session, r->name);
	return ok;
}

static bool add_ring(struct recording *r, const char *channel, uint64_t size, unsigned count)
{
	const struct control_ring ring = {.channel = channel,
		.size = size,
		.count = count,
		.overwrite = r->opt.ring,
		.blocking = r->opt.lossless};

	return control_add_ring(r->daemon.session, &ring);
}

/*
 * Where the disk may be full at any time, what describes the events is written at the end, into the room that
 * is held for it: LTTng's consumer gives up what it could not write, and may wait for itself then.
 */
static bool writes_descriptions(const struct recording *r)
{
	return !r->opt.live && !disk_is_small(&r->disk);
}

/*
 * Without the provider's own events a reader knows neither ranks nor findings. In a ring those that come
 * again and again would drive out the ones that come once, and so would many stacks.
 */
static bool set_own_events(const struct recording *r)
{
	static const struct {
		const char *channel, *events;
	} own[] = {
		{FACTS_CHANNEL,
			"aclcheck:process,aclcheck:ended,aclcheck:describe,aclcheck:verdict,aclcheck:thread,"
			"aclcheck:module,aclcheck:caller,aclcheck:finding*"},
		{STACKS_CHANNEL, "aclcheck:stack,aclcheck:python_place,aclcheck:python_stack"},
		{TRACE_CHANNEL, "aclcheck:answer,aclcheck:said,aclcheck:callback"}};

	if (!r->opt.ring)
		return control_set_events(r->daemon.session, TRACE_CHANNEL, "aclcheck:*", true);
	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!control_set_events(r->daemon.session, own[i].channel, own[i].events, true))
			return false;
	return true;
}

static bool start_session(struct recording *r)
{
	struct trace_daemon *d = &r->daemon;

	if (!create_session(r))
		return false;
	trace_daemon_announce(d);
	if (r->opt.ring ? !add_ring(r, FACTS_CHANNEL, FACTS_SIZE, FACTS_COUNT) ||
				  !add_ring(r, STACKS_CHANNEL, FACTS_SIZE, FACTS_COUNT)
			: writes_descriptions(r) && !control_write_descriptions(d->session))
		return false;
	return add_ring(r, TRACE_CHANNEL, r->plan.size, r->plan.count) &&
	       (!r->opt.attach || attach_begin(r->opt.attach, d->session)) && set_own_events(r) &&
	       (!trace_window_at_once(&r->opt.window) ||
		       control_set_events(d->session, TRACE_CHANNEL, r->events, true)) &&
	       (!r->opt.ring || ring_begin(d->session)) && control_start(d->session);
}

/* For who reads it later. */
static void note(const struct recording *r, unsigned lacks)
{
	if (*r->directory)
		recording_note(r->directory, lacks);
}

/* Once: before all is lost, or when the recording is over anyway. */
static bool end_writing(struct recording *r)
{
	disk_release(&r->disk);
	if (r->full)
		note(r, 1u << LACKS_DISK);
	return control_stop(r->daemon.session, r->directory);
}

static void look_at_disk(struct recording *r)
{
	if (r->full || !disk_is_full(&r->disk))
		return;
	r->full = true;
	command_say("%s: the disk is full: recording ends", r->opt.output);
	end_writing(r);
}

static bool stop_session(struct recording *r)
{
	bool ok;

	look_at_disk(r);
	ok = (r->full || end_writing(r)) && control_lost(r->daemon.session, &r->discarded, &r->lost);
	/* "stop" has waited until all was written; a relay daemon is to know that no more comes. */
	r->daemon.written = ok && !r->daemon.shared && !r->opt.url && !r->opt.live && !r->opt.attach;
	if (!r->daemon.written)
		ok &= control_end(r->daemon.session, ok);
	r->daemon.session[0] = 0;
	if (r->full)
		disk_repair(r->directory);
	return ok;
}

/* --- the program ------------------------------------------------------------ */

/* A variable as it was, for the commands that come after the program. */
struct saved_variable {
	const char *name;
	char *value;
};

static void trace_keep(struct saved_variable *k, const char *name)
{
	const char *value = getenv(name);

	k->name = name;
	k->value = value ? need(strdup(value)) : NULL;
}

static void restore(struct saved_variable *k)
{
	if (k->value)
		setenv(k->name, k->value, 1);
	else
		unsetenv(k->name);
	free(k->value);
}

static bool set_environment(struct recording *r)
{
	/* A user's program finds the daemon through it; root's does not need it. */
	if (r->lttng_home && (r->daemon.shared || geteuid() == 0))
		setenv("LTTNG_HOME", r->lttng_home, 1);
	else if (geteuid() == 0)
		unsetenv("LTTNG_HOME");
	setenv("ACLCHECK_TRACE", "on", 1);
	if (r->opt.on_request)
		setenv("ACLCHECK_TRACE_FROM", "program", 1);
	if (r->opt.minimal)
		setenv("ACLCHECK_TRACE_FIELDS", "minimal", 1);
	if (r->opt.calls)
		setenv("ACLCHECK_TRACE_CALLS", r->opt.calls, 1);
	/* Large buffers take their time to be made; the daemon is alive. */
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "15000", 0);
	/* LTTng would read the file of every library, for events that are not recorded. */
	if (!r->opt.select.events || !strstr(r->opt.select.events, "lttng_ust"))
		setenv("LTTNG_UST_WITHOUT_BADDR_STATEDUMP", "1", 0);
	if (r->opt.lossless)
		setenv("LTTNG_UST_ALLOW_BLOCKING", "1", 1);
	r->hang.seconds = r->opt.hang;
	if (r->opt.ring && !hang_begin(&r->hang, r->daemon.home))
		return false;
	trace_ends_begin(&r->ends, r->daemon.home);
	return launch_preload(r->opt.program[0]) && (!r->opt.softnpu || launch_softnpu(r->opt.devices, NULL));
}

static void program_started(void *context, pid_t child)
{
	struct recording *r = context;

	r->daemon.program = r->hang.program = child;
	trace_daemon_announce(&r->daemon);
}

static double disk_due(const struct recording *r)
{
	return r->disk.directory < 0 ? 0 : DISK_SECONDS;
}

/* Of two spans of time; 0 = never. */
static double earlier(double a, double b)
{
	return !b || (a && a < b) ? a : b;
}

static double trace_look(void *context, int signal)
{
	struct recording *r = context;
	bool hangs = false;
	double due = r->opt.ring ? hang_look(&r->hang, &hangs) : disk_due(r);

	if (hangs)
		trace_ends_record(&r->ends);
	if (hangs || (r->opt.ring && signal))
		control_write_ring(r->daemon.session);
	if (r->opt.ring)
		signal = 0;
	look_at_disk(r);
	return r->full ? 0 : earlier(trace_window_look(&r->opt.window, r->daemon.session, signal), due);
}

/* The program's exit code, as a shell would say it. */
static int run_program(struct recording *r)
{
	struct supervision how = {.timeout = r->opt.timeout,
		.started = program_started,
		.look = trace_look,
		.own_signal = r->opt.on_signal ? SIGUSR1 : 0,
		.context = r};
	static const char *const names[] = {"LTTNG_HOME", "LTTNG_UST_REGISTER_TIMEOUT",
		"LTTNG_UST_ALLOW_BLOCKING", "LTTNG_UST_WITHOUT_BADDR_STATEDUMP", "ASAN_OPTIONS", "LD_PRELOAD",
		"LD_LIBRARY_PATH", "ACLCHECK_TRACE", "ACLCHECK_TRACE_FROM", "ACLCHECK_TRACE_FIELDS",
		"ACLCHECK_TRACE_CALLS", "ACLCHECK_LAST_CALLS", "ACLCHECK_TRACE_PROCESSES"};
	struct saved_variable kept[sizeof(names) / sizeof(names[0])];
	struct supervised s = {0};
	int status = COMMAND_MISUSE;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		trace_keep(&kept[i], names[i]);
	if (set_environment(r)) {
		if (!supervise(r->opt.program, &how, &s))
			command_say("%s: %s", r->opt.program[0], strerror(errno));
		else if (s.exec_error)
			command_say("%s: %s", r->opt.program[0], strerror(s.exec_error));
		else
			status = WIFEXITED(s.status) ? WEXITSTATUS(s.status) : 128 + WTERMSIG(s.status);
	}
	trace_ends_stop(&r->ends);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		restore(&kept[i]);
	r->left = s.left;
	r->timed_out = s.timed_out;
	if (s.timed_out)
		run_note_timed_out();
	r->ran = !s.exec_error;
	return status;
}

/* --- what was recorded ------------------------------------------------------- */

/* Of each process, unless it is asked to choose. */
static bool wants_all_calls(const struct options *o)
{
	return !o->select.classes && !o->select.events && !o->attach && !o->window.by_signal &&
	       !o->window.after && !o->window.length;
}

/* False: there is nothing to go on with. */
static bool say_trace(struct recording *r)
{
	struct trace_counts n = {.calls = 1};
	uint64_t bytes = disk_bytes(r->directory);

	if (bytes > COUNT_LIMIT || (bytes && reader_missing())) {
		command_say("trace in %s: %s, events not counted", r->opt.output, bytes_text(bytes));
		return true;
	}
	if (bytes && !reader_count(r->directory, &n))
		return false;
	if (n.events)
		command_say("trace in %s: %llu events, %s", r->opt.output, (unsigned long long)n.events,
			bytes_text(bytes));
	if (n.events && !n.calls)
		command_say("no AscendCL call was recorded: inconclusive");
	r->empty = !n.calls;
	r->lacking = n.lacking && wants_all_calls(&r->opt);
	if (r->lacking)
		command_say("not all calls were recorded: inconclusive; the summary names the processes");
	if (!n.events)
		command_say("nothing was recorded in %s: inconclusive. Does the program call AscendCL, is "
			    "/dev/shm full?",
			r->opt.output);
	return n.events > 0;
}

/* Instead of the note from the beginning. */
static void note_what_lacks(const struct recording *r, bool found, bool stopped)
{
	unsigned lacks = 0;

	if (r->full)
		lacks = 1u << LACKS_DISK;
	else if (found && !stopped)
		lacks = 1u << LACKS_END;
	if (found && r->left)
		lacks |= 1u << LACKS_PROCESSES;
	if (found && r->opt.window.opened && !r->opt.window.open)
		lacks |= 1u << LACKS_AFTER_WINDOW;
	if (r->lacking)
		lacks |= 1u << LACKS_CALLS;
	note(r, lacks);
	if (found && r->ended)
		recording_note_end(r->directory, r->ended);
}

/* Whether all that could be recorded was; stopped: the session ended as it should. */
static bool report(struct recording *r, bool stopped)
{
	bool found = false;

	if (r->opt.url)
		command_say("trace sent to %s, session %s", r->opt.url, r->name);
	else
		found = say_trace(r);
	if (stopped)
		command_say("%llu events discarded, %llu packets lost%s", (unsigned long long)r->discarded,
			(unsigned long long)r->lost,
			r->discarded || r->lost ? ": inconclusive; --lossless or larger --buffers help" : "");
	else
		command_say("the recording was not ended as it should: inconclusive, events are missing");
	if (found)
		command_say("next: aclcheck summary %s", r->opt.output);
	if (r->full)
		command_say("%s: the disk was full: inconclusive, events are missing", r->opt.output);
	note_what_lacks(r, found, stopped);
	return stopped && !r->empty && !r->lacking && (found || r->opt.url) && !r->discarded && !r->lost &&
	       !r->full;
}

/* The same of a ring: that the oldest calls are gone is what was asked for. */
static bool end_ring(struct recording *r, int status)
{
	bool reason = (status || r->timed_out) && r->ran, ended;
	char last[NAME_MAX + 1], newest[PATH_MAX + NAME_MAX + 2];
	unsigned n;

	hang_look(&r->hang, &reason);
	ended = ring_end(r->daemon.session, r->directory, reason);
	ended &= control_end(r->daemon.session, true);
	r->daemon.session[0] = 0;
	n = ring_written(r->directory, last, sizeof(last));
	if (!ended) {
		command_say("the recording was not ended as it should: inconclusive, events are missing");
	} else if (n) {
		snprintf(newest, sizeof(newest), "%s/%s", r->opt.output, last);
		command_say("last calls written to %s: %u x", r->opt.output, n);
		command_say("next: aclcheck summary %s", newest);
	} else {
		command_say("nothing happened for which the last calls are written");
	}
	return ended;
}

static void say_live(const struct recording *r)
{
	char host[256] = "";

	if (!r->opt.live || r->opt.url)
		return;
	gethostname(host, sizeof(host) - 1);
	command_say("live: babeltrace2 --input-format=lttng-live net://127.0.0.1:%u/host/%s/%s",
		r->daemon.live_port, host, r->daemon.session);
}

/* --- the command -------------------------------------------------------------- */

/* The exit code so far: the program's. */
static int wait_for_end(struct recording *r)
{
	struct timespec now;
	int status = 0;

	if (r->opt.attach)
		attach_wait(r->opt.attach, &r->opt.window, trace_look, r);
	else
		status = run_program(r);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (r->opt.attach ? kill(r->opt.attach, 0) && errno == ESRCH : !r->left)
		r->ended = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return status;
}

/* A ring is written when something happens, as much as finds room then. */
static bool begin_disk(struct recording *r)
{
	uint64_t rings = r->plan.size * r->plan.count * r->plan.cpus;

	return !*r->directory || r->opt.ring || disk_begin(&r->disk, r->directory, rings, r->opt.lossless);
}

static bool trace_begin(struct recording *r)
{
	enum trace_daemon_place place = r->opt.shared   ? DAEMON_RUNNING
					: r->opt.attach ? DAEMON_NEAR
							: DAEMON_OWN;
	const struct trace_place where = {.relay = r->opt.live && !r->opt.url ? r->directory : NULL,
		.directory = *r->directory ? r->directory : NULL,
		.made = r->made_directory};

	if (!trace_daemon_start(&r->daemon, place, &where) || !begin_disk(r) || !start_session(r))
		return false;
	/* Until it has ended as it should; what a ring writes is whole. */
	if (!r->opt.ring)
		note(r, 1u << LACKS_END);
	return true;
}

static int trace_record(struct recording *r)
{
	int status;
	bool whole;

	if (!trace_begin(r)) {
		trace_daemon_stop(&r->daemon);
		return COMMAND_MISUSE;
	}
	say_live(r);
	status = wait_for_end(r);
	if (r->timed_out)
		command_say("the program was ended after %u seconds: inconclusive", r->opt.timeout);
	if (r->left)
		command_say("%u processes were still running when the program had ended: inconclusive, their "
			    "later calls are not recorded",
			r->left);
	if (!r->opt.window.opened)
		command_say("the program ended before the recording of calls began: inconclusive");
	whole = (r->opt.ring ? end_ring(r, status) : report(r, stop_session(r))) && r->opt.window.opened;
	trace_daemon_stop(&r->daemon);
	return !r->timed_out && (status || (whole && !r->left)) ? status : COMMAND_INCONCLUSIVE;
}

int cmd_trace(int argc, char **argv)
{
	static struct recording r = {.disk = NO_DISK, .ends = {0, -1}};
	const char *refusal;
	char why[512] = "";
	int status = trace_parse(&r.opt, argc, argv);

	if (status >= 0)
		return status;
	r.lttng_home = getenv("LTTNG_HOME");
	if (r.lttng_home)
		r.lttng_home = strdup(r.lttng_home);
	r.events = trace_select(&r.opt.select, why, sizeof(why));
	r.opt.window.calls = r.events;
	if (!r.events || !trace_plan(&r.plan, r.opt.buffers, why, sizeof(why))) {
		command_say("%s", why);
		return COMMAND_MISUSE;
	}
	if (r.opt.plan) {
		printf("%u sub-buffers of %s for each of %u CPUs: %s of %s free in /dev/shm\n", r.plan.count,
			bytes_text(r.plan.size), r.plan.cpus,
			bytes_text(r.plan.size * r.plan.count * r.plan.cpus), bytes_text(r.plan.shm));
		return 0;
	}
	refusal = r.opt.attach ? NULL : launch_refusal(r.opt.program[0]);
	if (refusal)
		return command_misuse("%s", refusal);
	if (r.opt.attach && !attach_possible(r.opt.attach))
		return COMMAND_MISUSE;
	if (!trace_make_directory(&r))
		return COMMAND_MISUSE;
	status = trace_record(&r);
	free(r.events);
	return status;
}
