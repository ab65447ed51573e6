/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck fuzz-errors: which failures of the runtime the program handles. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/formats/formats.h"
#include "tools/aclcheck/fuzz/fuzz.h"
#include "tools/aclcheck/report/report.h"

int cmd_fuzz_errors(int argc, char **argv);

#define JOBS_MAX 256
#define REFERENCE "reference"
#define SLOWEST 10 /* so many times the program's own time, … */
#define LEAST_TIME 20 /* … and at least so many seconds, before a trial hangs */

struct fuzz {
	struct trial_options trial;
	const char *calls; /* whose places, may end in * */
	const char *state; /* file, NULL = none */
	bool keep; /* the files of the trials */
	unsigned long jobs;
	json_t *results; /* "command", "reference", "places" */
	size_t started, done;
	struct {
		pid_t pid;
		size_t place;
	} running[JOBS_MAX];
	unsigned n_running;
	char directory[PATH_MAX];
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	interrupted = signal;
}

/* --- state -------------------------------------------------------------------------- */

static json_t *places(const struct fuzz *f)
{
	return json_object_get(f->results, "places");
}

static json_t *command_json(char *const *program)
{
	json_t *list = need(json_array());

	for (; *program; program++)
		json_array_append_new(list, json_string(*program));
	return list;
}

/* False after an error was said. What is not there yet is begun. */
static bool state_read(struct fuzz *f)
{
	json_t *command = command_json(f->trial.program);
	bool good = true;

	f->results = f->state && !access(f->state, F_OK) ? json_load_file(f->state, 0, NULL) : json_object();
	if (!json_is_object(f->results) || (json_object_size(f->results) && !json_is_array(places(f)))) {
		command_say("%s: is no state of 'aclcheck fuzz-errors'", f->state);
		good = false;
	} else if (json_object_size(f->results) &&
		   !json_equal(json_object_get(f->results, "command"), command)) {
		command_say("%s: is the state of another command line", f->state);
		good = false;
	}
	if (good)
		json_object_set(f->results, "command", command);
	json_decref(command);
	return good;
}

static bool state_write(const struct fuzz *f)
{
	char *text;
	bool good;

	if (!f->state)
		return true;
	text = need(json_dumps(f->results, JSON_INDENT(1)));
	good = whole_file(f->state, text, strlen(text));
	free(text);
	return good;
}

/* --- the program without failures ------------------------------------------------------ */

static int wait_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
		else if (interrupted)
			kill(-pid, SIGTERM);
	return status;
}

static double fuzz_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A new reference, NULL after an error was said. */
static json_t *run_once(struct fuzz *f, double *seconds)
{
	const char *wrong;
	double began = fuzz_now();
	json_t *report;
	char watch[160];
	pid_t pid;

	snprintf(watch, sizeof(watch), "%.128s:watch", f->calls);
	pid = trial_start(&f->trial, REFERENCE, watch);
	if (pid < 0)
		return NULL;
	wait_child(pid);
	*seconds = fuzz_now() - began;
	report = interrupted ? NULL : trial_report(&f->trial, REFERENCE);
	wrong = interrupted ? "interrupted" : reference_refusal(report);
	if (!wrong)
		return report;
	command_say("%s", wrong);
	json_decref(report);
	return NULL;
}

/* Twice: what differs from run to run is no evidence. */
static bool learn_reference(struct fuzz *f)
{
	double first, second;
	json_t *report = run_once(f, &first), *reference, *again;

	if (!report)
		return false;
	again = run_once(f, &second);
	if (again) {
		reference = reference_new(report);
		reference_widen(reference, again);
		json_object_set_new(f->results, "reference", reference);
		json_object_set_new(f->results, "places", places_of(report));
		json_object_set_new(f->results, "seconds", json_real(first > second ? first : second));
		if (json_object_get(report, "injected_elsewhere"))
			json_object_set_new(f->results, "incomplete", json_true());
	}
	json_decref(report);
	json_decref(again);
	return again && state_write(f);
}

/* --- trials ------------------------------------------------------------------------------ */

static void trial_name(size_t place, char name[32])
{
	snprintf(name, 32, "place-%zu", place);
}

static void progress(const struct fuzz *f)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu/%zu ", f->done, json_array_size(places(f)));
}

