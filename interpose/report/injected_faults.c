/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/report/injected_faults.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/common/fault_rules.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/finding_record.h"

#define PLACES 512

static struct place {
	struct fault_place place;
	uint64_t first, times;
	uint16_t api;
	uint8_t rule;
	_Atomic bool again, used;
} places[PLACES];

static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned n_places;
static uint64_t elsewhere; /* times at places that found no room */
static _Atomic int exit_status;

static bool is_same(const struct fault_place *a, const struct fault_place *b)
{
	return a->code == b->code && a->python == b->python;
}

unsigned injected_note(
	unsigned rule, unsigned api, const struct fault_place *place, uint64_t nth, bool *is_new)
{
	unsigned i, n;

	*is_new = false;
	pthread_mutex_lock(&places_lock);
	n = atomic_load(&n_places);
	for (i = 0; i < n; i++)
		if (places[i].rule == rule && places[i].api == api && is_same(&places[i].place, place))
			break;
	if (i == PLACES) {
		elsewhere++;
		pthread_mutex_unlock(&places_lock);
		return 0;
	}
	if (i == n) {
		places[i] = (struct place){
			.place = *place, .first = nth, .api = (uint16_t)api, .rule = (uint8_t)rule};
		atomic_store(&n_places, n + 1);
	}
	places[i].times++;
	*is_new = places[i].times == 1;
	pthread_mutex_unlock(&places_lock);
	return i + 1;
}

void injected_called_again(unsigned place)
{
	atomic_store(&places[place - 1].again, true);
}

void injected_output_used(unsigned api)
{
	unsigned n = atomic_load(&n_places);

	for (unsigned i = 0; i < n; i++)
		if (places[i].api == api && settings_faults()->rule[places[i].rule].error)
			atomic_store(&places[i].used, true);
}

void injected_exit(int status)
{
	atomic_store(&exit_status, status);
}

static enum fault_noticed noticed(struct place *p)
{
	return atomic_load(&p->used)       ? FAULT_OUTPUT_USED
	       : atomic_load(&exit_status) ? FAULT_STOPPED
	       : atomic_load(&p->again)    ? FAULT_RETRIED
					   : FAULT_NO_SIGN;
}

bool injected_get(unsigned i, struct injected_fault *out)
{
	const struct fault_rule *rule;

	if (i >= atomic_load(&n_places))
		return false;
	rule = &settings_faults()->rule[places[i].rule];
	*out = (struct injected_fault){.fault = rule->text,
		.api = places[i].api,
		.place = places[i].place,
		.error = rule->error,
		.delay_ns = rule->delay_ns,
		.first = places[i].first,
		.times = places[i].times,
		.noticed = rule->error ? noticed(&places[i]) : FAULT_NO_SIGN};
	return true;
}

void injected_members(struct jout *j, const struct injected_fault *f)
{
	static const char *const words[] = {"no-sign", "retried", "stopped", "output-used"};

	jout_string(j, "fault", f->fault);
	jout_string(j, "call", acl_apis[f->api].name);
	finding_frame_json(j, "place", f->place.code);
	if (f->place.python)
		finding_frame_json(j, "python", f->place.python);
	jout_uint(j, "first", f->first);
	jout_uint(j, "times", f->times);
	if (f->delay_ns)
		jout_uint(j, "delay_ns", f->delay_ns);
	if (f->error) {
		jout_int(j, "error", f->error);
		jout_string(j, "error_name", acl_error_name(f->error));
		jout_string(j, "noticed", words[f->noticed]);
	}
}

void injected_json(struct jout *j)
{
	struct injected_fault f;

	if (!settings_faults()->n)
		return;
	jout_array(j, "injected");
	for (unsigned i = 0; injected_get(i, &f); i++) {
		jout_object(j, NULL);
		injected_members(j, &f);
		jout_object_end(j);
	}
	jout_array_end(j);
	if (elsewhere)
		jout_uint(j, "injected_elsewhere", elsewhere);
}

void injected_forked(void)
{
	pthread_mutex_init(&places_lock, NULL);
	atomic_store(&n_places, 0);
	elsewhere = 0;
}
