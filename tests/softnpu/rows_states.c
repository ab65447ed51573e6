/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of states that were drawn by lot: what earlier calls, other threads and a reset left behind. */
#include <unistd.h>

#include "acl/acl_rt_memory_soma.h"
#include "rows.h"

#define LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL

static void row_of_end(aclrtStream s)
{
	aclmdlRI m;

	row(aclmdlRICaptureEnd(s, &m));
}

/* Without a group the handle stays what it was. */
static void group_ends_that_give_no_handle(void)
{
	aclrtStream a = stream(), b = stream();
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);
	aclrtTaskGrp handle = &handle;

	need(aclmdlRICaptureBegin(a, RELAXED));
	need(aclmdlRICaptureBegin(b, RELAXED));
	row(aclmdlRICaptureTaskGrpEnd(a, &handle));
	need(aclrtRecordEvent(e, a));
	need(aclmdlRICaptureTaskGrpBegin(a));
	row(aclrtStreamWaitEvent(b, e));
	row(aclmdlRICaptureTaskGrpEnd(a, &handle));
	row(handle == &handle);
	row_of_end(a);
	row_of_end(b);
}

static void set_memory(void *d)
{
	row(aclrtMemset(d, 64, 0, 64));
}

static void set_amid_relaxed(void *d)
{
	aclrtStream s = capturing();

	set_memory(d);
	row_of_end(s);
}

static void *ended_here(void *s)
{
	need(aclrtSetDevice(0));
	row_of_end(s);
	return NULL;
}

/* A thread counts its captures on its own: one that another thread ended stays open to it. */
static void captures_ended_elsewhere(void)
{
	aclrtStream s = stream();
	void *d = device();

	need(aclmdlRICaptureBegin(s, LOCAL));
	in_thread(ended_here, s);
	set_memory(d);
	set_amid_relaxed(d);
	set_memory(d);
	need(aclmdlRICaptureBegin(s, LOCAL));
	row_of_end(s);
	set_amid_relaxed(d);
}

static void *end_beside_an_own_capture(void *s)
{
	aclrtStream own;
	void *d;

	need(aclrtSetDevice(0));
	own = stream();
	d = device();
	need(aclmdlRICaptureBegin(own, LOCAL));
	set_memory(d);
	row_of_end(s);
	set_memory(d);
	row_of_end(own);
	return NULL;
}

/* And one that it ends for another thread is one less of its own. */
static void captures_ended_for_others(void)
{
	aclrtStream s = stream();

	need(aclmdlRICaptureBegin(s, LOCAL));
	in_thread(end_beside_an_own_capture, s);
}

/* Nor does a reset end it. */
static void captures_gone_with_the_device(void)
{
	aclrtStream s = stream();
	void *d;

	need(aclmdlRICaptureBegin(s, LOCAL));
	need(aclrtResetDeviceForce(0));
	need(aclrtSetDevice(0));
	d = device();
	set_memory(d);
	set_amid_relaxed(d);
}

/* The label is looked at before the stream, unless that is NULL. */
static void labels_gone(void)
{
	aclrtStream live = stream(), gone = stream();
	aclrtLabel label;

	need(aclrtDestroyStream(gone));
	need(aclrtCreateLabel(&label));
	need(aclrtDestroyLabel(label));
	row(aclrtSetLabel(label, live));
	row(aclrtSetLabel(label, gone));
	row(aclrtSetLabel(label, NULL));
}

static void row_of_import(uint64_t flags)
{
	aclrtNotify notify = &notify;

	row(aclrtNotifyImportByKey(&notify, "a key of no notify", flags) != ACL_SUCCESS);
	row(notify == NULL);
}

static void *import_without_device(void *data)
{
	row_of_import(0);
	return data;
}

/* The handle is NULL where the driver was asked for the key. */
static void imports_of_no_key(void)
{
	row_of_import(0);
	row_of_import(99);
	in_thread(import_without_device, NULL);
}

static void row_of_device(void)
{
	int32_t device;
	aclError code = aclrtGetDevice(&device);

	row(code ? code : device);
}

