/* SPDX-License-Identifier: Apache-2.0 */
/* ASCEND_RT_VISIBLE_DEVICES, which a process reads once: each question is one of a child. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

/* In a child that has four devices. */
static void asked(const char *list, void (*question)(const void *), const void *wanted)
{
	fflush(stdout);
	if (!fork()) {
		setenv("SOFTNPU_DEVICES", "4", 1);
		setenv("SOFTNPU_MEMORY", "1G,2G,3G,4G", 1);
		setenv("ASCEND_RT_VISIBLE_DEVICES", list, 1);
		question(wanted);
		fflush(stdout);
		_exit(tap_failed());
	}
	OK(child_status());
}

static void counts(const void *wanted)
{
	uint32_t n = 99, expected = *(const uint32_t *)wanted;

	IS(aclrtGetDeviceCount(&n), expected ? 0 : 207004);
	IS(n, expected);
	IS(aclrtSetDevice((int32_t)expected), 107001);
	if (expected)
		OK(aclrtSetDevice((int32_t)expected - 1));
}

/* The first entry that is no device ends the list; one out of order, or twice, spoils it. */
static void lists(void)
{
	static const struct {
		const char *list;
		uint32_t devices;
	} of[] = {
		{"0,1,2,3", 4},
		{"1,3", 2},
		{"2", 1},
		{"0,1,9,2", 2},
		{"0,4", 1},
		{"0,x,2", 1},
		{"1, 2", 1},
		{"0,,2", 1},
		{"0,1,", 2},
		{"0,-1", 1},
		{"00,01", 2},
		{"", 0},
		{"-1", 0},
		{"9", 0},
		{"99999999999999999999", 0},
		{",0", 0},
		{"2,1", 0},
		{"0,0", 0},
		{"1,2,1", 0},
		{"1,9,0", 1},
	};

	for (unsigned i = 0; i < COUNT(of); i++)
		asked(of[i].list, counts, &of[i].devices);
}

static void numbers(const void *unused)
{
	size_t available = 0, total = 0;
	int32_t id = 9;
	char bus[32];

	(void)unused;
	OK(aclrtSetDevice(1));
	OK(aclrtGetDevice(&id));
	IS(id, 1);
	OK(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
	IS(total >> 30, 4); /* of device 3 */
	OK(aclrtGetLogicDevIdByUserDevId(1, &id));
	IS(id, 3);
	OK(aclrtGetUserDevIdByLogicDevId(3, &id));
	IS(id, 1);
	OK(aclrtGetPhyDevIdByUserDevId(0, &id));
	IS(id, 1);
	OK(aclrtGetLogicDevIdByPhyDevId(3, &id));
	IS(id, 1);
	OK(aclrtGetPhyDevIdByLogicDevId(1, &id));
	IS(id, 3);
	IS(aclrtGetUserDevIdByLogicDevId(2, &id), 107001);
	IS(aclrtGetUserDevIdByPhyDevId(0, &id), 107001);
	IS(aclrtGetLogicDevIdByUserDevId(2, &id), 107001);
	OK(aclrtDeviceGetPCIBusId(1, bus, sizeof(bus)));
	OK(aclrtDeviceGetByPCIBusId(bus, &id));
	IS(id, 1);
}

static void numbers_differ(void)
{
	asked("1,3", numbers, NULL);
}

static void reached(const void *unused)
{
	aclrtMemLocation nowhere = {2, ACL_MEM_LOCATION_TYPE_DEVICE};
	int32_t can = 9;
	uint64_t flag;

	(void)unused;
	OK(aclrtDeviceCanAccessPeer(&can, 0, 2)); /* which are 1 and 3 */
	IS(can, 1);
	OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
	IS(can, 0);
	IS(aclrtSetDevice(3), 107001);
	nowhere.id = 3;
	IS(aclrtMemGetAccess((void *)0x1000, &nowhere, &flag), 107001); /* without the list 507899 */
}

static void peers_and_places(void)
{
	putenv("SOFTNPU_PEER=1-3");
	asked("1,2,3", reached, NULL);
}

static const struct tap_case cases[] = {C(lists), C(numbers_differ), C(peers_and_places)};

int main(void)
{
	tap_run(cases, COUNT(cases), "", NULL);
	return tap_done();
}