static void fuzz_finish(struct fuzz *f, size_t number)
{
	json_t *place = json_array_get(places(f), number), *report;
	char name[32], detail[256];
	enum outcome outcome;

	trial_name(number, name);
	report = trial_report(&f->trial, name);
	outcome = outcome_of(json_object_get(f->results, "reference"), report, detail, sizeof(detail));
	json_decref(report);
	json_object_set_new(place, "outcome", json_string(outcome_words[outcome]));
	json_object_set_new(place, "detail", json_string(detail));
	if (!f->keep)
		trial_remove_files(&f->trial, name);
	f->done++;
	state_write(f);
	progress(f);
}

/* Starts the trial of a place; false: the place needs none. */
static bool fuzz_start(struct fuzz *f, size_t number)
{
	json_t *place = json_array_get(places(f), number);
	char name[32], fault[512];
	pid_t pid;

	if (json_object_get(place, "outcome"))
		return false;
	trial_name(number, name);
	pid = place_fault(place, fault, sizeof(fault)) ? trial_start(&f->trial, name, fault) : -1;
	if (pid < 0) {
		json_object_set_new(place, "outcome", json_string(outcome_words[OUTCOME_LOST]));
		json_object_set_new(place, "detail", json_string(""));
		return false;
	}
	f->running[f->n_running].pid = pid;
	f->running[f->n_running++].place = number;
	return true;
}

static void end_all(struct fuzz *f)
{
	for (unsigned i = 0; i < f->n_running; i++)
		kill(-f->running[i].pid, SIGTERM);
	for (unsigned i = 0; i < f->n_running; i++) {
		char name[32];

		wait_child(f->running[i].pid);
		trial_name(f->running[i].place, name);
		trial_remove_files(&f->trial, name);
	}
	f->n_running = 0;
}

static void take_ended(struct fuzz *f)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	for (unsigned i = 0; i < f->n_running; i++)
		if (f->running[i].pid == pid) {
			size_t place = f->running[i].place;

			f->running[i] = f->running[--f->n_running];
			fuzz_finish(f, place);
			return;
		}
}

static void try_all(struct fuzz *f)
{
	size_t next = 0, n = json_array_size(places(f));

	progress(f);
	while (!interrupted && (next < n || f->n_running)) {
		if (next < n && f->n_running < f->jobs)
			f->done += !fuzz_start(f, next++);
		else
			take_ended(f);
	}
	end_all(f);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r");
}

/* --- the table ---------------------------------------------------------------------------- */

static int by_outcome(enum outcome outcome)
{
	return outcome < OUTCOME_NOT_REACHED ? COMMAND_FAIL
	       : outcome < OUTCOME_STOPPED   ? COMMAND_INCONCLUSIVE
					     : COMMAND_PASS;
}

static void print_place(const json_t *place)
{
	const char *detail = in_language(text_of(place, "detail"));

	print_column(stdout, -11, text_of(place, "outcome"));
	printf("  %s  %s%s%s\n", text_of(place, "call"), injected_place(place), *detail ? ": " : "", detail);
}

static int print_results(const struct fuzz *f)
{
	bool failed = false, doubtful = flag_of(f->results, "incomplete") || interrupted;
	const json_t *place;
	size_t i, n;

	for (unsigned o = 0; o < OUTCOMES; o++)
		json_array_foreach(places(f), i, place)
		{
			if (strcmp(text_of(place, "outcome"), outcome_words[o]) != 0)
				continue;
			print_place(place);
			failed |= by_outcome(o) == COMMAND_FAIL;
			doubtful |= by_outcome(o) == COMMAND_INCONCLUSIVE;
		}
	print_in_language(stdout, "%zu places", json_array_size(places(f)));
	for (unsigned o = 0; o < OUTCOMES; o++) {
		n = 0;
		json_array_foreach(places(f), i, place) n +=
			!strcmp(text_of(place, "outcome"), outcome_words[o]);
		if (n)
			printf(", %zu %s", n, in_language(outcome_words[o]));
	}
	doubtful |= !json_array_size(places(f));
	fputc('\n', stdout);
	print_in_language(stdout, "verdict %s", failed ? "fail" : doubtful ? "inconclusive" : "pass");
	fputc('\n', stdout);
	return failed ? COMMAND_FAIL : doubtful ? COMMAND_INCONCLUSIVE : COMMAND_PASS;
}

/* --- the command ----------------------------------------------------------------------------- */