/* No chip here has a scheduler of vector cores: it takes the context away, and leaves one that was made. */
static void schedulers_of_vector_cores(void)
{
	aclrtContext own;

	row(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
	row_of_device();
	row(aclrtSetDevice(0));
	row(aclrtSetTsDevice(ACL_TS_ID_AICORE));
	row_of_device();
	row(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
	row(aclrtResetDevice(0));
	row_of_device();
	row(aclrtSetDevice(0));
	row_of_device();
	need(aclrtCreateContext(&own, 0));
	row(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
	row_of_device();
}

/* A thread that has a device goes to the first one. */
static void schedulers_are_of_device_0(void)
{
	row(aclrtSetTsDevice((aclrtTsId)2));
	need(aclrtSetDevice(1));
	row_of_device();
	row(aclrtSetTsDevice(ACL_TS_ID_AICORE));
	row_of_device();
}

static pthread_barrier_t step;

static void *bound_over_a_reset(void *looks)
{
	need(aclrtSetDevice(0));
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	if (looks)
		row_of_device();
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	row_of_device();
	return NULL;
}

static void reset_and_set_beside(void *(*other)(void *), void *data, unsigned steps)
{
	pthread_t thread;

	pthread_barrier_init(&step, NULL, 2);
	pthread_create(&thread, NULL, other, data);
	pthread_barrier_wait(&step);
	need(aclrtResetDeviceForce(0));
	for (unsigned i = 0; i < steps; i++)
		pthread_barrier_wait(&step);
	need(aclrtSetDevice(0));
	pthread_barrier_wait(&step);
	pthread_join(thread, NULL);
}

/* Who sets the device again does so for all threads that were bound to it. */
static void bindings_over_a_reset(void)
{
	reset_and_set_beside(bound_over_a_reset, &step, 2);
	reset_and_set_beside(bound_over_a_reset, NULL, 2);
}

static void *current_over_a_reset(void *context)
{
	need(aclrtSetCurrentContext(context));
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	row_of_device();
	return NULL;
}

static void *set_device(void *unused)
{
	need(aclrtSetDevice(0));
	return unused;
}

/* The default context is the same one again, but not in the thread that reset the device. */
static void default_context_over_a_reset(void)
{
	aclrtContext before, after, other;

	need(aclrtGetCurrentContext(&before));
	reset_and_set_beside(current_over_a_reset, before, 0);
	need(aclrtSetCurrentContext(before));
	need(aclrtResetDevice(0));
	row(aclrtSetCurrentContext(before));
	in_thread(set_device, NULL);
	row_of_device();
	need(aclrtResetDevice(0));
	need(aclrtCreateContext(&other, 0));
	need(aclrtSetDevice(0));
	need(aclrtGetCurrentContext(&after));
	row(before == after);
}

static void *end_context(void *context)
{
	need(aclrtDestroyContext(context));
	return NULL;
}

/* A thread holds a context that another one destroyed, also when it has noticed. */
static void current_context_gone(void)
{
	aclrtContext own, current;

	need(aclrtCreateContext(&own, 0));
	in_thread(end_context, own);
	row_of_device();
	row(aclrtGetCurrentContext(&current));
	row_of_device();
}

static void *make_context(void *context)
{
	need(aclrtCreateContext(context, 0));
	return NULL;
}

/* It is known until the threads that it was current in let go of it, which one that has ended never does. */
static void contexts_destroyed_twice(void)
{
	aclrtContext context;

	in_thread(make_context, &context);
	row(aclrtDestroyContext(context));
	row(aclrtDestroyContext(context));
	row(aclrtSetCurrentContext(context));
	need(aclrtCreateContext(&context, 0));
	row(aclrtDestroyContext(context));
	row(aclrtDestroyContext(context));
}

static aclmdlRI building(void)
{
	aclmdlRI m = NULL;

	need(aclmdlRIBuildBegin(&m, 0));
	return m;
}

static aclrtStream flagged(uint32_t flags)
{
	aclrtStream s = NULL;

	need(aclrtCreateStreamWithConfig(&s, 0, flags));
	return s;
}

static void row_of_bind(aclmdlRI m, aclrtStream s)
{
	row(aclmdlRIBindStream(m, s, ACL_MODEL_STREAM_FLAG_DEFAULT));
}

/* What a stream was made for is looked at in this order. */
static void streams_that_cannot_be_bound(void)
{
	aclmdlRI m = building();

	row_of_bind(m, flagged(ACL_STREAM_FAST_LAUNCH));
	row_of_bind(m, flagged(ACL_STREAM_FAST_LAUNCH | ACL_STREAM_PERSISTENT));
	row_of_bind(m, flagged(ACL_STREAM_FAST_SYNC));
	row_of_bind(m, stream());
	row_of_bind(m, flagged(ACL_STREAM_CPU_SCHEDULE));
}

/* A captured model or a capturing stream is seen before what the stream is bound to, and before contexts. */
static void streams_bound_to_wrong_models(void)
{
	aclrtStream persistent = flagged(ACL_STREAM_PERSISTENT);
	aclmdlRI captured = model(), built = building();
	aclrtContext other;

	row_of_bind(captured, persistent);
	need(aclmdlRICaptureBegin(persistent, RELAXED));
	row_of_bind(built, persistent);
	row_of_end(persistent);
	row_of_bind(built, persistent);
	row_of_bind(captured, persistent);
	row_of_bind(built, persistent);
	need(aclrtCreateContext(&other, 0));
	row_of_bind(captured, persistent);
	row(aclmdlRIEndTask(captured, persistent));
}

/* --- pools ------------------------------------------------------------------------------------ */

static aclrtMemPool pool_of(size_t size)
{
	aclrtMemPoolProps props = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE, .maxSize = size};
	aclrtMemPool p = NULL;

	need(aclrtMemPoolCreate(&p, &props));
	return p;
}

static void *row_of_block(aclrtMemPool p, size_t size, aclrtStream s)
{
	void *block = NULL;

	row(aclrtMemPoolMallocAsync(&block, size, p, s));
	return block;
}

static void row_of_number(aclrtMemPool p, aclrtMemPoolAttr attr)
{
	uint64_t number = 7;

	need(aclrtMemPoolGetAttr(p, attr, &number));
	row((long)(number / MIB2));
}

static void pools_as_they_are_made(void)
{
	aclrtMemPool p = pool_of(0);
	uint32_t on;

	for (int attr = ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
		attr <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES; attr++) {
		on = 7;
		row(aclrtMemPoolGetAttr(p, (aclrtMemPoolAttr)attr, &on));
		row(on);
	}
}

/* What a stream gave back waits for that stream, unless an attribute of the pool allows otherwise. */
static void pool_full_for_other_streams(void)
{
	aclrtMemPool p = pool_of(2 * MIB2);
	aclrtStream s = stream(), other = stream();
	uint32_t on = 1;

	row(aclrtMemPoolFreeAsync(row_of_block(p, MIB2 + 1, s), s));
	(void)row_of_block(p, 1, other);
	row(aclrtMemPoolSetAttr(p, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &on));
	(void)row_of_block(p, 1, other);
	(void)row_of_block(p, 1, s);
	(void)row_of_block(p, 1, s);
}

/* Nothing that is in use can be trimmed. */
static void pool_trimmed(void)
{
	aclrtMemPool p = pool_of(3 * MIB2);
	aclrtStream s = stream(), other = stream();
	void *kept = row_of_block(p, 1, s);

	row(aclrtMemPoolFreeAsync(row_of_block(p, MIB2 + 1, s), s));
	(void)row_of_block(p, MIB2, other);
	row(aclrtMemPoolTrimTo(p, 0));
	row(aclrtMemPoolTrimTo(p, 4 * MIB2));
	row(aclrtMemPoolTrimTo(p, 2 * MIB2));
	row_of_number(p, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
	row_of_number(p, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT);
	(void)row_of_block(p, MIB2, other);
	row(aclrtMemPoolFreeAsync(kept, s));
	row_of_number(p, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH);
}

/* --- keys and configurations -------------------------------------------------------------------- */

/* With the key that its maker closes, nothing can be imported any more. */
static void keys_closed(void)
{
	void *memory = device();
	char key[65];
	int32_t pid = 1;

	row(aclrtIpcMemGetExportKey(memory, 4096, key, sizeof(key), 0));
	row(aclrtIpcMemClose(key));
	row(aclrtIpcMemClose(key) != ACL_SUCCESS);
	row(aclrtIpcMemSetImportPid(key, &pid, 1) != ACL_SUCCESS);
	row(aclrtIpcMemImportByKey(&memory, key, 0) != ACL_SUCCESS);
}

static void row_of_init(const char *text)
{
	char path[] = "/tmp/rows.XXXXXX";
	int file = mkstemp(path);

	need(file < 0 || write(file, text, strlen(text)) < 0);
	close(file);
	row(aclInit(path));
	unlink(path);
}

/* What differs from the first configuration is not looked into. */
static void configurations_that_differ(void)
{
	row_of_init("{}");
	need(aclFinalize());
	row(aclInit("/of no file"));
	row_of_init("{}");
	row_of_init("{ no JSON");
	row(aclInit(""));
}

/* A stream for itself is not for the host, and a device waits for it no more than for its capture. */
static void waits_beside_a_persistent_capture(void)
{
	aclrtStream s = NULL, other = stream();

	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRICaptureBegin(s, RELAXED));
	row(aclrtSynchronizeDevice());
	row(aclrtSynchronizeDeviceWithTimeout(5));
	need(aclmdlRICaptureBegin(other, RELAXED));
	row(aclrtSynchronizeDevice());
	row_of_end(other);
	row(aclrtSynchronizeDevice());
	row_of_end(s);
}

static int notified[2];
static aclrtStream last_notified;

static void tell(aclrtStream s, aclrtStreamState state, void *args)
{
	(void)args;
	notified[state == ACL_RT_STREAM_STATE_DESTROY_PRE]++;
	last_notified = s;
}

static void row_of_destroy(aclError code)
{
	row(code);
	row(notified[1]);
}

/* Callbacks hear of a stream's end when nothing stands against it any more. */
static void streams_that_stay(void)
{
	aclrtStream s = stream(), of_model = NULL;
	aclrtContext own, other;
	aclmdlRI m = NULL;

	need(aclrtCreateStreamWithConfig(&of_model, 0, ACL_STREAM_PERSISTENT));
	need(aclmdlRIBuildBegin(&m, 0));
	need(aclmdlRIBindStream(m, of_model, ACL_MODEL_STREAM_FLAG_DEFAULT));
	need(aclrtRegStreamStateCallback("rows", tell, NULL));
	row_of_destroy(aclrtDestroyStream(of_model));
	need(aclmdlRICaptureBegin(s, RELAXED));
	row_of_destroy(aclrtDestroyStreamForce(s));
	row_of_end(s);
	need(aclrtGetCurrentContext(&own));
	need(aclrtCreateContext(&other, 0));
	row_of_destroy(aclrtDestroyStream(s));
	need(aclrtSetCurrentContext(own));
	row_of_destroy(aclrtDestroyStream(s));
}

/* Every context has a stream of its own, and its streams end with it, the other ones after that. */
static void streams_that_come_with_contexts(void)
{
	aclrtContext own, other;
	aclrtStream s;

	need(aclrtGetCurrentContext(&own));
	need(aclrtRegStreamStateCallback("rows", tell, NULL));
	need(aclrtCreateContext(&other, 0));
	row(notified[0]);
	s = stream();
	row_of_destroy(aclrtDestroyContext(other));
	row(last_notified == s);
	row_of_destroy(aclrtDestroyContext(own));
	need(aclrtSetCurrentContext(own));
	(void)stream();
	row_of_destroy(aclrtResetDevice(0));
	row(notified[0]);
	need(aclrtSetDevice(0));
	row(notified[0]);
}

static long states;

static void note_state(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device, (void)args;
	states = states * 10 + state + 1;
}

static void row_of_states(aclError code)
{
	need(code);
	row(states);
	states = 0;
}

/* A device is opened once, by a context as well, and set any number of times. */
static void devices_set_again(void)
{
	aclrtContext c;

	need(aclrtRegDeviceStateCallback("rows", note_state, NULL));
	row(aclrtSetDevice(99));
	row_of_states(aclrtSetDevice(1));
	row_of_states(aclrtSetDevice(1));
	row_of_states(aclrtCreateContext(&c, 1));
	row_of_states(aclrtResetDevice(1));
	row_of_states(aclrtResetDevice(1));
	row_of_states(aclrtSetDevice(1));
	row_of_states(aclrtResetDevice(1));
	row_of_states(aclrtDestroyContext(c));
	row_of_states(aclrtCreateContext(&c, 1));
	row_of_states(aclrtSetDevice(1));
}

/* Of a stream that the CPU schedules callbacks hear the beginning only. */
static void streams_of_the_cpu(void)
{
	aclrtStream s = NULL;

	need(aclrtRegStreamStateCallback("rows", tell, NULL));
	need(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_CPU_SCHEDULE));
	row(notified[0]);
	row_of_destroy(aclrtDestroyStream(s));
}

/* An event that was recorded outside is not for external use any more, one used so before is. */
static void external_waits_after_records(void)
{
	aclrtEvent recorded = event_ex(ACL_EVENT_SYNC), used = event_ex(ACL_EVENT_SYNC);
	aclrtStream s = stream();

	need(aclrtRecordEvent(recorded, s));
	row(aclrtStreamWaitEventWithFlag(s, recorded, 0, ACL_EVENT_WAIT_EXTERNAL));
	need(aclmdlRICaptureBegin(s, RELAXED));
	row(aclrtStreamWaitEventWithFlag(s, recorded, 0, ACL_EVENT_WAIT_EXTERNAL));
	row(aclrtStreamWaitEventWithFlag(s, used, 0, ACL_EVENT_WAIT_EXTERNAL));
	row_of_end(s);
	row(aclrtRecordEvent(used, s));
	need(aclmdlRICaptureBegin(s, RELAXED));
	row(aclrtStreamWaitEventWithFlag(s, used, 0, ACL_EVENT_WAIT_EXTERNAL));
	row_of_end(s);
}

static void memory_registered_after_pinning(void)
{
	static char memory[4096] __attribute__((aligned(4096)));
	void *d = NULL;

	need(aclrtHostRegisterV2(memory, sizeof(memory), ACL_HOST_REG_PINNED));
	row(aclrtHostRegister(memory, sizeof(memory), ACL_HOST_REGISTER_MAPPED, &d));
	row(aclrtHostGetDevicePointer(memory, &d, 0));
	row(aclrtHostUnregister(memory));
	row(aclrtHostUnregister(memory));
}

/* --- shared buffers, as the driver keeps them ------------------------------------------------------ */

static aclrtMbuf buffer(void)
{
	aclrtMbuf b = NULL;

	need(aclrtAllocBuf(&b, 64));
	return b;
}

static void row_of_length(aclrtMbuf b)
{
	size_t length = 9999;

	row(aclrtGetBufDataLen(b, &length));
	row((long)length);
}

static void row_of_chain(aclrtMbuf head)
{
	uint32_t n = 9999;

	row(aclrtGetBufChainNum(head, &n));
	row(n);
}

static void lengths_of_buffers(void)
{
	aclrtMbuf b = buffer();

	row_of_length(b);
	row(aclrtSetBufDataLen(b, 0));
	row(aclrtSetBufDataLen(b, 64));
	row(aclrtSetBufDataLen(b, 65));
	row_of_length(b);
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

static void *data_of(aclrtMbuf b)
{
	size_t size;
	void *p = NULL;

	need(aclrtGetBufData(b, &p, &size));
	return p;
}

/* What is behind a buffer is copied with it. */
static void chains_copied(void)
{
	aclrtMbuf a = buffer(), b = buffer(), c = buffer(), copy = NULL, second = NULL;

	need(aclrtAppendBufChain(a, b));
	need(aclrtAppendBufChain(a, c));
	row(aclrtCopyBufRef(a, &copy));
	row_of_chain(copy);
	row(aclrtGetBufFromChain(copy, 1, &second));
	row(second != b && data_of(second) == data_of(b));
	row(aclrtCopyBufRef(b, &second));
	row_of_chain(second);
	row(aclrtFreeBuf(a));
	row_of_chain(copy);
}

static void chains_freed(void)
{
	aclrtMbuf a = buffer(), b = buffer(), left = &a;

	need(aclrtAppendBufChain(a, b));
	row(aclrtFreeBuf(b));
	row_of_chain(a);
	row(aclrtFreeBuf(a));
	row(aclrtSetBufDataLen(b, 1));
	row(aclrtFreeBuf(b));
	row(aclrtCopyBufRef(b, &left));
	row(left == &a);
}

static void buffers_appended_again(void)
{
	aclrtMbuf a = buffer(), b = buffer(), c = buffer(), at = &a;

	row(aclrtAppendBufChain(a, b));
	row(aclrtAppendBufChain(a, b));
	row(aclrtAppendBufChain(b, c));
	row(aclrtAppendBufChain(b, b));
	row(aclrtAppendBufChain(c, a));
	row_of_chain(c);
	row_of_chain(a);
	row(aclrtGetBufFromChain(c, 3, &at));
	row(aclrtGetBufFromChain(c, 128, &at));
	row(aclrtGetBufFromChain(a, 0, &at));
	row(at == &a);
	row(aclrtGetBufFromChain(c, 2, &at));
	row(at == b);
}

static void chains_joined(void)
{
	aclrtMbuf a = buffer(), b = buffer();

	for (int i = 1; i < 64; i++) {
		need(aclrtAppendBufChain(a, buffer()));
		need(aclrtAppendBufChain(b, buffer()));
	}
	need(aclrtAppendBufChain(b, buffer()));
	row(aclrtAppendBufChain(a, b));
	row_of_chain(a);
	row_of_chain(b);
	need(aclrtAllocBuf(&b, 8));
	row(aclrtAppendBufChain(a, b));
	row_of_chain(a);
}

/* --- access between devices ------------------------------------------------------------------------ */

static void row_of_access(int device, int peer)
{
	int32_t status = 9;

	row(aclrtDevicePeerAccessStatus(device, peer, &status));
	row(status);
}

static void access_both_ways(void)
{
	row(aclrtDeviceEnablePeerAccess(1, 0));
	row_of_access(0, 1);
	row_of_access(1, 0);
	need(aclrtSetDevice(1));
	row(aclrtDeviceEnablePeerAccess(0, 0));
	row_of_access(0, 1);
	row_of_access(1, 0);
	row(aclrtDeviceDisablePeerAccess(0));
	row_of_access(0, 1);
	row_of_access(0, 0);
	row_of_access(0, 63);
	row_of_access(64, 0);
}

static void access_enabled_twice(void)
{
	need(aclrtDeviceEnablePeerAccess(1, 0));
	row(aclrtDeviceEnablePeerAccess(1, 0));
	need(aclrtSetDevice(1));
	need(aclrtDeviceEnablePeerAccess(0, 0));
	need(aclrtSetDevice(0));
	row(aclrtDeviceDisablePeerAccess(1));
	row_of_access(0, 1);
	row(aclrtDeviceDisablePeerAccess(1));
	row_of_access(0, 1);
	row(aclrtDeviceDisablePeerAccess(1));
}

const struct row rows_states[] = {ROW(group_ends_that_give_no_handle), ROW(captures_ended_elsewhere),
	ROW(captures_ended_for_others), ROW(captures_gone_with_the_device), ROW(labels_gone),
	ROW(imports_of_no_key), ROW(schedulers_of_vector_cores), ROW(schedulers_are_of_device_0),
	ROW(bindings_over_a_reset), ROW(default_context_over_a_reset), ROW(current_context_gone),
	ROW(contexts_destroyed_twice), ROW(streams_that_cannot_be_bound), ROW(streams_bound_to_wrong_models),
	ROW(pools_as_they_are_made), ROW(pool_full_for_other_streams), ROW(pool_trimmed), ROW(keys_closed),
	ROW(configurations_that_differ), ROW(waits_beside_a_persistent_capture), ROW(streams_that_stay),
	ROW(streams_that_come_with_contexts), ROW(devices_set_again), ROW(streams_of_the_cpu),
	ROW(external_waits_after_records), ROW(memory_registered_after_pinning), ROW(lengths_of_buffers),
	ROW(chains_copied), ROW(chains_freed), ROW(buffers_appended_again), ROW(chains_joined),
	ROW(access_both_ways), ROW(access_enabled_twice), {NULL, NULL}};
