/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that reports findings made by hand, so that log, journal and
 * report can be looked at from outside.  What it does is given by words:
 *	error warning advice secondary	a finding of that kind
 *	repeat		the first finding for the tenth time
 *	nasty		one whose strings want to steer terminals and formats
 *	expect		opens a scope of expected failure; enough: closes it
 *	fork		a child that reports as well
 *	exec		the announced exec, that fails; more words may follow
 *	close		standard error is closed and its number reused for FILE (next word)
 *	threads		eight threads report a hundred each, all at once
 *	pause		goes on when standard input ends
 *	calls		forty threads note a thousand calls each, one inside the other, and read them
 *	kill		ends without an end
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpose/report/last_calls.h"
#include "aclcheck.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/log.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/sinks.h"
#include "interpose/report/verdict.h"
#include "tests/report/host.h"

static _Atomic uint64_t serial;

__attribute__((noinline)) static uint64_t here(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

/* Serials of places are given out by the checker; here by whoever comes first. */
static uint64_t next_serial(void)
{
	return atomic_fetch_add(&serial, 1) + 1;
}

static struct acl_finding base(unsigned rule, const struct acl_call_record *ev)
{
	return (struct acl_finding){
		.rule = &acl_rules[rule],
		.severity = acl_rules[rule].severity,
		.serial = next_serial(),
		.repeat = 1,
		.event = ev,
		.detail = "src lies 12 bytes off a 64-byte boundary",
	};
}

static void report(struct acl_finding *f)
{
	expect_scope(f->rule->id, true); /* as the checker's host does */
	test_host.sites[test_host.n_sites].rule = f->rule;
	test_host.sites[test_host.n_sites].api = f->event ? f->event->api : 0;
	test_host.sites[test_host.n_sites].count = f->repeat;
	test_host.sites[test_host.n_sites].serial = f->serial;
	test_host.sites[test_host.n_sites].severity = f->severity;
	test_host.sites[test_host.n_sites].advice = f->advice;
	test_host.sites[test_host.n_sites].secondary = f->secondary;
	test_host.n_sites++;
	test_host.totals.calls++;
	if (f->advice)
		test_host.totals.advice++;
	else
		test_host.totals.findings[f->severity]++;
	sink_finding(f);
}

static void copy_finding(const char *word)
{
	struct acl_args_aclrtMemcpyAsync args = {.dst = (void *)0x12c0400000,
		.destMax = UINT64_MAX,
		.src = (void *)0x70000c,
		.count = 4096,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE,
		.stream = NULL};
	struct acl_finding f;
	struct acl_call_record ev;

	acl_call_record_init(&ev, ACL_API_aclrtMemcpyAsync, &args, here());
	ev.tid = (uint32_t)getpid();
	test_host.ips[0] = test_host.ips[1] = ev.caller;
	test_host.n_ips = 2;
	f = base(!strcmp(word, "advice") ? 1 : !strcmp(word, "warning") ? 2 : 0, &ev);
	f.advice = !strcmp(word, "advice");
	f.relaxed = !strcmp(word, "warning");
	if (!strcmp(word, "secondary") || !strcmp(word, "reason")) {
		f.secondary = true;
		f.explains = !strcmp(word, "reason");
		f.cause = 1;
	}
	if (!strcmp(word, "repeat")) {
		f.serial = 1;
		f.repeat = 10;
	}
	if (!strcmp(word, "nasty"))
		f.detail = "\033[2J\n::error::x <script>alert(1)</script> \xff\xfe \xe2\x80\xae ]]> end";
	f.values[0] = (struct acl_value){.name = "src", .form = ACL_VALUE_ADDRESS, .u = 0x70000c};
	f.values[1] = (struct acl_value){.name = "offset", .form = ACL_VALUE_BYTES, .u = 12};
	f.values[2] = (struct acl_value){.name = "kind", .form = ACL_VALUE_ENUM, .enum_index = -1, .i = 1};
	f.n_values = 3;
	f.objects[0] = (struct acl_object_history){.role = "source memory",
		.kind = "pinned host memory",
		.value = 0x700000,
		.size = 1 << 20,
		.serial = 7,
		.device = -1,
		.created = {.caller = ev.caller, .tid = 1, .api = ACL_API_aclrtMallocHost}};
	f.n_objects = 1;
	report(&f);
}

/* One finding of a thread: the stage is not touched, only the sinks. */
static void *thread_main(void *unused)
{
	struct acl_args_aclrtFree args = {.devPtr = (void *)0x1000};
	struct acl_finding f;
	struct acl_call_record ev;

	for (int i = 0; i < 100; i++) {
		acl_call_record_init(&ev, ACL_API_aclrtFree, &args, here());
		f = base(i % 3, &ev);
		sink_finding(&f);
		if (i % 10 == 0)
			verdict_inconclusive("events-lost", "some events were lost");
	}
	return unused;
}

/* All on few rings: entries are overwritten and read at once. */
static void *note_calls(void *number)
{
	struct acl_args_aclrtFree args = {.devPtr = (void *)0x1000};
	static __thread char buf[65536];
	struct acl_call_record ev;
	struct text t;
	struct jout j;

	for (int i = 0; i < 1000; i++) {
		struct last_call l;

		acl_call_record_init(&ev, ACL_API_aclrtFree, &args, here());
		ev.tid = (uint32_t)(uintptr_t)number % 4;
		last_calls_enter(&l, last_calls_ring(ev.tid), &ev);
		text_init(&t, buf, sizeof(buf));
		jout_init(&j, &t);
		jout_object(&j, NULL);
		last_calls_json(&j, "before", ev.tid);
		jout_object_end(&j);
		last_calls_leave(&l, &ev);
	}
	return NULL;
}

static void threads(void *(*fn)(void *), unsigned n)
{
	pthread_t thread[40];

	for (unsigned i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, fn, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void fork_child(void)
{
	pid_t child = fork();

	if (!child) {
		sink_forked();
		memset(&test_host, 0, sizeof(test_host));
		serial = 0;
		sink_begin();
		copy_finding("error");
		sink_end(TEST_CHECKS, CHECKS_END_QUICK);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void wait_for_input(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

int main(int argc, char **argv)
{
	struct checks *checks = TEST_CHECKS; /* NULL: nothing looks at the calls */

	settings_early();
	log_early();
	settings_load();
	sink_begin();
	test_host.totals.calls = 1;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "fork"))
			fork_child();
		else if (!strcmp(argv[i], "nothing"))
			checks = NULL;
		else if (!strcmp(argv[i], "doubt"))
			verdict_inconclusive("events-lost", "3 events were lost");
		else if (!strcmp(argv[i], "kill"))
			raise(SIGKILL);
		else if (!strcmp(argv[i], "threads"))
			threads(thread_main, 8);
		else if (!strcmp(argv[i], "calls"))
			threads(note_calls, 40);
		else if (!strcmp(argv[i], "expect"))
			ACLCHECK_EXPECT_BEGIN("async-*", "\033]0;x\a<b>&{0}[x](http://y) ::error::");
		else if (!strcmp(argv[i], "enough"))
			ACLCHECK_EXPECT_END();
		else if (!strcmp(argv[i], "pause"))
			wait_for_input();
		else if (!strcmp(argv[i], "exec")) {
			sink_end(TEST_CHECKS, CHECKS_END_EXEC);
			sink_resume();
		} else if (!strcmp(argv[i], "close") && i + 1 < argc) {
			close(STDERR_FILENO);
			if (open(argv[++i], O_WRONLY | O_CREAT, 0666) != STDERR_FILENO)
				return 2;
		} else {
			copy_finding(argv[i]);
		}
	}
	sink_end(checks, CHECKS_END_EXIT);
	sink_end(checks, CHECKS_END_QUICK);
	return verdict_exit_code(0);
}