static bool fuzz_make_directory(struct fuzz *f, const char *wanted)
{
	f->keep = wanted != NULL;
	if (wanted)
		snprintf(f->directory, sizeof(f->directory), "%s", wanted);
	else
		snprintf(
			f->directory, sizeof(f->directory), "%s/aclcheck-fuzz-XXXXXX", temporary_directory());
	f->trial.directory = f->directory;
	if (wanted ? !mkdir(wanted, 0777) || errno == EEXIST : mkdtemp(f->directory) != NULL)
		return true;
	command_say("%s: %s", f->directory, strerror(errno));
	return false;
}

static bool fuzz_number(const char *text, unsigned long most, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
	return *out && !*end && !errno && *out <= most;
}

/* Runs that were ended have their directories in it, which programs may write in as long as they are ending.
 */
static void remove_directory(const char *path)
{
	const struct timespec pause = {.tv_nsec = 10000000};

	for (unsigned tries = 0; !temporary_directory_remove(path) && tries < 200; tries++)
		nanosleep(&pause, NULL);
}

static int fuzz(struct fuzz *f, const char *logs)
{
	const struct sigaction on_signal = {.sa_handler = interrupt};
	int code = COMMAND_MISUSE;

	if (!state_read(f) || !fuzz_make_directory(f, logs))
		return COMMAND_MISUSE;
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	if (json_object_get(f->results, "places") || learn_reference(f)) {
		double own = json_number_value(json_object_get(f->results, "seconds")) * SLOWEST;

		if (!f->trial.timeout)
			f->trial.timeout = own > LEAST_TIME ? (unsigned)own : LEAST_TIME;
		try_all(f);
		code = print_results(f);
	}
	if (!f->keep)
		remove_directory(f->directory);
	return interrupted ? 128 + interrupted : code;
}

int cmd_fuzz_errors(int argc, char **argv)
{
	static const struct option options[] = {{"jobs", required_argument, NULL, 'j'},
		{"timeout", required_argument, NULL, 't'}, {"state", required_argument, NULL, 's'},
		{"logs", required_argument, NULL, 'l'}, {"calls", required_argument, NULL, 'c'},
		{"softnpu", optional_argument, NULL, 'n'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct fuzz *f = need(calloc(1, sizeof(*f)));
	unsigned long seconds = 0;
	const char *logs = NULL;
	char softnpu[32];
	int c, code;

	f->calls = "acl*";
	f->jobs = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
	while ((c = getopt_long(argc, argv, "+hj:", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			if (!fuzz_number(optarg, JOBS_MAX, &f->jobs))
				return command_misuse(
					"--jobs: invalid value '%s' (expected 1 to %d)", optarg, JOBS_MAX);
			break;
		case 't':
			if (!fuzz_number(optarg, 1000000, &seconds))
				return command_misuse(
					"--timeout: invalid value '%s' (expected seconds)", optarg);
			break;
		case 's':
			f->state = optarg;
			break;
		case 'c':
			f->calls = optarg;
			break;
		case 'l':
			logs = optarg;
			break;
		case 'n':
			snprintf(softnpu, sizeof(softnpu), "--softnpu%s%.16s", optarg ? "=" : "",
				optarg ? optarg : "");
			f->trial.softnpu = softnpu;
			break;
		case 'h':
			return command_help("fuzz-errors",
				"-j, --jobs N\truns at once [processors]\n"
				"--timeout S\ta run that takes longer hangs [ten times the program's own "
				"time, at least 20 seconds]\n"
				"--state FILE\tresults as JSON after each run; places that it has are not "
				"tried again\n"
				"--calls NAME\tplaces that call this function only; may end in *\n"
				"--logs DIRECTORY\tkeep the report and the output of each run there\n"
				"--softnpu[=N]\trun on the software runtime instead of an NPU\n"
				"\nThe program runs twice as it is, then once for each place that calls the "
				"runtime: "
				"the first call there fails. Handled are failures after which it ended with "
				"an error, "
				"made the call again or took another way; crash, hang, misuse (findings that "
				"are none "
				"without the failure) and ignored are not.\n"
				"\nExit codes: 0 all are handled, 97 one is not, 98 not all could be tried, "
				"99 misuse.\n");
		default:
			return command_bad_option(argv, optind, options);
		}
	}
	if (optind == argc)
		return command_misuse("fuzz-errors: no program named; see 'aclcheck fuzz-errors --help'");
	f->trial.program = argv + optind;
	f->trial.timeout = (unsigned)seconds;
	if (f->jobs < 1 || f->jobs > JOBS_MAX)
		f->jobs = 1;
	code = fuzz(f, logs);
	json_decref(f->results);
	free(f);
	return code;
}
