/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/process/fault_injection.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "aclcheck/model.h"
#include "checks/engine/atomics.h"
#include "interpose/common/fault_rules.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/injected_faults.h"
#include "interpose/report/sinks.h"

#define CALLERS 256 /* call sites of which it is remembered which faults speak of them */

static uint32_t about[ACL_API_COUNT]; /* a bit for each rule */
static _Atomic uint64_t calls[FAULT_RULES]; /* that a rule speaks of */
static bool any_error;

/* Of a call site: the rules whose at= was looked at, and those it fits. Written once each: who comes second
 * looks again. */
static struct {
	_Atomic uint64_t caller;
	_Atomic uint32_t asked, fits;
} callers[CALLERS];

void faults_begin(void)
{
	const struct fault_rules *rules = settings_faults();

	if (settings_problem(0))
		return;
	for (unsigned i = 0; i < rules->n; i++) {
		any_error |= rules->rule[i].error != 0;
		for (unsigned api = 0; api < ACL_API_COUNT; api++)
			if (fault_is_about(&rules->rule[i], api))
				about[api] |= 1u << i;
	}
}

static bool asks_for_last_error(unsigned api)
{
	return api == ACL_API_aclrtGetLastError || api == ACL_API_aclrtPeekAtLastError;
}

bool fault_possible(unsigned api)
{
	return about[api] || (any_error && asks_for_last_error(api));
}

static bool thread_fits(const struct fault_rule *rule, const struct acl_call_record *call)
{
	const bool is_main = call->tid == call->pid;
	char name[16] = "";

	if (!*rule->thread)
		return true;
	if (!strcmp(rule->thread, "main"))
		return is_main;
	if (!strcmp(rule->thread, "other"))
		return !is_main;
	prctl(PR_GET_NAME, name);
	return fault_word_matches(rule->thread, name);
}

static bool place_fits(const struct fault_rule *rule, unsigned number, uint64_t caller)
{
	unsigned at = (unsigned)(caller >> 1) % CALLERS;
	uint64_t none = 0;
	bool fits;

	if (!*rule->at)
		return true;
	if (!atomic_compare_exchange_strong(&callers[at].caller, &none, caller) && none != caller)
		return sink_place_is(caller, rule->at);
	if (atomic_load(&callers[at].asked) >> number & 1)
		return atomic_load(&callers[at].fits) >> number & 1;
	fits = sink_place_is(caller, rule->at);
	if (fits)
		atomic_fetch_or(&callers[at].fits, 1u << number);
	atomic_fetch_or(&callers[at].asked, 1u << number);
	return fits;
}

/* What the thread's last call failed with, if that was ours. */
static struct fault last_error(struct acl_thread *t, unsigned api)
{
	struct fault f = {.error = t->fault_error};

	if (api == ACL_API_aclrtGetLastError)
		t->fault_error = 0;
	return f;
}

static uint64_t arguments_of(const struct acl_call_record *call)
{
	const struct acl_api_info *api = &acl_apis[call->api];
	uint64_t hash = call->caller;

	for (unsigned i = 0; i < api->n_params; i++)
		for (unsigned at = 0; at < api->params[i].size; at += sizeof(hash)) {
			size_t left = api->params[i].size - at;
			uint64_t word = 0;

			memcpy(&word, (const char *)call->args + api->params[i].offset + at,
				left < sizeof(word) ? left : sizeof(word));
			hash = mix64(hash ^ word);
		}
	return hash;
}

/* The same call once more is another try; the next one of a loop has other arguments. */
static void note_next_call(struct acl_thread *t, const struct acl_call_record *call)
{
	if (!t->fault_place || t->fault_api != call->api)
		return;
	if (t->fault_arguments == arguments_of(call))
		injected_called_again(t->fault_place);
	t->fault_place = 0;
}

struct fault fault_of(struct acl_thread *t, const struct acl_call_record *call)
{
	const struct fault_rules *rules = settings_faults();
	struct fault f = {0};

	if (call->path == ACL_PATH_INSIDE)
		return f;
	if (asks_for_last_error(call->api) && t->fault_error)
		return last_error(t, call->api);
	note_next_call(t, call);
	for (uint32_t left = about[call->api]; left && !f.error; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left), place;
		const struct fault_rule *rule = &rules->rule[i];
		uint64_t nth;
		bool is_new;

		if (!thread_fits(rule, call) || !place_fits(rule, i, call->caller))
			continue;
		nth = atomic_fetch_add(&calls[i], 1) + 1;
		if (!fault_chooses(rule, nth))
			continue;
		place = injected_note(i, call->api, call->caller, nth, &is_new);
		if (is_new)
			sink_injected(place);
		f.error = rule->error;
		f.delay_ns += rule->delay_ns;
		if (rule->error) {
			t->fault_place = (uint16_t)place;
			t->fault_api = call->api;
			t->fault_error = rule->error;
			t->fault_arguments = arguments_of(call);
		}
	}
	return f;
}

void fault_wait(uint64_t ns)
{
	struct timespec left = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}
