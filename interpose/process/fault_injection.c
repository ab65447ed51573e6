/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/process/fault_injection.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "aclcheck/model.h"
#include "checks/engine/atomics.h"
#include "interpose/common/fault_rules.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/injected_faults.h"
#include "interpose/report/sinks.h"
#include "interpose/runtime/function_table.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/python_frames.h"
#include "interpose/symbolize/python_place.h"

#define PLACES_LOOKED_AT 256 /* of which it is remembered which faults speak of them */

static uint32_t about[ACL_API_COUNT]; /* a bit for each rule */
static _Atomic uint64_t calls[FAULT_RULES]; /* that a rule speaks of */
static bool any_error;

/* Of a place: the rules whose at= was looked at, and those it fits. Written once each: who comes second looks
 * again. */
static struct {
	_Atomic uint64_t key;
	_Atomic uint32_t asked, fits;
} looked[PLACES_LOOKED_AT];

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

/* The nearest Python code, of the program if there is any. */
static uint64_t nearest_python(const uint64_t *words, unsigned n)
{
	uint64_t library = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!is_python_frame(words[i]))
			continue;
		if (!python_place_of(words[i])->library)
			return words[i];
		if (!library)
			library = words[i];
	}
	return library;
}

/*
 * Where the call comes from.  Python code that calls by ctypes comes from one place of libffi: there the line
 * of Python is the place.  An extension module has one place for all the lines that call it: there it is
 * both.
 */
static struct fault_place place_of(struct acl_call_record *call)
{
	struct fault_place place = {module_mark(call->caller), 0};
	const uint64_t *words;
	unsigned n;

	if (!python_present())
		return place;
	if (!call->stack)
		call->stack = stack_take(call->caller);
	n = stack_frames(call->stack, &words);
	place.python = nearest_python(words, n);
	if (place.python && is_python_frame(words[0]))
		place = (struct fault_place){place.python, 0};
	return place;
}

static bool look_at_place(const struct fault_rule *rule, const struct fault_place *place)
{
	for (unsigned i = 0; i < FAULT_PLACES && *rule->at[i]; i++)
		if (!sink_place_is(place->code, rule->at[i]) &&
			!(place->python && sink_place_is(place->python, rule->at[i])))
			return false;
	return true;
}

static bool place_fits(const struct fault_rule *rule, unsigned number, const struct fault_place *place)
{
	uint64_t key = mix64(place->code ^ mix64(place->python)) | 1, none = 0;
	unsigned at = (unsigned)(key >> 1) % PLACES_LOOKED_AT;
	bool fits;

	if (!atomic_compare_exchange_strong(&looked[at].key, &none, key) && none != key)
		return look_at_place(rule, place);
	if (atomic_load(&looked[at].asked) >> number & 1)
		return atomic_load(&looked[at].fits) >> number & 1;
	fits = look_at_place(rule, place);
	if (fits)
		atomic_fetch_or(&looked[at].fits, 1u << number);
	atomic_fetch_or(&looked[at].asked, 1u << number);
	return fits;
}

/* What the runtime itself has as the thread's last error; aclrtGetLastError takes it away. */
static int32_t runtime_last_error(unsigned api)
{
	aclError (*get)(aclrtLastErrLevel) =
		(__typeof__(get))(void *)__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE);

	return get ? get(ACL_RT_THREAD_LEVEL) : 0;
}

/* As a failure of the runtime would: an older one is forgotten, so what the runtime has later is newer. */
static void become_last_error(struct acl_thread *t, int32_t error)
{
	runtime_last_error(ACL_API_aclrtGetLastError);
	t->fault_error = error;
}

/* Whether the thread's last error is an injected one: the runtime has reported none since. */
static bool is_last_error(struct acl_thread *t)
{
	if (t->fault_error && runtime_last_error(ACL_API_aclrtPeekAtLastError))
		t->fault_error = 0;
	return t->fault_error != 0;
}

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
		for (unsigned at = 0; at < acl_params(api)[i].size; at += sizeof(hash)) {
			size_t left = acl_params(api)[i].size - at;
			uint64_t word = 0;

			memcpy(&word, (const char *)call->args + acl_params(api)[i].offset + at,
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

struct fault fault_of(struct acl_thread *t, struct acl_call_record *call)
{
	const struct fault_rules *rules = settings_faults();
	struct fault_place from = {0};
	struct fault f = {0};

	if (call->path == ACL_PATH_INSIDE)
		return f;
	if (asks_for_last_error(call->api) && is_last_error(t))
		return last_error(t, call->api);
	note_next_call(t, call);
	for (uint32_t left = about[call->api]; left && !f.error; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left), place;
		const struct fault_rule *rule = &rules->rule[i];
		uint64_t nth;
		bool is_new;

		if (!thread_fits(rule, call))
			continue;
		if (*rule->at[0] && !from.code)
			from = place_of(call);
		if (*rule->at[0] && !place_fits(rule, i, &from))
			continue;
		nth = atomic_fetch_add(&calls[i], 1) + 1;
		if (!fault_chooses(rule, nth))
			continue;
		if (!from.code)
			from = place_of(call);
		place = injected_note(i, call->api, &from, nth, &is_new);
		if (is_new)
			sink_injected(place);
		f.error = rule->error;
		f.delay_ns += rule->delay_ns;
		if (rule->error) {
			t->fault_place = (uint16_t)place;
			t->fault_api = call->api;
			become_last_error(t, rule->error);
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
