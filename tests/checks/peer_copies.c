/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two devices: access enabled, and the end of one of them. */
#include "fixture.h"
#include "scenario.h"

#include <string.h>

struct pair {
	struct fixture *fixture;
	void *zero, *one; /* memory of device 0 and of device 1 */
	void *s0, *s1;
};

static void pair_begins(struct pair *p)
{
	CALL(p->fixture, aclInit, 0, .configPath = NULL);
	CALL(p->fixture, aclrtSetDevice, 0, .deviceId = 0);
	p->zero = fixture_malloc(p->fixture, DEVICE_MEMORY, SIZE);
	p->s0 = fixture_stream(p->fixture, 1);
	CALL(p->fixture, aclrtSetDevice, 0, .deviceId = 1);
	p->one = fixture_malloc(p->fixture, DEVICE_MEMORY + (1ul << 30), SIZE);
	p->s1 = fixture_stream(p->fixture, 2);
}

static struct pair pair(void)
{
	struct pair p = {.fixture = fixture_new(DOCUMENTS)};

	pair_begins(&p);
	return p;
}

#define ENABLE(p, peer) CALL((p).fixture, aclrtDeviceEnablePeerAccess, 0, .peerDeviceId = peer)
#define ACROSS(p, stream_)                                                                                   \
	CALL((p).fixture, aclrtMemcpyAsync, 0, .dst = (p).one, .destMax = SIZE, .src = (p).zero,             \
		.count = SIZE, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = stream_)

static void peer_directions(void **state)
{
	struct pair none = pair(), right = pair(), wrong = pair(), undone = pair();

	(void)state;
	none.fixture->other_ways = undone.fixture->other_ways = 0;
	ACROSS(none, none.s1);
	want(none.fixture, "peer-copy-not-enabled:error");
	assert_int_equal(fixture_count(none.fixture, "peer-access-denied"), 1);
	ENABLE(right, 0); /* device 1 is current: towards the source */
	ACROSS(right, right.s1);
	silent(right.fixture);
	CALL(wrong.fixture, aclrtSetDevice, 0, .deviceId = 0);
	ENABLE(wrong, 1);
	CALL(wrong.fixture, aclrtSetDevice, 0, .deviceId = 1);
	ACROSS(wrong, wrong.s1);
	want(wrong.fixture, "peer-copy-not-enabled:warning");
	ENABLE(undone, 0);
	CALL(undone.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	ACROSS(undone, undone.s1);
	want(undone.fixture, "peer-copy-not-enabled:error");
}

/* The driver counts how often access was enabled. */
static void peer_enabled_twice(void **state)
{
	struct pair p = pair();

	(void)state;
	p.fixture->other_ways = 0;
	ENABLE(p, 0);
	ENABLE(p, 0);
	CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtSynchronizeStream, 0, .stream = p.s1);
	CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	silent(p.fixture);
}

