/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session daemon of a recording.  Each recording has its own, so that it
 * meets no other session and leaves nothing behind:
 *	a user		LTTNG_HOME in a temporary directory
 *	root		LTTng allows one daemon a run directory and that directory is
 *			fixed; a mount namespace of ours gives us another.  Where that is
 *			forbidden: a session with a name of its own in the running daemon.
 * A daemon that we did not start is never stopped.
 *
 * A process of ours, the keeper, is their parent and ends them.  It outlives this command when that is
 * killed: then the recording goes on until the program has ended, and nothing is left behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

#define RUN_DIRECTORY "/var/run/lttng"
#define READY_SECONDS 15
#define ANSWER_SECONDS 60 /* for one request; LTTng's daemons may wait for each other, for ever */
#define END_SECONDS 10
/*
 * For a program's thread to answer the session daemon, which forgets the program else: what that calls then
 * is not recorded.  As long as the program waits for the daemon (cmd_trace.c).
 */
#define APP_SECONDS "15"

/* --- daemons of ours ------------------------------------------------------- */

struct keeper {
	char home[64];
	struct trace_place where;
	pid_t sessiond, relayd; /* 0 = none */
};

/* What the keeper says when the daemons are up, or not. */
struct keeper_answer {
	bool up;
	char home[64]; /* "" = none could be made */
	unsigned control_port, data_port, live_port;
};

/* What is said to the keeper. The end of its line means that this command was killed. */
struct keeper_word {
	bool stop;
	bool at_once; /* nothing is left for the daemons to do */
	bool asks; /* the daemons are to answer something */
	pid_t program; /* 0 = not yet */
	char session[64]; /* "" = not yet */
};

/*
 * The daemons close all descriptors that there may be before they do anything: where a million is permitted,
 * that takes them a second each. They need a few for each processor and program.
 */
static void limit_descriptors(void)
{
	rlim_t enough = 4096 + 32 * (rlim_t)sysconf(_SC_NPROCESSORS_CONF);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur <= enough)
		return;
	limit.rlim_cur = enough;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* A daemon must not outlive the keeper, must not see the terminal's signals, and says nothing. */
