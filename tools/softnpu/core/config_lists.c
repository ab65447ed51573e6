/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that are lists: for each device, each pair of devices, each stream. */
#include "tools/softnpu/core/config.h"

#include <string.h>

#include "tools/softnpu/core/npu.h"

static bool parse_sizes(const struct setting *s, const char *text, int64_t *sizes)
{
	unsigned n = 0;

	do {
		if (n == MAX_DEVICES || !setting_parse_number(s, text, &sizes[n++], &text))
			return false;
	} while (*text == ',' && *++text);
	for (unsigned i = n; i < MAX_DEVICES; i++)
		sizes[i] = sizes[n - 1];
	return !*text && text[-1] != ',';
}

static bool parse_pairs(const struct setting *s, const char *text, uint64_t *peers)
{
	int64_t a, b;

	memset(peers, 0, MAX_DEVICES * sizeof(*peers));
	do {
		if (!setting_parse_number(s, text, &a, &text) || *text++ != '-' ||
			!setting_parse_number(s, text, &b, &text) || a == b)
			return false;
		peers[a] |= (uint64_t)1 << b;
		peers[b] |= (uint64_t)1 << a;
	} while (*text == ',' && *++text);
	return !*text && text[-1] != ',';
}

static bool parse_peers(const struct setting *s, const char *text, uint64_t *peers)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return parse_pairs(s, text, peers);
	memset(peers, *text == '1' ? 0xff : 0, MAX_DEVICES * sizeof(*peers));
	return true;
}

static bool parse_times(const struct setting *s, const char *text, union setting_value *value)
{
	int64_t id, us;

	value->times.n = 0;
	if (!*text)
		return true;
	do {
		if (value->times.n == MAX_SLOW_STREAMS || !setting_parse_number(s, text, &id, &text) ||
			*text++ != ':' || !setting_parse_number(s, text, &us, &text) || id > INT32_MAX)
			return false;
		value->times.stream[value->times.n].id = (int)id;
		value->times.stream[value->times.n++].us = us;
	} while (*text == ',' && *++text);
	return !*text && text[-1] != ',';
}

static bool parse_task_of_device(const struct setting *s, const char *text, union setting_value *value)
{
	int64_t device, task = 0;

	value->task_of.device = -1;
	if (!*text)
		return true;
	if (!setting_parse_number(s, text, &device, &text) || device >= MAX_DEVICES)
		return false;
	if (*text == ':' && !setting_parse_number(s, text + 1, &task, &text))
		return false;
	value->task_of.device = (int)device;
	value->task_of.task = (uint64_t)task;
	return !*text;
}

bool setting_parse_list(const struct setting *s, const char *text, union setting_value *value)
{
	switch (s->kind) {
	case SETTING_SIZES:
		return parse_sizes(s, text, value->sizes);
	case SETTING_PEERS:
		return parse_peers(s, text, value->peers);
	case SETTING_STREAM_TIMES:
		return parse_times(s, text, value);
	case SETTING_TASK_OF_DEVICE:
		return parse_task_of_device(s, text, value);
	default:
		return false;
	}
}

int64_t npu_task_us(int stream)
{
	const struct npu_config *c = npu_config();

	for (unsigned i = 0; i < c->stream_us.times.n; i++)
		if (c->stream_us.times.stream[i].id == stream)
			return c->stream_us.times.stream[i].us;
	return c->task_us.num;
}