/* What is imported opens the way to whose it is, and whose that is may be unknown. */
static void peer_after_imports(void **state)
{
	struct pair memory = pair(), physical = pair(), notify = pair(), closed = pair();
	aclrtDrvMemHandle shared = handle(5);
	aclrtNotify of_other = handle(6);
	void *p = (void *)(DEVICE_MEMORY + (2ul << 30));

	(void)state;
	CALL(memory.fixture, aclrtIpcMemImportByKey, 0, .devPtr = &p, .key = "a key",
		.flags = ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	ACROSS(memory, memory.s1);
	never(memory.fixture, "peer-copy-not-enabled");
	CALL(physical.fixture, aclrtMemImportFromShareableHandle, 0, .shareableHandle = 7, .deviceId = 1,
		.handle = &shared);
	ACROSS(physical, physical.s1);
	never(physical.fixture, "peer-copy-not-enabled");
	CALL(notify.fixture, aclrtNotifyImportByKey, 0, .notify = &of_other, .key = "a key",
		.flags = ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	ACROSS(notify, notify.s1);
	never(notify.fixture, "peer-copy-not-enabled");
	CALL(closed.fixture, aclrtNotifyImportByKey, 0, .notify = &of_other, .key = "a key",
		.flags = ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT);
	ACROSS(closed, closed.s1);
	assert_int_equal(fixture_count(closed.fixture, "peer-copy-not-enabled"), 1);
}

/* No device is ever set: both are reached by contexts of the program's own. */
static void peer_by_contexts(void **state)
{
	struct pair p = {.fixture = fixture_new(DOCUMENTS)};
	aclrtContext first = handle(3), second = handle(4);

	(void)state;
	p.fixture->other_ways = 0;
	CALL(p.fixture, aclInit, 0, .configPath = NULL);
	CALL(p.fixture, aclrtCreateContext, 0, .context = &first, .deviceId = 0);
	p.zero = fixture_malloc(p.fixture, DEVICE_MEMORY, SIZE);
	CALL(p.fixture, aclrtCreateContext, 0, .context = &second, .deviceId = 1);
	p.one = fixture_malloc(p.fixture, DEVICE_MEMORY + (1ul << 30), SIZE);
	p.s1 = fixture_stream(p.fixture, 2);
	ACROSS(p, p.s1);
	want(p.fixture, "peer-copy-not-enabled:error");
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

/* What other libraries enable in the driver is not seen. */
static void peer_enabled_elsewhere(void **state)
{
	struct pair p = pair();

	(void)state;
	ACROSS(p, p.s1);
	want(p.fixture, "peer-copy-not-enabled:warning");
}

static void peer_product(void **state)
{
	struct pair p = {.fixture = fixture_with(
				 &(const struct checks_config){.target = DOCUMENTS, .soc = "Ascend910_93"})};

	(void)state;
	pair_begins(&p);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

static void peer_disabled_in_use(void **state)
{
	struct pair p = pair(), waited = pair(), own = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	want(p.fixture, "peer-disable-not-enabled:warning");
	ENABLE(waited, 0);
	ACROSS(waited, waited.s1);
	SYNC(waited, waited.s1, 0);
	CALL(waited.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	silent(waited.fixture);
	ENABLE(own, 0);
	CALL(own.fixture, aclrtMemsetAsync, 0, .devPtr = own.one, .maxCount = SIZE, .count = SIZE,
		.stream = own.s1);
	CALL(own.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
	silent(own.fixture);
}

/* What a third device copies from one of the two has nothing to do with their access. */
static void peer_disabled_beside_a_third(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct pair p = pair();
		void *two;
		aclrtStream s2;

		ENABLE(p, 0);
		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 2);
		two = fixture_malloc(p.fixture, DEVICE_MEMORY + (2ul << 30), SIZE);
		s2 = fixture_stream(p.fixture, 5);
		ENABLE(p, 0);
		ENABLE(p, 1);
		CALL(p.fixture, aclrtMemcpyAsync, 0, .dst = two, .destMax = SIZE,
			.src = i & 1 ? p.one : p.zero, .count = SIZE, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE,
			.stream = s2);
		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = i & 2 ? 0 : 1);
		if (i & 2)
			ENABLE(p, 1);
		CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = i & 2 ? 1 : 0);
		silent(p.fixture);
		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 2);
		CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = i & 1 ? 1 : 0);
		want(p.fixture, "peer-disable-not-enabled:warning");
		fixture_free(p.fixture);
	}
}

static void peer_imports_enable(void **state)
{
	struct pair p = pair();
	void *imported = NULL;

	(void)state;
	CALL(p.fixture, aclrtIpcMemImportByKey, 0, .devPtr = &imported, .key = "key",
		.flags = ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

static void peer_denied(void **state)
{
	struct pair p = pair();
	int32_t can = 0;

	(void)state;
	CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	want(p.fixture, "peer-access-denied:error");
	ACROSS(p, p.s1);
	want(p.fixture, "peer-access-denied:error");
	can = 1; /* queried again, answered otherwise */
	CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &can, .deviceId = 1, .peerDeviceId = 0);
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	silent(p.fixture);
}

/* Asked in either order, the answer is about both; with a yes the other way it may be no mistake. */
static void peer_denied_the_other_way(void **state)
{
	(void)state;
	for (int both = 0; both < 2; both++) {
		struct pair p = pair();
		int32_t no = 0, yes = 1;

		CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &no, .deviceId = 0,
			.peerDeviceId = 1);
		if (both)
			CALL(p.fixture, aclrtDeviceCanAccessPeer, 0, .canAccessPeer = &yes, .deviceId = 1,
				.peerDeviceId = 0);
		ENABLE(p, 0);
		want(p.fixture, both ? "peer-access-denied:warning" : "peer-access-denied:error");
		assert_non_null(strstr(p.fixture->found[0].detail, "aclrtDeviceCanAccessPeer(0, 1)"));
		ACROSS(p, p.s1);
		want(p.fixture, both ? "peer-access-denied:warning" : "peer-access-denied:error");
		assert_non_null(strstr(p.fixture->found[1].detail, "aclrtDeviceCanAccessPeer(0, 1)"));
	}
}