static pid_t daemon_start(const char *log, char *const *argv)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;
	int fd;

	if (pid)
		return pid;
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	limit_descriptors();
	setenv("LTTNG_APP_SOCKET_TIMEOUT", APP_SECONDS, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	fd = open("/dev/null", O_RDONLY);
	dup2(fd, 0);
	execvp(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Whether the process ends by itself in that time; it has ended in any case. */
static bool ends_within(pid_t pid, unsigned seconds, int *status)
{
	struct timespec pause = {0, 10 * 1000 * 1000};

	for (unsigned i = 0; i < seconds * 100; i++) {
		if (waitpid(pid, status, WNOHANG) != 0)
			return true;
		nanosleep(&pause, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return false;
}

static void stop(pid_t *pid)
{
	if (*pid <= 0)
		return;
	kill(*pid, SIGTERM);
	ends_within(*pid, END_SECONDS, NULL);
	*pid = 0;
}

static void say_dead(const char *program, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		command_say("%s is not installed: install lttng-tools", program);
	else
		command_say("%s did not start (status %d)", program,
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* The daemon sends SIGUSR1 to its parent when it listens. */
static bool start_sessiond(struct keeper *k)
{
	char *argv[] = {"lttng-sessiond", "--sig-parent", "--no-kernel", "--quiet", NULL}, log[128];
	struct timespec limit = {READY_SECONDS, 0};
	sigset_t wait;
	int status = 0, got;

	snprintf(log, sizeof(log), "%s/sessiond.log", k->home);
	sigemptyset(&wait);
	sigaddset(&wait, SIGUSR1);
	sigaddset(&wait, SIGCHLD);
	k->sessiond = daemon_start(log, argv);
	do {
		got = sigtimedwait(&wait, NULL, &limit);
	} while (got == SIGCHLD && waitpid(k->sessiond, &status, WNOHANG) == 0);
	if (got == SIGUSR1)
		return true;
	if (got == SIGCHLD) {
		say_dead("lttng-sessiond", status);
		k->sessiond = 0;
	} else {
		command_say("lttng-sessiond is not ready after %d s", READY_SECONDS);
	}
	return false;
}

/* --- the relay daemon ------------------------------------------------------ */

/* Three ports that are free now; they stay bound until all are known so that they differ. */
static void free_ports(unsigned ports[3])
{
	int fds[3];

	for (unsigned i = 0; i < 3; i++) {
		struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t n = sizeof(a);

		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		ports[i] = 0;
		if (!bind(fds[i], (struct sockaddr *)&a, n) &&
			!getsockname(fds[i], (struct sockaddr *)&a, &n))
			ports[i] = ntohs(a.sin_port);
	}
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
}

static bool listens(unsigned port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = !connect(fd, (struct sockaddr *)&a, sizeof(a));

	close(fd);
	return yes;
}

static bool start_relayd(struct keeper *k, struct keeper_answer *a)
{
	char output[PATH_MAX + 16], url[3][80], log[128];
	char *argv[] = {"lttng-relayd", output, url[0], url[1], url[2], NULL};
	static const char *const names[3] = {"control", "data", "live"};
	struct timespec pause = {0, 10 * 1000 * 1000};
	unsigned ports[3];
	int status;

	free_ports(ports);
	snprintf(output, sizeof(output), "--output=%s", k->where.relay);
	for (unsigned i = 0; i < 3; i++)
		snprintf(url[i], sizeof(url[i]), "--%s-port=tcp://127.0.0.1:%u", names[i], ports[i]);
	snprintf(log, sizeof(log), "%s/relayd.log", k->home);
	a->control_port = ports[0];
	a->data_port = ports[1];
	a->live_port = ports[2];
	k->relayd = daemon_start(log, argv);
	for (unsigned i = 0; i < READY_SECONDS * 100; i++) {
		if (waitpid(k->relayd, &status, WNOHANG) == k->relayd) {
			say_dead("lttng-relayd", status);
			k->relayd = 0;
			return false;
		}
		if (listens(ports[2]))
			return true;
		nanosleep(&pause, NULL);
	}
	command_say("lttng-relayd does not listen after %d s", READY_SECONDS);
	return false;
}

/* --- the keeper ------------------------------------------------------------ */

static int remove_empty(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
	(void)s;
	(void)ftw;
	if (type == FTW_DP)
		rmdir(path);
	return 0;
}

static void kill_one(void *context, pid_t pid)
{
	(void)context;
	kill(pid, SIGKILL);
}

/* Consumers that have lost their session daemon included. */
static void kill_rest(void)
{
	struct timespec pause = {0, 1000 * 1000};

	for (unsigned i = 0; i < 10000; i++) {
		descendants_each(kill_one, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (errno == ECHILD)
			return;
		nanosleep(&pause, NULL);
	}
}

/*
 * A session daemon that ends in order looks every half a second whether its sessions are gone: it is spared
 * that when all is written.
 */
static void end_daemons(struct keeper *k, bool at_once)
{
	if (at_once && k->sessiond > 0)
		kill(k->sessiond, SIGKILL);
	stop(&k->sessiond);
	stop(&k->relayd);
	kill_rest();
}

unsigned trace_answer_seconds(void)
{
	const char *simulated = getenv("ACLCHECK_SIMULATE_ANSWER_SECONDS");

	return simulated ? (unsigned)atoi(simulated) : ANSWER_SECONDS;
}

/* The next word of the command. Daemons that are asked something and do not answer are killed: then it goes
 * on. */
static bool hear(struct keeper *k, int line, bool asked, struct keeper_word *word)
{
	struct pollfd p = {.fd = line, .events = POLLIN};

	if (asked && k->sessiond > 0 && !poll(&p, 1, (int)trace_answer_seconds() * 1000)) {
		kill_rest();
		k->sessiond = k->relayd = 0;
	}
	return read(line, word, sizeof(*word)) == sizeof(*word);
}

/* By a process of its own, which may never be answered. */
static bool end_session(const char *session)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(!control_end(session, true));
	return pid > 0 && ends_within(pid, trace_answer_seconds(), &status) && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

/* Until the recording is over; a command that is gone has said nothing. True: nothing is left to be written.
 */
static bool daemon_keep(struct keeper *k, int line)
{
	struct keeper_word last = {0}, word;
	struct watched_program program = {0, -1};

	while (!last.stop && hear(k, line, last.asks, &word)) {
		if (word.program && !last.program)
			program = survivor_watch(word.program);
		last = word;
	}
	if (!last.stop) {
		survivor_wait(program);
		if (last.session[0] && end_session(last.session) && k->where.directory)
			recording_note(k->where.directory, 0);
	}
	return last.stop && last.at_once;
}

static bool make_home(char *home, size_t size)
{
	const char *tmp = temporary_directory();

	/* The daemon's sockets have long names below it, and paths of sockets are short. */
	if (strlen(tmp) > size - sizeof("/aclcheck-XXXXXX"))
		tmp = "/tmp";
	snprintf(home, size, "%s/aclcheck-XXXXXX", tmp);
	if (mkdtemp(home))
		return true;
	command_say("%s: %s", home, strerror(errno));
	home[0] = 0;
	return false;
}

/* Made here, so that there is no moment in which a killed command leaves it. */
static bool start_all(struct keeper *k, const struct trace_daemon *d, struct keeper_answer *answer)
{
	if (!make_home(k->home, sizeof(k->home)))
		return false;
	strcpy(answer->home, k->home);
	if (d->own_home)
		setenv("LTTNG_HOME", k->home, 1);
	return (d->shared || start_sessiond(k)) && (!k->where.relay || start_relayd(k, answer));
}

static void __attribute__((noreturn)) be_keeper(struct keeper *k, const struct trace_daemon *d, int line)
{
	struct keeper_answer answer = {0};
	bool written = false;

	survivor_begin("aclcheck-lttng");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	answer.up = start_all(k, d, &answer);
	if (write(line, &answer, sizeof(answer)) == sizeof(answer))
		written = daemon_keep(k, survivor_keep_only(line));
	end_daemons(k, written);
	if (k->home[0])
		temporary_directory_remove(k->home);
	/* LTTng makes directories where nothing is recorded into. */
	if (k->where.made)
		nftw(k->where.directory, remove_empty, 16, FTW_DEPTH | FTW_PHYS);
	_exit(0);
}

static void daemon_say(const struct trace_daemon *d, bool stop)
{
	struct keeper_word word = {
		.stop = stop, .at_once = d->written, .asks = d->asks, .program = d->program};

	memcpy(word.session, d->session, sizeof(word.session));
	send(d->line, &word, sizeof(word), MSG_NOSIGNAL);
}

static void say_asks(void *context, bool asks)
{
	struct trace_daemon *d = context;

	d->asks = asks;
	daemon_say(d, false);
}

static bool start_keeper(struct trace_daemon *d, const struct trace_place *where)
{
	struct keeper k = {.where = *where};
	struct keeper_answer answer = {0};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	fflush(NULL);
	d->keeper = fork();
	if (!d->keeper) {
		close(ends[0]);
		be_keeper(&k, d, ends[1]);
	}
	close(ends[1]);
	d->line = ends[0];
	if (d->keeper < 0 || read(d->line, &answer, sizeof(answer)) != sizeof(answer))
		return false;
	if (d->own_home && answer.home[0])
		setenv("LTTNG_HOME", answer.home, 1);
	memcpy(d->home, answer.home, sizeof(d->home));
	d->control_port = answer.control_port;
	d->data_port = answer.data_port;
	d->live_port = answer.live_port;
	control_watch(say_asks, d);
	return answer.up;
}

void trace_daemon_announce(const struct trace_daemon *d)
{
	daemon_say(d, false);
}

/* --- from outside ---------------------------------------------------------- */

/*
 * An empty run directory that only we and our children see.  The directory
 * itself stays when it had to be made, as LTTng leaves it: removing it would
 * take away what another recording has mounted there.
 */
static bool private_directory(void)
{
	mkdir(RUN_DIRECTORY, 0755);
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_SLAVE | MS_REC, NULL) &&
	       !mount("aclcheck", RUN_DIRECTORY, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
}

bool trace_daemon_start(
	struct trace_daemon *d, enum trace_daemon_place place, const struct trace_place *where)
{
	bool root = geteuid() == 0;

	if (!control_open())
		return false;
	d->shared = place == DAEMON_RUNNING;
	if (place == DAEMON_NEAR || (place == DAEMON_OWN && root && !private_directory()))
		d->shared = control_answers();
	/* Root's sockets are elsewhere; a user's are in there, so for a running daemon it must stay. */
	d->own_home = root || (place != DAEMON_NEAR && !d->shared);
	if (!start_keeper(d, where))
		return false;
	if (!d->shared || control_answers())
		return true;
	command_say("no session daemon is running");
	return false;
}

void trace_daemon_stop(struct trace_daemon *d)
{
	if (d->session[0])
		control_end(d->session, true);
	d->session[0] = 0;
	control_watch(NULL, NULL);
	if (d->keeper > 0) {
		daemon_say(d, true);
		close(d->line);
		while (waitpid(d->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	d->keeper = 0;
}
