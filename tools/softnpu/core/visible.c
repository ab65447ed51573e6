/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices a process sees. */
#include "tools/softnpu/core/visible.h"

#include <stdlib.h>

#define TEXT 127u /* of longer ones the beginning */

static struct {
	bool set;
	int count;
	int device[MAX_DEVICES];
} visible;

/* The next entry, up to a comma or the end; -1: no number of a device. */
static int64_t entry(const char **at, const char *end, int devices)
{
	const char *p = *at;
	int64_t id = 0;

	for (; p < end && *p >= '0' && *p <= '9' && id < devices; p++)
		id = id * 10 + (*p - '0');
	if (p == *at || (p < end && *p != ',') || id >= devices)
		return -1;
	*at = p < end ? p + 1 : end;
	return id;
}

/* The first entry that is none ends the list; one that is not above the one before spoils all of it. */
static int read_list(const char *text, int devices, int *list)
{
	const char *end = text + strnlen(text, TEXT);
	int n = 0;

	while (text < end && n < devices) {
		int64_t id = entry(&text, end, devices);

		if (id < 0)
			break;
		if (n && id <= list[n - 1])
			return 0;
		list[n++] = (int)id;
	}
	return n;
}

static int seen_as(int64_t device)
{
	for (int i = 0; i < visible.count; i++)
		if (visible.device[i] == device)
			return i;
	return -1;
}

static uint64_t seen_of(uint64_t devices)
{
	uint64_t seen = 0;

	for (int i = 0; i < visible.count; i++)
		seen |= (devices >> visible.device[i] & 1) << i;
	return seen;
}

void visible_read(struct npu_config *config)
{
	const char *text = secure_getenv("ASCEND_RT_VISIBLE_DEVICES");
	const struct npu_config all = *config;

	if (!text)
		return;
	visible.set = true;
	visible.count = read_list(text, (int)all.devices.num, visible.device);
	config->devices.num = visible.count;
	for (int i = 0; i < visible.count; i++) {
		config->memory.sizes[i] = all.memory.sizes[visible.device[i]];
		config->peer.peers[i] = seen_of(all.peer.peers[visible.device[i]]);
	}
	config->lost_device.task_of.device = seen_as(all.lost_device.task_of.device);
}

bool visible_is_set(void)
{
	npu_config();
	return visible.set;
}

int visible_device(int user)
{
	return visible_is_set() ? visible.device[user] : user;
}

int visible_user(int64_t device)
{
	if (visible_is_set())
		return seen_as(device);
	return device >= 0 && device < CFG(devices) ? (int)device : -1;
}
