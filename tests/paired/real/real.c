/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pair frame on the software runtime.
 *	PROGRAM			lists: NUMBER RULE NAME ALSO TARGET PRODUCT SWITCHED AVOIDS
 *	PROGRAM NUMBER...	runs both ways of each in children of its own, and says:
 *				NUMBER WAY PID END EXIT OTHERWISE
 * END is ok or what killed the child; EXIT is "exit" when the end of the process
 * belongs to the scenario; OTHERWISE is the first call that did not return what the
 * scenario says, or "-".
 *
 * What only a device runs into (no memory, no stream left, a failed task) the runtime is set to
 * answer: where a scenario has such a code and the call succeeded, it is played once more, and that
 * call fails.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real.h"
#include "softnpu.h"

#define MAX_TOLD 4
/* A scenario takes milliseconds; what takes no processor for this long, or very much of one, waits for ever.
 */
#define SECONDS 5
#define EMULATED_SECONDS 15
#define PROCESSOR_SECONDS 60
#define IDLE_SHARE 0.05 /* the software runtime looks for what comes from outside now and then */

/* What a child tells its parent, also when it is killed. */
static struct outcome {
	unsigned api; /* of the last call */
	bool at_exit;
	char otherwise[128];
	unsigned calls;
	struct {
		unsigned call; /* which one, from 1 */
		int code;
	} told[MAX_TOLD]; /* to fail; kept for the next time */
	unsigned n_told;
} * outcome;

static const int of_device[] = {ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
	ACL_ERROR_RT_NO_MODEL_RESOURCE, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_NO_STREAM_RESOURCE,
	ACL_ERROR_RT_AICORE_EXCEPTION, ACL_ERROR_RT_DRV_INTERNAL_ERROR};

static void tell(unsigned api)
{
	char fault[128] = "";

	for (unsigned i = 0; i < outcome->n_told; i++)
		if (outcome->told[i].call == outcome->calls)
			snprintf(fault, sizeof(fault), "%s:error=%d", acl_apis[api].name,
				outcome->told[i].code);
	softnpu_inject(fault);
}

/* A call that succeeded fails the next time as the scenario says. */
static void tell_next_time(int64_t got, int64_t wanted)
{
	if (got || outcome->n_told == MAX_TOLD)
		return;
	for (unsigned i = 0; i < sizeof(of_device) / sizeof(*of_device); i++)
		if (of_device[i] == wanted) {
			outcome->told[outcome->n_told].call = outcome->calls;
			outcome->told[outcome->n_told++].code = (int)wanted;
			return;
		}
}

/* Arguments of the call on its way; calls of one scenario nest at most once. */
#define NESTED 4
static struct {
	char bytes[256] __attribute__((aligned(16)));
} room[NESTED];
static unsigned depth;

bool pair_enter(struct acl_call_record *ev, unsigned api, const void *args, unsigned line)
{
	void *copy = room[depth++ % NESTED].bytes;

	acl_call_record_init(ev, api, args, line);
	if (acl_apis[api].args_size > sizeof(room[0].bytes))
		abort();
	memcpy(copy, args, acl_apis[api].args_size);
	standin_fill(api, copy);
	outcome->api = api;
	outcome->calls++;
	tell(api);
	ev->result.i = place_call(api, copy);
	softnpu_inject(NULL);
	return false;
}

void pair_leave(struct acl_call_record *ev, int64_t result)
{
	depth--;
	if (acl_apis[ev->api].ret_kind != ACL_KIND_ERROR || ev->result.i == result || outcome->otherwise[0])
		return;
	/* Fixed, one failure is as good as another; with the bug the very code may be the matter. */
	if (!bug && !ev->result.i == !result)
		return;
	tell_next_time(ev->result.i, result);
	snprintf(outcome->otherwise, sizeof(outcome->otherwise), "%s returned %d, not %d",
		acl_apis[ev->api].name, (int)ev->result.i, (int)result);
}

void pair_assume(bool holds, const char *what)
{
	if (!holds && !outcome->otherwise[0])
		snprintf(outcome->otherwise, sizeof(outcome->otherwise), "not so: %s", what);
}

void pair_unseen(enum checks_other_submitter what)
{
	(void)what;
	pair_assume(false, "there are other ways to the objects");
}

void pair_news(const struct checks_peer_news *news)
{
	(void)news;
	pair_assume(false, "the other process is not seen");
}

void pair_exit(void)
{
	outcome->at_exit = true;
	exit(0);
}

int32_t pair_pid(void)
{
	return getpid();
}

const char *pair_file(void)
{
	static char path[4096 + 8];

	if (!path[0] && getcwd(path, 4096))
		strcat(path, "/add.o");
	return path;
}

