/* SPDX-License-Identifier: Apache-2.0 */
/* What the library gives to the sinks, in its simplest form: stacks set by the test, modules from dladdr,
 * three rules. */
#include "tests/report/host.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "checks/checks.h"
#include "interpose/runtime/foreign_function.h"
#include "interpose/runtime/function_table.h"
#include "interpose/runtime/real_function.h"
#include "interpose/report/trace_sink.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/symbolize/call_stack.h"

const struct acl_rule acl_rules[] = {
	{.id = "async-copy-alignment",
		.family = "copy",
		.index = 0,
		.severity = ACL_SEV_ERROR,
		.relaxed_since = -1},
	{.id = "event-churn",
		.family = "event",
		.index = 1,
		.severity = ACL_SEV_PERF,
		.tier = ACL_TIER_ADVICE,
		.dflt = ACL_DEFAULT_ADVICE,
		.relaxed_since = -1},
	{.id = "stream-leak",
		.family = "stream",
		.index = 2,
		.severity = ACL_SEV_WARNING,
		.relaxed_since = ACL_CANN_9_1},
};
const unsigned acl_rule_count = 3;

const char *rule_text(const struct acl_rule *rule, enum acl_rule_text which)
{
	static const char *const texts[][RULE_TEXTS] = {
		{[RULE_TITLE] = "Asynchronous copy of unaligned memory",
			"异步复制的内存未对齐",
			[RULE_HINT] = "Align the address to 64 bytes.",
			"请将地址按64字节对齐。",
			[RULE_SOURCE] = "docs/copy.md"},
		{[RULE_TITLE] = "Events made anew again and again"},
		{[RULE_TITLE] = "Stream never destroyed"},
	};

	return texts[rule->index][which];
}

const char *rule_text_in(const struct acl_rule *rule, enum acl_rule_text which, enum acl_lang lang)
{
	const char *text = rule_text(rule, which + lang);

	return text ? text : rule_text(rule, which);
}

struct test_host test_host;
void (*acl_real[ACL_API_COUNT])(void);

uint32_t stack_take(uint64_t caller)
{
	(void)caller;
	return test_host.n_ips ? 1 : 0;
}

unsigned stack_frames(uint32_t id, const uint64_t **ips)
{
	*ips = test_host.ips;
	return id ? test_host.n_ips : 0;
}

uint64_t module_mark(uint64_t address)
{
	return address;
}

const struct acl_module *module_of_marked(uint64_t marked)
{
	return module_of(marked);
}

const struct acl_module *module_of(uint64_t address)
{
	static struct acl_module known[16];
	struct link_map *map;
	Dl_info info;

	if (!dladdr1((void *)(uintptr_t)address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return NULL;
	for (unsigned i = 0; i < 16; i++) {
		if (known[i].id && known[i].base != map->l_addr)
			continue;
		known[i].id = i + 1;
		known[i].base = map->l_addr;
		known[i].path = map->l_name && *map->l_name ? map->l_name : "/proc/self/exe";
		return &known[i];
	}
	return NULL;
}

const struct foreign_module *foreign_module(unsigned i)
{
	(void)i;
	return NULL;
}

uint64_t real_sample(void)
{
	return 0;
}

int module_walk(module_walk_fn *fn, void *context)
{
	return dl_iterate_phdr(fn, context);
}

/* No trace here. */
void trace_finding(const struct finding_record *s)
{
	(void)s;
}

const struct acl_module *module_by_id(uint32_t id)
{
	(void)id;
	return NULL;
}

void *true_dlopen(const char *path, int flags)
{
	return dlopen(path, flags);
}

void *true_dlsym(void *handle, const char *name)
{
	return dlsym(handle, name);
}

void checks_totals(const struct checks *c, struct checks_totals *out)
{
	(void)c;
	*out = test_host.totals;
}

bool checks_severity_on(const struct checks *c, enum acl_severity least)
{
	(void)c;
	(void)least;
	return true;
}

void checks_each_site(const struct checks *c, checks_site_fn fn, void *context)
{
	(void)c;
	for (unsigned i = 0; i < test_host.n_sites; i++)
		fn(context, &test_host.sites[i]);
}

/* No rule is evaluated here: findings are made up. */
void checks_rule_counts(const struct checks *c, uint64_t *counts)
{
	(void)c;
	for (unsigned i = 0; i < acl_rule_count; i++)
		counts[i] = 0;
}
