/* SPDX-License-Identifier: Apache-2.0 */
/* A process asks the command above it for its run, whatever else happens meanwhile. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "interpose/common/run_socket.h"

static const char answer[] = "job\0run-1\0run\0/tmp/run"; /* with the NUL at the end */

static void nothing(int number)
{
	(void)number;
}

/* A handler every millisecond, and calls that do not begin again after it. */
static void signals_begin(void)
{
	const struct itimerval every = {{0, 1000}, {0, 1000}};
	struct sigaction action = {.sa_handler = nothing};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

/* Exits with 0 when the process has the answer. */
static pid_t ask_in_child(bool signals)
{
	static char got[RUN_ANSWER_MAX];
	pid_t pid = fork();

	if (pid)
		return pid;
	if (signals)
		signals_begin();
	_exit(run_ask(got, sizeof(got)) == sizeof(answer) && !memcmp(got, answer, sizeof(answer)) ? 0 : 1);
}

static int socket_of(pid_t pid)
{
	struct sockaddr_un address;
	socklen_t n = run_socket_address(pid, &address);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_true(n > 0 && fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, n), 0);
	return fd;
}

static void send_from_another(
	int fd, const void *what, size_t size, const struct sockaddr_un *to, socklen_t n)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(sendto(fd, what, size, 0, (const struct sockaddr *)to, n) == (ssize_t)size ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* The question is answered late, and before it another process sends something of its own. */
static void join(bool signals, bool stranger)
{
	static const char wrong[] = "job\0run-2\0run\0/elsewhere";
	int fd = socket_of(getpid()), status;
	struct sockaddr_un from;
	socklen_t n = sizeof(from);
	pid_t child = ask_in_child(signals);
	char question[16];

	assert_int_equal(recvfrom(fd, question, sizeof(question), 0, (struct sockaddr *)&from, &n), 4);
	if (stranger)
		send_from_another(fd, wrong, sizeof(wrong), &from, n);
	usleep(50000);
	assert_int_equal(sendto(fd, answer, sizeof(answer), 0, (struct sockaddr *)&from, n), sizeof(answer));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
}

static void late_answer(void **state)
{
	(void)state;
	join(false, false);
}

static void handlers_run_meanwhile(void **state)
{
	(void)state;
	join(true, false);
}

static void another_process_answers_first(void **state)
{
	(void)state;
	join(false, true);
}

static void all_at_once(void **state)
{
	(void)state;
	join(true, true);
}

/* A process that asks, below one that does not. */
static pid_t ask_in_grandchild(int begin)
{
	pid_t pid = fork();
	int status;
	char go;

	if (pid)
		return pid;
	if (read(begin, &go, 1) != 1)
		_exit(2);
	_exit(waitpid(ask_in_child(false), &status, 0) > 0 && !status ? 0 : 1);
}

/* The name of the process between is taken by another one, which says nothing or something wrong. */
static void name_taken(bool speaks)
{
	static const char wrong[] = "job\0run-2\0run\0/elsewhere";
	int fd = socket_of(getpid()), begin[2], taken, status;
	struct sockaddr_un from;
	socklen_t n = sizeof(from);
	char question[16];
	pid_t between;

	assert_int_equal(pipe(begin), 0);
	between = ask_in_grandchild(begin[0]);
	taken = socket_of(between);
	assert_int_equal(write(begin[1], "", 1), 1);
	assert_int_equal(recvfrom(taken, question, sizeof(question), 0, (struct sockaddr *)&from, &n), 4);
	if (speaks)
		assert_int_equal(
			sendto(taken, wrong, sizeof(wrong), 0, (struct sockaddr *)&from, n), sizeof(wrong));
	n = sizeof(from);
	alarm(20);
	assert_int_equal(recvfrom(fd, question, sizeof(question), 0, (struct sockaddr *)&from, &n), 4);
	alarm(0);
	assert_int_equal(sendto(fd, answer, sizeof(answer), 0, (struct sockaddr *)&from, n), sizeof(answer));
	assert_int_equal(waitpid(between, &status, 0), between);
	assert_int_equal(status, 0);
	close(begin[0]);
	close(begin[1]);
	close(taken);
	close(fd);
}

static void the_name_of_an_ancestor_is_taken(void **state)
{
	(void)state;
	name_taken(false);
	name_taken(true);
}

/* The way up is lost in the middle, and begins anew where the process is an orphan. */
static void an_ancestor_ends_meanwhile(void **state)
{
	int fd = socket_of(getpid()), begin[2], asked, status;
	struct sockaddr_un from;
	socklen_t n = sizeof(from);
	char question[16];
	pid_t between;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_int_equal(pipe(begin), 0);
	between = ask_in_grandchild(begin[0]);
	asked = socket_of(between);
	assert_int_equal(write(begin[1], "", 1), 1);
	assert_int_equal(recvfrom(asked, question, sizeof(question), 0, NULL, NULL), 4);
	assert_int_equal(kill(between, SIGKILL), 0);
	assert_int_equal(waitpid(between, &status, 0), between);
	alarm(20);
	assert_int_equal(recvfrom(fd, question, sizeof(question), 0, (struct sockaddr *)&from, &n), 4);
	alarm(0);
	assert_int_equal(sendto(fd, answer, sizeof(answer), 0, (struct sockaddr *)&from, n), sizeof(answer));
	assert_true(waitpid(-1, &status, 0) > 0);
	assert_int_equal(status, 0);
	close(begin[0]);
	close(begin[1]);
	close(asked);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_answer),
		cmocka_unit_test(handlers_run_meanwhile),
		cmocka_unit_test(another_process_answers_first),
		cmocka_unit_test(all_at_once),
		cmocka_unit_test(the_name_of_an_ancestor_is_taken),
		cmocka_unit_test(an_ancestor_ends_meanwhile),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
