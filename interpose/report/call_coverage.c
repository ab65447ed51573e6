/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of calls by function and way. */
#include "interpose/report/call_coverage.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "aclcheck/model.h"
#include "checks/engine/lock.h"
#include "interpose/runtime/library_name.h"
#include "interpose/runtime/direct_binding.h"
#include "interpose/runtime/foreign_function.h"
#include "interpose/common/tool_memory.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/real_function.h"
#include "interpose/runtime/runtime_copies.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/verdict.h"
#include "interpose/symbolize/code_symbol.h"

/* Threads share a table by their id. */
#define TABLES 64

static const char *const way_names[] = {"linked", "dlsym", "inside", "in_callbacks"};

#define TABLE_SIZE (ACL_API_COUNT * sizeof(struct call_counts))

static _Atomic(struct call_counts *) tables[TABLES];
static struct call_counts without_memory[ACL_API_COUNT]; /* lost */
static _Atomic uint64_t first_caller[ACL_API_COUNT];

bool call_coverage_wanted(void)
{
	return settings_report_wanted() || *settings_text(SETTING_LAST_CALLS);
}

static __attribute__((cold, noinline)) struct call_counts *new_table(unsigned i)
{
	struct call_counts *old = NULL;
	void *p = tool_memory_map(TABLE_SIZE, 0);

	if (!p)
		return without_memory;
	if (atomic_compare_exchange_strong(&tables[i], &old, p)) {
		tool_memory_add(p, TABLE_SIZE);
		return p;
	}
	munmap(p, TABLE_SIZE);
	return old;
}

struct call_counts *call_coverage_table(uint32_t tid)
{
	unsigned i = tid % TABLES;
	struct call_counts *t = atomic_load_explicit(&tables[i], memory_order_acquire);

	if (t)
		return t;
	return call_coverage_wanted() ? new_table(i) : without_memory;
}

static void note_first(const struct acl_call_record *ev)
{
	uint64_t none = 0;

	atomic_compare_exchange_strong(&first_caller[ev->api], &none, ev->caller);
}

void call_coverage_count(const struct acl_call_record *ev)
{
	struct call_counts *counts = &call_coverage_table(ev->tid)[ev->api];
	enum coverage_way way = ev->path == ACL_PATH_INSIDE  ? WAY_INSIDE
				: ev->path == ACL_PATH_DLSYM ? WAY_DLSYM
							     : WAY_LINKED;

	if (atomic_fetch_add_explicit(&counts->by[way], 1, memory_order_relaxed) == 0 && way != WAY_INSIDE)
		note_first(ev);
	if (ev->callback_depth)
		atomic_fetch_add_explicit(&counts->by[WAY_CALLBACK], 1, memory_order_relaxed);
}

static bool sum_of(unsigned api, uint64_t sum[WAY_COUNT])
{
	bool any = false;

	memset(sum, 0, WAY_COUNT * sizeof(*sum));
	for (unsigned i = 0; i < TABLES; i++) {
		struct call_counts *t = atomic_load_explicit(&tables[i], memory_order_acquire);

		for (unsigned way = 0; t && way < WAY_COUNT; way++) {
			sum[way] += atomic_load_explicit(&t[api].by[way], memory_order_relaxed);
			any |= sum[way] != 0;
		}
	}
	return any;
}

static void calls_json(struct jout *j)
{
	uint64_t sum[WAY_COUNT];

	jout_array(j, "calls");
	for (unsigned api = 0; api < acl_api_count; api++) {
		const struct acl_module *m;
		uint64_t caller;

		if (!sum_of(api, sum))
			continue;
		jout_object(j, NULL);
		jout_string(j, "call", acl_apis[api].name);
		for (unsigned way = 0; way < WAY_COUNT; way++)
			if (sum[way])
				jout_uint(j, way_names[way], sum[way]);
		caller = atomic_load(&first_caller[api]);
		m = caller ? module_of(caller) : NULL;
		jout_string(j, "first_caller", m ? m->path : NULL);
		jout_object_end(j);
	}
	jout_array_end(j);
}

static void foreign_search(void)
{
	const struct foreign_module *m;

	for (unsigned i = 0; (m = foreign_module(i)); i++) {
		char line[512];
		struct text t;

		if (!m->runtime)
			continue;
		text_init(&t, line, sizeof(line));
		text_fmt(&t, "the program got %s%s of %s by dlsym, which is not the runtime that is checked",
			acl_apis[m->first].name, m->functions > 1 ? " and others" : "", m->path);
		verdict_inconclusive("other-runtime", line);
	}
}

void call_coverage_search_copies(void)
{
	static struct acl_lock busy;
	char path[256], line[512];
	struct text t;
	bool found;

	if (!real_sample() || !lock_at_once(&busy))
		return;
	found = runtime_copy_find(real_sample(), path, sizeof(path));
	unlock(&busy);
	if (!found)
		return;
	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s is mapped besides the runtime that is checked: calls of it are not seen", path);
	verdict_inconclusive("other-runtime", line);
}

void call_coverage_search(void)
{
	const struct direct_binding *list;
	unsigned n = direct_binding_search(&list);

	for (unsigned i = 0; i < n; i++) {
		char line[512];
		struct text t;

		if (is_cann_library(list[i].module))
			continue;
		text_init(&t, line, sizeof(line));
		text_fmt(&t, "%s calls %s%s directly, around the checker", list[i].module,
			acl_apis[list[i].first].name, list[i].functions > 1 ? " and others" : "");
		verdict_inconclusive("bypass", line);
	}
	foreign_search();
	call_coverage_search_copies();
}

static void foreign_json(struct jout *j)
{
	const struct foreign_module *m = foreign_module(0);

	if (!m)
		return;
	jout_array(j, "foreign");
	for (unsigned i = 0; (m = foreign_module(i)); i++) {
		jout_object(j, NULL);
		jout_string(j, "module", m->path);
		jout_bool(j, "runtime", m->runtime);
		jout_uint(j, "functions", m->functions);
		jout_string(j, "first", acl_apis[m->first].name);
		jout_object_end(j);
	}
	jout_array_end(j);
}

void call_coverage_json(struct jout *j)
{
	const struct direct_binding *list;
	unsigned n = direct_binding_found(&list);

	jout_object(j, "reach");
	calls_json(j);
	jout_array(j, "around");
	for (unsigned i = 0; i < n; i++) {
		jout_object(j, NULL);
		jout_string(j, "module", list[i].module);
		jout_bool(j, "cann", is_cann_library(list[i].module));
		jout_uint(j, "functions", list[i].functions);
		jout_string(j, "first", acl_apis[list[i].first].name);
		jout_object_end(j);
	}
	jout_array_end(j);
	foreign_json(j);
	jout_object_end(j);
}

void call_coverage_forked(void)
{
	direct_binding_forked();
	for (unsigned i = 0; i < TABLES; i++) {
		struct call_counts *t = atomic_load(&tables[i]);

		if (t)
			memset((void *)t, 0, TABLE_SIZE);
	}
	memset((void *)first_caller, 0, sizeof(first_caller));
}
