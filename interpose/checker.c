/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of this process: its settings, and the services it asks of its host. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "aclcheck.h"
#include "interpose/core.h"
#include "interpose/expect.h"
#include "interpose/init_config.h"
#include "interpose/module.h"
#include "interpose/settings.h"
#include "interpose/sink.h"
#include "interpose/stack.h"
#include "interpose/suppress.h"
#include "interpose/unseen.h"

#define MODULE_NONE UINT32_MAX /* code that no file holds: a JIT's */

static uint32_t host_stack(void *context, const struct acl_event *ev)
{
	(void)context;
	return stack_take(ev ? ev->caller : 0);
}

static enum acl_host_class host_class(void *context, const void *address)
{
	(void)context;
	return host_class_of(address);
}

static uint32_t host_module(void *context, uint64_t code)
{
	const struct acl_module *m = module_of(code);

	(void)context;
	return m ? m->id : MODULE_NONE;
}

/* Signal 0 is delivered to nobody: it only asks. */
static bool host_thread_lives(void *context, uint32_t tid)
{
	(void)context;
	return syscall(SYS_tgkill, getpid(), (pid_t)tid, 0) == 0;
}

static bool host_init_config(void *context, const char *path, struct checks_init_config *out)
{
	(void)context;
	return init_config_read(path, out);
}

__attribute__((visibility("default"), noinline)) void aclcheck_break(void)
{
	__asm__ volatile(""); /* a place to stop at: not to be merged with other empty functions */
}

/* Asked at each occurrence, so remembered by rule: long lists of suppressions are no reason to be slow. */
static bool looks_at_stack(const struct acl_rule *rule)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic uint8_t known[1024];
	uint8_t answer;

	if (rule->index >= sizeof(known) / sizeof(*known))
		return suppress_by_stack(rule->id);
	answer = atomic_load_explicit(&known[rule->index], memory_order_relaxed);
	if (answer == UNKNOWN) {
		answer = suppress_by_stack(rule->id) ? YES : NO;
		atomic_store_explicit(&known[rule->index], answer, memory_order_relaxed);
	}
	return answer == YES;
}

/* Whether it is expected or suppressed is decided once a place, and depends on more than the caller. */
static uint64_t host_place(void *context, struct acl_event *ev, const struct acl_rule *rule)
{
	uint64_t place = (uint64_t)expect_scope(rule->id, true) << 48 | (uint64_t)expect_inside() << 32;

	(void)context;
	if (ev && looks_at_stack(rule)) {
		if (!ev->stack)
			ev->stack = stack_take(ev->caller);
		place |= ev->stack;
	}
	return place;
}

static void host_finding(void *context, const struct acl_finding *f)
{
	const struct acl_trace_provider *p = atomic_load_explicit(&acl_core.trace, memory_order_acquire);

	(void)context;
	sink_finding(f);
	if (p && p->finding)
		p->finding(f);
	aclcheck_break();
}

static bool host_unseen(void *context, enum checks_unseen what)
{
	(void)context;
	return unseen_possible(what);
}

static uint64_t host_memory_total(void *context)
{
	int saved = errno;
	struct sysinfo info;
	uint64_t total = sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;

	(void)context;
	errno = saved;
	return total;
}

static void *host_memory(void *context, size_t bytes)
{
	(void)context;
	return arena_alloc(bytes);
}

struct checks *checker_create(void)
{
	static const struct checks_host host = {
		.stack = host_stack,
		.host_class = host_class,
		.module = host_module,
		.place = host_place,
		.thread_lives = host_thread_lives,
		.init_config = host_init_config,
		.finding = host_finding,
		.unseen = host_unseen,
		.memory_total = host_memory_total,
		.memory = host_memory,
	};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	settings_checks(&config);
	return checks_create(&config, &host);
}