/* Everything of device 0 but what the rule is about. */
static void leave_device_zero(struct pair *p)
{
	CALL(p->fixture, aclrtFree, 0, .devPtr = p->zero);
	CALL(p->fixture, aclrtSetDevice, 0, .deviceId = 0);
	CALL(p->fixture, aclrtDestroyStream, 0, .stream = p->s0);
	CALL(p->fixture, aclrtResetDeviceForce, 0, .deviceId = 0);
}

static void peer_reset_pending(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

static void peer_reset_after_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	SYNC(p, p.s1, 507005); /* end of sequence: drained all the same */
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_failed_sync(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtSynchronizeStreamWithTimeout, 507046, .stream = p.s1, .timeout = 1);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

/* s0 waited for s1, and s0 was synchronised: s1 is done that far. */
static void peer_reset_after_transitive_sync(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
	WAIT(p, p.s0, e);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_query(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void peer_reset_after_query_not_ready(void **state)
{
	struct pair p = pair();
	void *e = fixture_event(p.fixture, 5, ACL_EVENT_SYNC);
	aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	RECORD(p, e, p.s1);
	CALL(p.fixture, aclrtQueryEventStatus, 0, .event = e, .status = &status);
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

static void peer_reset_after_failed_copy(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	CALL(p.fixture, aclrtMemcpyAsync, 507899, .dst = p.one, .destMax = SIZE, .src = p.zero, .count = SIZE,
		.kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = p.s1);
	want(p.fixture, "api-error:warning");
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void host_function(struct pair *p)
{
	CALL(p->fixture, aclrtLaunchHostFunc, 0, .stream = p->s1, .fn = handle(9));
	fixture_callback(p->fixture, ACL_API_aclrtLaunchHostFunc, handle(9), true);
	fixture_callback(p->fixture, ACL_API_aclrtLaunchHostFunc, handle(9), false);
}

/* A host function that ran may have shown the program how far its stream is. */
static void peer_reset_after_callback(void **state)
{
	struct pair p = pair(), before = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	host_function(&p);
	leave_device_zero(&p);
	want(p.fixture, "");
	/* It comes before the copy. */
	ENABLE(before, 0);
	host_function(&before);
	ACROSS(before, before.s1);
	leave_device_zero(&before);
	want(before.fixture, "peer-device-reset-in-use:error");
}

/* What the host may know is done before it goes on is not in use, whatever comes behind it on the stream. */
static void peer_ended_beside_later_tasks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct pair p = pair();

		ENABLE(p, 0);
		ACROSS(p, p.s1);
		if (i & 1)
			host_function(&p);
		else
			CALL(p.fixture, aclrtValueWrite, 0, .devAddr = p.one, .value = 1, .stream = p.s1);
		CALL(p.fixture, aclrtMemsetAsync, 0, .devPtr = p.one, .maxCount = SIZE, .count = SIZE,
			.stream = p.s1);
		if (i & 2)
			leave_device_zero(&p);
		else
			CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = 0);
		want(p.fixture, "");
		fixture_free(p.fixture);
	}
}

/* Calls that the runtime makes inside of others are no tasks of their own. */
static void peer_reset_after_inner_copy(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	p.fixture->inside = true;
	ACROSS(p, p.s1);
	p.fixture->inside = false;
	leave_device_zero(&p);
	want(p.fixture, "peer-device-reset-in-use:error");
}

static void peer_reset_after_opaque_wait(void **state)
{
	struct pair p = pair();

	(void)state;
	ENABLE(p, 0);
	ACROSS(p, p.s1);
	CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
	/* A word in memory that s1 may have written last. */
	CALL(p.fixture, aclrtValueWait, 0, .devAddr = p.zero, .value = 1, .flag = ACL_STREAM_WAIT_VALUE_EQ,
		.stream = p.s0);
	SYNC(p, p.s0, 0);
	leave_device_zero(&p);
	want(p.fixture, "");
}

static void within_device_one(struct pair *p)
{
	CALL(p->fixture, aclrtMemcpyAsync, 0, .dst = p->one, .destMax = SIZE / 2,
		.src = (char *)p->one + SIZE / 2, .count = SIZE / 2, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE,
		.stream = p->s1);
}

/* From memory of devices 2, 3 and 4, or 4, 3 and 2. */
static void from_three_devices(struct pair *p, bool downwards)
{
	for (int k = 2; k <= 4; k++) {
		int i = downwards ? 6 - k : k;
		char *there;

		CALL(p->fixture, aclrtSetDevice, 0, .deviceId = i);
		there = fixture_malloc(p->fixture, DEVICE_MEMORY + ((uint64_t)i << 30), SIZE);
		CALL(p->fixture, aclrtSetDevice, 0, .deviceId = 1);
		CALL(p->fixture, aclrtDeviceEnablePeerAccess, 0, .peerDeviceId = i);
		CALL(p->fixture, aclrtMemcpyAsync, 0, .dst = (char *)p->one + (i - 2) * 64, .destMax = 64,
			.src = there, .count = 64, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE, .stream = p->s1);
	}
}

/* One stream, and memory of several other devices, in any order: each of them is in use. */
static void peer_reset_of_one_of_three(void **state)
{
	(void)state;
	for (int variant = 0; variant < 6; variant++) {
		int reset = 2 + variant / 2;
		struct pair p = pair();

		from_three_devices(&p, variant % 2);
		CALL(p.fixture, aclrtDeviceDisablePeerAccess, 0, .peerDeviceId = reset);
		assert_int_equal(fixture_count(p.fixture, "peer-disable-not-enabled"), 1);
		CALL(p.fixture, aclrtResetDeviceForce, 0, .deviceId = reset);
		assert_int_equal(fixture_count(p.fixture, "peer-device-reset-in-use"), 1);
	}
}

/* A copy within the stream's own device uses no other one's memory. */
static void peer_reset_of_the_own_device(void **state)
{
	struct pair p = pair();

	(void)state;
	within_device_one(&p);
	CALL(p.fixture, aclrtResetDeviceForce, 0, .deviceId = 1);
	never(p.fixture, "peer-device-reset-in-use");
	fixture_free(p.fixture);
}

/* Of one stream with two devices, whichever comes last, and whatever it does on its own device before: both
 * are in use. */
static void peer_reset_of_either(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct pair p = pair();
		unsigned ended = i & 1 ? 0 : 2;
		void *two, *others[2];

		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 2);
		two = fixture_malloc(p.fixture, DEVICE_MEMORY + (2ul << 30), SIZE);
		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 1);
		ENABLE(p, 0);
		ENABLE(p, 2);
		if (i & 4)
			within_device_one(&p);
		others[i >> 1 & 1] = p.zero;
		others[~i >> 1 & 1] = two;
		for (unsigned n = 0; n < 4; n++)
			CALL(p.fixture, aclrtMemcpyAsync, 0, .dst = p.one, .destMax = SIZE,
				.src = others[n & 1], .count = SIZE, .kind = ACL_MEMCPY_DEVICE_TO_DEVICE,
				.stream = p.s1);
		CALL(p.fixture, aclrtFree, 0, .devPtr = ended ? two : p.zero);
		CALL(p.fixture, aclrtSetDevice, 0, .deviceId = 0);
		CALL(p.fixture, aclrtDestroyStream, 0, .stream = p.s0);
		silent(p.fixture);
		CALL(p.fixture, aclrtResetDeviceForce, 0, .deviceId = (int)ended);
		want(p.fixture, "peer-device-reset-in-use:error");
		fixture_free(p.fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peer_directions),
		cmocka_unit_test(peer_enabled_twice),
		cmocka_unit_test(peer_after_imports),
		cmocka_unit_test(peer_by_contexts),
		cmocka_unit_test(peer_enabled_elsewhere),
		cmocka_unit_test(peer_product),
		cmocka_unit_test(peer_disabled_in_use),
		cmocka_unit_test(peer_disabled_beside_a_third),
		cmocka_unit_test(peer_imports_enable),
		cmocka_unit_test(peer_denied),
		cmocka_unit_test(peer_denied_the_other_way),
		cmocka_unit_test(peer_reset_pending),
		cmocka_unit_test(peer_reset_after_sync),
		cmocka_unit_test(peer_reset_after_failed_sync),
		cmocka_unit_test(peer_reset_after_transitive_sync),
		cmocka_unit_test(peer_reset_after_query),
		cmocka_unit_test(peer_reset_after_query_not_ready),
		cmocka_unit_test(peer_reset_after_failed_copy),
		cmocka_unit_test(peer_reset_after_opaque_wait),
		cmocka_unit_test(peer_ended_beside_later_tasks),
		cmocka_unit_test(peer_reset_after_inner_copy),
		cmocka_unit_test(peer_reset_after_callback),
		cmocka_unit_test(peer_reset_of_one_of_three),
		cmocka_unit_test(peer_reset_of_the_own_device),
		cmocka_unit_test(peer_reset_of_either),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
