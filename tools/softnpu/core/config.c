/* SPDX-License-Identifier: Apache-2.0 */
/* The settings table and its reading. */
#include "tools/softnpu/core/config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tools/softnpu/core/faults.h"
#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/visible.h"

/* A library built for one release (see module.mk) starts with that profile. */
#ifndef SOFTNPU_DEFAULT_CANN
#define SOFTNPU_DEFAULT_CANN "9.1"
#endif

const struct setting npu_settings[] = {
#define SETTING(field, env, kind, def, min, max, help) {env, def, help, SETTING_##kind, min, max},
#include "tools/softnpu/core/settings.def"
#undef SETTING
};
const unsigned npu_setting_count = ARRAY_SIZE(npu_settings);

bool setting_parse_number(const struct setting *s, const char *text, int64_t *num, const char **end)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *after;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*num = strtoll(text, &after, 0);
	if (errno)
		return false;
	if ((s->kind == SETTING_SIZE || s->kind == SETTING_SIZES) && *after &&
		(unit = strchr(units, *after & ~0x20))) {
		int shift = 10 * (int)(unit - units + 1);

		if (*num > INT64_MAX >> shift)
			return false;
		*num <<= shift;
		after++;
	}
	*end = after;
	return *num >= s->min && *num <= s->max;
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
	const char *end;

	switch (s->kind) {
	case SETTING_CANN:
		return parse_word(text, releases, profiles, ARRAY_SIZE(releases), &value->num);
	case SETTING_RUN_MODE:
		return parse_word(text, modes, run_modes, ARRAY_SIZE(modes), &value->num);
	case SETTING_STRING:
		value->str = text;
		return true;
	case SETTING_INT:
	case SETTING_BOOL:
	case SETTING_SIZE:
		return setting_parse_number(s, text, &value->num, &end) && !*end;
	case SETTING_FAULTS:
		value->str = text;
		return faults_parse(text, NULL);
	default:
		return setting_parse_list(s, text, value);
	}
}

static struct npu_config config;

/* What the value of a setting may be. */
static void expected(const struct setting *s, char *text, size_t size)
{
	static const char *const words[] = {
		[SETTING_BOOL] = "0 or 1",
		[SETTING_SIZE] = "a size like 64M, at least 1M",
		[SETTING_CANN] = "8.1, 8.5, 9.0, 9.1 or 9.2",
		[SETTING_RUN_MODE] = "host or device",
		[SETTING_SIZES] = "sizes of device 0, 1 and so on, like 16G or 1G,64M, at least 1M",
		[SETTING_PEERS] = "0, 1 or pairs of devices like 0-1,2-3",
		[SETTING_STREAM_TIMES] = "STREAM:MICROSECONDS, separated by commas",
		[SETTING_TASK_OF_DEVICE] = "DEVICE or DEVICE:TASK",
		[SETTING_FAULTS] = "FUNCTION[:when=N]:error=CODE and the like, separated by semicolons",
	};

	if (s->kind == SETTING_INT)
		snprintf(text, size, "a number from %lld to %lld", (long long)s->min, (long long)s->max);
	else
		snprintf(text, size, "%s", words[s->kind]);
}

static void say(const char *line, size_t len)
{
	/* Nothing to do should it fail. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

static void bad_value(const struct setting *s, const char *text)
{
	char wanted[96], line[400];
	int len;

	expected(s, wanted, sizeof(wanted));
	len = snprintf(line, sizeof(line),
		"softnpu: %s=%.100s: invalid value (expected %s); the default%s%s is used\n", s->env, text,
		wanted, *s->def ? " " : "", s->def);
	say(line, len < (int)sizeof(line) ? (size_t)len : sizeof(line) - 1);
}

static bool is_setting(const char *name, size_t len)
{
	for (unsigned i = 0; i < npu_setting_count; i++)
		if (strlen(npu_settings[i].env) == len && !strncmp(npu_settings[i].env, name, len))
			return true;
	return false;
}

/* A misspelt name would otherwise be a setting that does nothing. */
static void name_unknown_settings(void)
{
	static const char prefix[] = "SOFTNPU_";
	char line[200];

	for (char **e = environ; e && *e; e++) {
		size_t len = strcspn(*e, "=");
		int n;

		if (strncmp(*e, prefix, sizeof(prefix) - 1) || is_setting(*e, len))
			continue;
		n = snprintf(line, sizeof(line), "softnpu: unknown setting '%.*s'\n",
			len > 100 ? 100 : (int)len, *e);
		say(line, (size_t)n);
	}
}

/* Whether the value names a device that there is not; the pairs of "all" are named by no setting. */
static bool names_missing_device(const struct setting *s, const char *text, const union setting_value *value)
{
	if (s->kind == SETTING_TASK_OF_DEVICE)
		return value->task_of.device >= config.devices.num;
	if (s->kind != SETTING_PEERS || !strcmp(text, "1"))
		return false;
	for (int64_t i = config.devices.num; i < MAX_DEVICES; i++)
		if (value->peers[i])
			return true;
	return false;
}

/* Such a value would do nothing, or less than it says. */
static void name_missing_devices(void)
{
	union setting_value value;
	char line[300];

	for (unsigned i = 0; i < npu_setting_count; i++) {
		const struct setting *s = &npu_settings[i];
		const char *text = secure_getenv(s->env);
		int len;

		if (!text || !setting_parse(s, text, &value) || !names_missing_device(s, text, &value))
			continue;
		len = snprintf(line, sizeof(line),
			"softnpu: %s=%.100s: a device that there is not (SOFTNPU_DEVICES=%d)\n", s->env, text,
			(int)config.devices.num);
		say(line, (size_t)len);
	}
}

/* The first call of a program comes here: its errno stays. */
static void read_settings(void)
{
	union setting_value *values = (union setting_value *)&config;
	int saved = errno;

	for (unsigned i = 0; i < npu_setting_count; i++) {
		const struct setting *s = &npu_settings[i];
		const char *text = secure_getenv(s->env);
		union setting_value value;

		setting_parse(s, s->kind == SETTING_CANN ? SOFTNPU_DEFAULT_CANN : s->def, &values[i]);
		if (!text || !*text)
			continue;
		if (setting_parse(s, text, &value))
			values[i] = value;
		else
			bad_value(s, text);
	}
	name_missing_devices();
	visible_read(&config);
	if (!getauxval(AT_SECURE))
		name_unknown_settings();
	errno = saved;
}

const struct npu_config *npu_config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_settings);
	return &config;
}
