/* SPDX-License-Identifier: Apache-2.0 */
/* The settings table and its reading. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "npu.h"

/* A library built for one release (see module.mk) starts with that profile. */
#ifndef SOFTNPU_DEFAULT_CANN
#define SOFTNPU_DEFAULT_CANN "9.1"
#endif

const struct setting npu_settings[] = {
#define SETTING(field, env, kind, def, min, max, help) {env, def, help, SETTING_##kind, min, max},
#include "settings.def"
#undef SETTING
};
const unsigned npu_setting_count = ARRAY_SIZE(npu_settings);

static bool parse_number(const struct setting *s, const char *text, int64_t *num)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	errno = 0;
	*num = strtoll(text, &end, 0);
	if (errno || end == text || *num < 0)
		return false;
	if (s->kind == SETTING_SIZE && *end && (unit = strchr(units, *end & ~0x20))) {
		int shift = 10 * (int)(unit - units + 1);

		if (*num > INT64_MAX >> shift)
			return false;
		*num <<= shift;
		end++;
	}
	return !*end && *num >= s->min && *num <= s->max;
}

static bool parse_word(
	const char *text, const char *const *words, const int64_t *values, unsigned n, int64_t *num)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(text, words[i])) {
			*num = values[i];
			return true;
		}
	return false;
}

bool setting_parse(const struct setting *s, const char *text, union setting_value *value)
{
	static const char *const releases[] = {"8.1", "8.5", "9.0", "9.1", "9.2"};
	static const int64_t profiles[] = {CANN_8_1, CANN_8_5, CANN_9_0, CANN_9_1, CANN_9_2};
	static const char *const modes[] = {"device", "host"};
	static const int64_t run_modes[] = {ACL_DEVICE, ACL_HOST};

	switch (s->kind) {
	case SETTING_CANN:
		return parse_word(text, releases, profiles, ARRAY_SIZE(releases), &value->num);
	case SETTING_RUN_MODE:
		return parse_word(text, modes, run_modes, ARRAY_SIZE(modes), &value->num);
	case SETTING_STRING:
		value->str = text;
		return true;
	default:
		return parse_number(s, text, &value->num);
	}
}

static struct npu_config config;

static void read_settings(void)
{
	union setting_value *values = (union setting_value *)&config;

	for (unsigned i = 0; i < npu_setting_count; i++) {
		const struct setting *s = &npu_settings[i];
		const char *text = secure_getenv(s->env);
		union setting_value value;

		setting_parse(s, s->kind == SETTING_CANN ? SOFTNPU_DEFAULT_CANN : s->def, &values[i]);
		if (text && *text && setting_parse(s, text, &value))
			values[i] = value;
	}
}

const struct npu_config *npu_config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_settings);
	return &config;
}
