/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace provider for tests: one line a call phase, appended to $GUEST_EVENTS.
 * It shows what the events hold, whichever rules exist.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "interpose/report/trace_provider.h"

static const char *const paths[] = {"linked", "dlsym", "inside"};

static void put(const char *line)
{
	const char *file = getenv("GUEST_EVENTS");
	int fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0)
		perror(file);
	close(fd);
}

static void put_event(const char *phase, const struct acl_call_record *ev)
{
	char line[256];

	snprintf(line, sizeof(line),
		"%s %s path=%s depth=%u exit=%d forwarded=%d result=%lld pid=%d tid=%d\n", phase,
		acl_apis[ev->api].name, paths[ev->path], ev->callback_depth, ev->in_exit, ev->forwarded,
		(long long)ev->result.i, ev->pid == (uint32_t)getpid(), ev->tid == (uint32_t)gettid());
	put(line);
}

static void enter(struct acl_call_record *ev)
{
	put_event("enter", ev);
}

static void leave(struct acl_call_record *ev)
{
	put_event("leave", ev);
}

static void callback(const struct acl_call_record *outer, uint64_t argument, uint64_t launch, bool begins)
{
	(void)argument;
	(void)launch;
	put_event(begins ? "begin" : "end", outer);
}

static void finding(const struct acl_finding *f, enum finding_status status)
{
	static const char *const names[FINDING_STATUSES] = {"counted", "suppressed", "expected"};
	char line[256];

	snprintf(line, sizeof(line), "finding %s %s\n", f->rule->id, names[status]);
	put(line);
}

static void describe(const char *key, const char *value)
{
	char line[256];

	snprintf(line, sizeof(line), "describe %s=%s\n", key, value);
	put(line);
}

static void said(const struct trace_said *what)
{
	char line[256];

	snprintf(line, sizeof(line), "said %d\n", (int)what->what);
	put(line);
}

static void before_fork(void)
{
	put("before_fork\n");
}

static void after_fork_parent(void)
{
	put("after_fork_parent\n");
}

static void after_fork_child(void)
{
	put("after_fork_child\n");
}

static const struct acl_trace_provider provider = {
	.abi = ACL_TRACE_ABI,
	.size = sizeof(provider),
	.enter = enter,
	.leave = leave,
	.callback = callback,
	.finding = finding,
	.describe = describe,
	.said = said,
	.before_fork = before_fork,
	.after_fork_parent = after_fork_parent,
	.after_fork_child = after_fork_child,
};

__attribute__((visibility("default"))) const struct acl_trace_provider *acl_trace_provider(
	const struct acl_trace_host *host, const char **why);

const struct acl_trace_provider *acl_trace_provider(const struct acl_trace_host *host, const char **why)
{
	if (getenv("GUEST_REFUSE")) {
		*why = "the test wants it so";
		return NULL;
	}
	if (host->abi != ACL_TRACE_ABI)
		return NULL;
	if (getenv("GUEST_RANK")) {
		char line[32];

		snprintf(line, sizeof(line), "rank %d\n", host->rank());
		put(line);
	}
	return &provider;
}