/* The runtime is the real one here: nothing stands in for it. */
void *make_address(void)
{
	return NULL;
}

void *make_range(size_t bytes, bool device)
{
	(void)bytes;
	(void)device;
	return NULL;
}

static void play(const struct pair *t)
{
	static const size_t sizes[] = {4, 4};
	struct acl_call_record ev;

	if (t->visible[!bug])
		setenv("ASCEND_RT_VISIBLE_DEVICES", t->visible[!bug], 1);
	softnpu_describe_kernel("add", sizes, 2);
	if (!t->bare) {
		CALL(aclInit, .configPath = NULL);
		CALL(aclrtSetDevice, .deviceId = 0);
	}
	pair_functions_use(t);
	if (t->scenario) {
		t->scenario();
		return;
	}
	pair_enter(&ev, t->api, bug ? t->bad_args : t->good_args, 1);
	/* What a wrong call returns is the runtime's affair. */
	pair_leave(&ev, bug ? ev.result.i : 0);
}

static double processor_seconds(pid_t pid)
{
	struct timespec t = {0, 0};
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool runs(pid_t pid, const char *thread)
{
	char path[64], stat[256] = "", *name;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, thread);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(stat, sizeof(stat), file))
		stat[0] = '\0';
	fclose(file);
	name = strrchr(stat, ')');
	return name && name[1] && name[2] == 'R';
}

/* A thread of it has a processor, or waits for one. */
static bool any_runs(pid_t pid)
{
	char path[64];
	struct dirent *thread;
	bool found = false;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && !found && (thread = readdir(threads)))
		found = thread->d_name[0] != '.' && runs(pid, thread->d_name);
	if (threads)
		closedir(threads);
	return found;
}

static const sigset_t *child_ends(void)
{
	static sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return &set;
}

/* Not by the clock: beside other load what computes takes long, too. */
static void wait_for(pid_t pid, int *status)
{
	const struct timespec second = {1, 0};
	int idle = 0, limit = getenv("TEST_EMULATOR") ? EMULATED_SECONDS : SECONDS;
	double took = 0;

	while (waitpid(pid, status, WNOHANG) == 0) {
		double takes;

		if (sigtimedwait(child_ends(), NULL, &second) >= 0)
			continue;
		takes = processor_seconds(pid);
		idle = takes - took < IDLE_SHARE && !any_runs(pid) ? idle + 1 : 0;
		took = takes;
		if (idle >= limit || takes > PROCESSOR_SECONDS)
			kill(pid, SIGALRM);
	}
}

static pid_t run_once(const struct pair *t, int *status)
{
	pid_t pid;

	fflush(stdout);
	sigprocmask(SIG_BLOCK, child_ends(), NULL);
	pid = fork();
	if (!pid) {
		sigprocmask(SIG_UNBLOCK, child_ends(), NULL);
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		play(t);
		exit(0);
	}
	wait_for(pid, status);
	return pid;
}

static void run(const struct pair *t, unsigned number)
{
	unsigned told;
	int status = 0;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	do {
		told = outcome->n_told;
		outcome->calls = 0;
		outcome->at_exit = false;
		outcome->otherwise[0] = '\0';
		pid = run_once(t, &status);
	} while (outcome->n_told > told);
	printf("%u\t%s\t%d\t", number, bug ? "bug" : "fixed", (int)pid);
	if (WIFSIGNALED(status))
		printf("%s in %s\t", strsignal(WTERMSIG(status)), acl_apis[outcome->api].name);
	else
		printf(WEXITSTATUS(status) ? "ended with %d\t" : "ok\t", WEXITSTATUS(status));
	printf("%s\t%s\n", outcome->at_exit ? "exit" : "-", outcome->otherwise[0] ? outcome->otherwise : "-");
}

int pairs_run(const char *name, const struct pair *pairs, size_t n, int argc, char **argv)
{
	(void)name;
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED)
		return 1;
	for (size_t i = 0; argc < 2 && i < n; i++)
		printf("%zu\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", i, pairs[i].rule,
			pairs[i].name ? pairs[i].name : acl_apis[pairs[i].api].name,
			pairs[i].also ? pairs[i].also : "",
			pairs[i].target ? acl_cann_names[pairs[i].target - 1] : "",
			pairs[i].soc ? pairs[i].soc : "", pairs[i].on ? pairs[i].rule : "",
			pairs[i].avoids ? "avoids" : "");
	if (argc > 1 && !neighbour_start())
		return 1;
	for (int k = 1; k < argc; k++) {
		unsigned number = (unsigned)atoi(argv[k]);

		if (number >= n)
			return 1;
		bug = true;
		run(&pairs[number], number);
		bug = false;
		run(&pairs[number], number);
	}
	return 0;
}
