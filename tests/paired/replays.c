/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of models: each is an operation with all accesses of the model's tasks, and ends before the next
 * one. */
#include "tasks.h"

static void *written_memory(void)
{
	void *d = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	return d;
}

static aclmdlRI model_that_copies(void *dst, const void *src, aclrtMemcpyKind kind)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	copy_on(s, dst, src, kind);
	return capture_end(s);
}

static aclmdlRI model_that_sets(void *d)
{
	aclrtStream s = make_stream();

	capture_begin(s);
	set_on(s, d);
	return capture_end(s);
}

static void execute(aclmdlRI model, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = model, .stream = s);
}

/* --- memory of another device -------------------------------------------------------------------------- */

/* The model reads it from there, and nothing but its execution does. */
static void device_of_its_memory_reset(void)
{
	aclrtStream s = make_stream();
	void *mine = written_memory(), *theirs;
	aclmdlRI model;

	CALL(aclrtSetDevice, .deviceId = 1);
	theirs = written_memory();
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	model = model_that_copies(mine, theirs, INSIDE);
	execute(model, s);
	if (!bug) {
		wait_for(s);
		CALL(aclmdlRIDestroy, .modelRI = model);
		CALL(aclrtFree, .devPtr = theirs);
	}
	CALL(aclrtResetDevice, .deviceId = 1);
	CALL(aclrtResetDevice, .deviceId = 0);
}

/* The same model, and access that it needs is taken back. */
static void access_to_its_memory_disabled(void)
{
	aclrtStream s = make_stream();
	void *mine = written_memory(), *theirs;
	aclmdlRI model;

	CALL(aclrtSetDevice, .deviceId = 1);
	theirs = written_memory();
	CALL(aclrtSetDevice, .deviceId = 0);
	CALL(aclrtDeviceEnablePeerAccess, .peerDeviceId = 1);
	model = model_that_copies(mine, theirs, INSIDE);
	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL(aclrtDeviceDisablePeerAccess, .peerDeviceId = 1);
	wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
	CALL(aclrtFree, .devPtr = theirs);
	CALL(aclrtResetDevice, .deviceId = 1);
	CALL(aclrtResetDevice, .deviceId = 0);
}

/* --- a copy, and a model behind it -------------------------------------------------------------------- */

/* The model reads what the other stream still writes. */
static void input_of_a_model(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	copy_on(first, in, h, UP);
	if (!bug)
		order(first, second);
	execute(model, second);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* The other stream sets what the model's last task reads: not the first access of the model. */
static void set_before_a_model(void)
{
	aclrtStream first = make_stream(), second = make_stream(), s;
	void *in[4], *out = written_memory();
	aclmdlRI model;

	for (unsigned i = 0; i < 4; i++)
		in[i] = written_memory();
	s = make_stream();
	capture_begin(s);
	for (unsigned i = 0; i < 4; i++)
		copy_on(s, out, in[i], INSIDE);
	model = capture_end(s);
	set_on(first, in[3]);
	if (!bug)
		wait_for(first);
	execute(model, second);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* Columns of one matrix of two rows: the spans overlap in both variants, the rows only with the bug. */
static void columns_before_a_model(void)
{
	aclrtStream first = make_stream(), second = make_stream(), s = make_stream();
	char *in = make_host_memory(SIZE), *matrix = written_memory();
	aclmdlRI model;

	capture_begin(s);
	CALL(aclrtMemcpy2dAsync, .dst = matrix, .dpitch = 512, .src = in, .spitch = 512, .width = 256,
		.height = 2, .kind = UP, .stream = s);
	model = capture_end(s);
	CALL(aclrtMemcpy2dAsync, .dst = matrix + (bug ? 192 : 256), .dpitch = 512, .src = in + 256,
		.spitch = 512, .width = 256, .height = 2, .kind = UP, .stream = first);
	execute(model, second);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* What the model's own stream gets then takes nothing away of what is known of the model. */
static void result_behind_the_models_stream(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory(),
	     *other = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);
	aclmdlRI before = model_that_sets(other);

	execute(before, second);
	execute(model, first);
	wait_for(second);
	copy_on(first, other, h, UP);
	if (!bug)
		wait_for(first);
	copy_on(second, h, out, DOWN);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
	CALL(aclmdlRIDestroy, .modelRI = before);
}

/* --- a model, and a task behind it --------------------------------------------------------------------- */

/* The result is fetched before it is there. */
static void result_of_a_model(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	execute(model, first);
	if (!bug)
		order(first, second);
	CALL_EACH(0, ROLE(DST, h), ROLE(LIMIT, SIZE), ROLE(SRC, out), ROLE(BYTES, SIZE), ROLE(KIND, DOWN),
		ROLE(DPITCH, SIZE), ROLE(SPITCH, SIZE), ROLE(WIDTH, SIZE), ROLE(HEIGHT, 1),
		ROLE(STREAM, second));
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* The stream has copied the same before: what it does again is looked at once more. */
static void input_replaced_again(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	for (unsigned i = 0; i < 3; i++) {
		copy_on(second, in, h, UP);
		order(second, first);
		execute(model, first);
		if (!bug)
			order(first, second);
	}
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static void set_behind_a_model(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	execute(model, first);
	if (!bug)
		order(first, second);
	set_on(second, in);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* Made when the model runs already. */
static void stream_made_later(void)
{
	aclrtStream first = make_stream(), second;
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	execute(model, first);
	second = make_stream();
	if (!bug)
		order(first, second);
	copy_on(second, h, out, DOWN);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* --- two models -------------------------------------------------------------------------------------------
 */

static void models_share_memory(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *a = written_memory(), *b = written_memory(), *d = written_memory();
	aclmdlRI one = model_that_copies(b, a, INSIDE), two = model_that_copies(d, b, INSIDE);

	execute(one, first);
	if (!bug)
		order(first, second);
	execute(two, second);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = one);
	CALL(aclmdlRIDestroy, .modelRI = two);
}

static void models_set_the_same(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	void *d = written_memory();
	aclmdlRI one = model_that_sets(d), two = model_that_sets(d);

	execute(one, first);
	execute(two, bug ? second : first);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = one);
	CALL(aclmdlRIDestroy, .modelRI = two);
}

/* --- the host ---------------------------------------------------------------------------------------------
 */

static void result_read_by_the_host(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model = model_that_copies(out, in, INSIDE);

	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL_EACH(0, ROLE(DST, h), ROLE(LIMIT, SIZE), ROLE(SRC, out), ROLE(BYTES, SIZE), ROLE(KIND, DOWN),
		ROLE(DPITCH, SIZE), ROLE(SPITCH, SIZE), ROLE(WIDTH, SIZE), ROLE(HEIGHT, 1));
	wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* The next input is written where the model still reads. */
static void input_set_by_the_host(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *d = written_memory();
	aclmdlRI model = model_that_copies(d, h, UP);

	execute(model, s);
	if (!bug)
		wait_for(s);
	set_on(s, h);
	wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* Scenarios of any model that sets memory. They return it. */
/* What the model waits for is recorded after its execution began. */
static void result_behind_an_external_event_read(void)
{
	aclrtStream capturing = make_stream(), s = make_stream(), t = make_stream();
	aclrtEvent e = make_event_flag(ACL_EVENT_EXTERNAL);
	void *d = written_memory();
	aclmdlRI m;

	capture_begin(capturing);
	CALL(aclrtStreamWaitEvent, .stream = capturing, .event = e);
	CALL(aclrtResetEvent, .event = e, .stream = capturing);
	set_on(capturing, d);
	m = capture_end(capturing);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = t);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpy, .dst = make_host_memory(SIZE), .destMax = SIZE, .src = d, .count = SIZE,
		.kind = DOWN);
	wait_for(s);
	wait_for(t);
}

/* The model copies its input, and waits only then. */
static void input_of_a_model_that_waits(void)
{
	aclrtStream capturing = make_stream(), s = make_stream(), t = make_stream();
	aclrtEvent e = make_event_flag(ACL_EVENT_EXTERNAL);
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI m;

	capture_begin(capturing);
	copy_on(capturing, out, in, INSIDE);
	CALL(aclrtStreamWaitEvent, .stream = capturing, .event = e);
	CALL(aclrtResetEvent, .event = e, .stream = capturing);
	set_on(capturing, out);
	m = capture_end(capturing);
	copy_on(t, in, h, UP);
	if (!bug)
		order(t, s);
	CALL(aclmdlRIExecuteAsync, .modelRI = m, .stream = s);
	CALL(aclrtRecordEvent, .event = e, .stream = t);
	wait_for(s);
	wait_for(t);
	CALL(aclmdlRIDestroy, .modelRI = m);
}

static aclmdlRI result_read(aclmdlRI (*make)(void *d))
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(SIZE), *d = written_memory();
	aclmdlRI model = make(d);

	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = d, .count = SIZE, .kind = DOWN);
	wait_for(s);
	return model;
}

static aclmdlRI set_behind(aclmdlRI (*make)(void *d))
{
	aclrtStream first = make_stream(), second = make_stream();
	void *d = written_memory();
	aclmdlRI model = make(d);

	execute(model, first);
	if (!bug)
		order(first, second);
	set_on(second, d);
	wait_for(first);
	wait_for(second);
	return model;
}

static aclmdlRI behind_a_copy(aclmdlRI (*make)(void *d))
{
	aclrtStream first = make_stream(), second = make_stream();
	void *h = make_host_memory(SIZE), *d = written_memory();
	aclmdlRI model = make(d);

	copy_on(first, h, d, DOWN);
	if (!bug)
		order(first, second);
	execute(model, second);
	wait_for(first);
	wait_for(second);
	return model;
}

/* --- models that are built --------------------------------------------------------------------------------
 */

static aclmdlRI built_model_that_sets(void *d)
{
	aclrtStream s = make_stream_flags(ACL_STREAM_PERSISTENT);
	aclmdlRI model = NULL;

	CALL_DOES(aclmdlRIBuildBegin, 0, model = make_address(), .modelRI = &model);
	CALL(aclmdlRIBindStream, .modelRI = model, .stream = s);
	set_on(s, d);
	CALL(aclmdlRIEndTask, .modelRI = model, .stream = s);
	CALL(aclmdlRIBuildEnd, .modelRI = model);
	return model;
}

static void memory_of_a_built_model_freed(void)
{
	aclrtStream s = make_stream();
	void *d = written_memory();
	aclmdlRI model = built_model_that_sets(d);

	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL(aclrtFree, .devPtr = d);
	wait_for(s);
}

/* Between two executions; the second one is the sync form. */
static void built_model_after_its_memory(void)
{
	aclrtStream s = make_stream();
	void *d = written_memory();
	aclmdlRI model = built_model_that_sets(d);

	execute(model, s);
	wait_for(s);
	if (bug)
		CALL(aclrtFree, .devPtr = d);
	CALL(aclmdlRIExecute, .modelRI = model, .timeout = 1000);
	if (!bug)
		CALL(aclrtFree, .devPtr = d);
}

static void built_model_after_its_mapping(void)
{
	char *range = two_mappings();
	aclrtStream s = make_stream();
	aclmdlRI model = built_model_that_sets(range);

	execute(model, s);
	wait_for(s);
	CALL(aclrtUnmapMem, .virPtr = range + (bug ? 0 : MIB2));
	execute(model, s);
	CALL_FAILS(bug ? 507899 : 0, aclrtSynchronizeStream, .stream = s);
}

static void built_model_after_its_pool_memory(void)
{
	const aclrtMemPoolProps props = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtStream s = make_stream();
	aclrtMemPool pool = NULL;
	aclmdlRI model;
	void *d = NULL;

	CALL_DOES(aclrtMemPoolCreate, 0, pool = make_address(), .memPool = &pool, .poolProps = &props);
	CALL_DOES(aclrtMemPoolMallocAsync, 0, d = make_range(SIZE, true), .ptr = &d, .size = SIZE,
		.memPool = pool, .stream = s);
	wait_for(s);
	model = built_model_that_sets(d);
	if (bug)
		CALL(aclrtMemPoolFreeAsync, .ptr = d, .stream = s);
	execute(model, s);
	wait_for(s);
	if (!bug)
		CALL(aclrtMemPoolFreeAsync, .ptr = d, .stream = s);
}

static void result_of_a_built_model_read(void)
{
	result_read(built_model_that_sets);
}

static void set_behind_a_built_model(void)
{
	set_behind(built_model_that_sets);
}

static void built_model_behind_a_copy(void)
{
	behind_a_copy(built_model_that_sets);
}

/* --- models of conditions ---------------------------------------------------------------------------------
 */

/* A model with a body that sets memory, where its condition's first value is 1. */
static aclmdlRI model_with_a_body(void *d)
{
	aclrtStream s = make_stream(), inner = make_stream();
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI model = NULL, body[1] = {NULL}, out = NULL;
	aclmdlRICondHandle handle = NULL;

	capture_begin(s);
	CALL_DOES(aclmdlRICaptureGetInfo, 0, model = make_address(), .stream = s, .status = &status,
		.modelRI = &model);
	CALL_DOES(aclmdlRICondHandleCreate, 0, handle = make_address(), .modelRI = model,
		.defaultLaunchValue = 1, .flag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, .handle = &handle);
	CALL_DOES(aclmdlRIAddCondTask, 0, body[0] = make_address(),
		.params = {.handle = handle,
			.type = ACL_MODEL_RI_COND_TYPE_IF,
			.size = 1,
			.modelRIArray = body},
		.stream = s);
	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = body[0],
		.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	set_on(inner, d);
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = model, .stream = s, .modelRI = &out);
	return model;
}

static void set_behind_a_body(void)
{
	CALL(aclmdlRIDestroy, .modelRI = set_behind(model_with_a_body));
}

static void body_behind_a_copy(void)
{
	CALL(aclmdlRIDestroy, .modelRI = behind_a_copy(model_with_a_body));
}

static void result_of_a_body_read(void)
{
	CALL(aclmdlRIDestroy, .modelRI = result_read(model_with_a_body));
}

/* --- the model itself -------------------------------------------------------------------------------------
 */

static void executed_twice_at_once(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	aclmdlRI model = model_that_sets(make_device_memory(SIZE));

	execute(model, first);
	if (!bug)
		order(first, second);
	execute(model, second);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

static void destroyed_while_it_runs(void)
{
	aclrtStream s = make_stream();
	aclmdlRI model = model_that_sets(make_device_memory(SIZE));

	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

/* Longer than the runtime waits. */
static void destroyed_while_it_runs_long(void)
{
	aclrtStream s = make_stream();
	aclmdlRI model = model_that_sets(make_device_memory(SIZE));

	execute(model, s);
	if (!bug)
		wait_for(s);
	CALL_FAILS(bug ? 107037 : 0, aclmdlRIDestroy, .modelRI = model);
	wait_for(s);
}

static void launch(aclrtStream s)
{
	CALL(aclrtLaunchKernel, .funcHandle = HANDLE, .numBlocks = 1, .argsData = DEVICE, .argsSize = 8,
		.stream = s);
}

static void executed_before_the_update(void)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtTaskGrp group = NULL;
	aclmdlRI model;

	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	launch(s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, group = make_address(), .stream = s, .handle = &group);
	model = capture_end(s);
	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = u, .handle = group);
	launch(u);
	CALL(aclmdlRICaptureTaskUpdateEnd, .stream = u);
	if (!bug)
		order(u, s);
	execute(model, s);
	wait_for(u);
	wait_for(s);
}

/* Its kernels are launched below us, as operator libraries do: only the begin and the end are seen. */
static void executed_before_an_unseen_update(void)
{
	aclrtStream s = make_stream(), u = make_stream();
	aclrtTaskGrp group = NULL;
	aclmdlRI model;

	capture_begin(s);
	CALL(aclmdlRICaptureTaskGrpBegin, .stream = s);
	CALL_DOES(aclmdlRICaptureTaskGrpEnd, 0, group = make_address(), .stream = s, .handle = &group);
	model = capture_end(s);
	execute(model, s);
	wait_for(s);
	CALL(aclmdlRICaptureTaskUpdateBegin, .stream = u, .handle = group);
	CALL(aclmdlRICaptureTaskUpdateEnd, .stream = u);
	if (!bug)
		order(u, s);
	execute(model, s);
	wait_for(u);
	wait_for(s);
}

/* --- what informs the host while a model runs ---------------------------------------------------------- */

static void result_behind_a_callback_read(void)
{
	aclrtStream s = make_stream(), captured = make_stream();
	void *h = make_host_memory(SIZE), *in = written_memory(), *out = written_memory();
	aclmdlRI model;

	capture_begin(captured);
	copy_on(captured, out, in, INSIDE);
	if (!bug)
		CALL(aclrtLaunchHostFunc, .stream = captured, .fn = HANDLE);
	model = capture_end(captured);
	execute(model, s);
	/* Here the program may wait until it is informed. */
	if (!bug)
		pair_launched_begins();
	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = out, .count = SIZE, .kind = DOWN);
	wait_for(s);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* --- models whose tasks go over two mappings ----------------------------------------------------------- */

static aclmdlRI model_over(char *range)
{
	return model_that_copies(range + MIB2 - SIZE / 2, make_host_memory(SIZE), UP);
}

static void set_behind_the_second_mapping(void)
{
	aclrtStream first = make_stream(), second = make_stream();
	char *range = two_mappings();
	aclmdlRI model = model_over(range);

	execute(model, first);
	if (!bug)
		order(first, second);
	set_on(second, range + MIB2);
	wait_for(first);
	wait_for(second);
	CALL(aclmdlRIDestroy, .modelRI = model);
}

/* The call reads from one mapping into the next, where a task writes. */
static void second_mapping_read_by_the_host(void)
{
	void *h = make_host_memory(SIZE), *in = make_host_memory(SIZE);
	char *range = two_mappings();
	aclrtStream s = make_stream();

	copy_on(s, range + MIB2 + (bug ? 0 : SIZE / 2), in, UP);
	CALL(aclrtMemcpy, .dst = h, .destMax = SIZE, .src = range + MIB2 - SIZE / 2, .count = SIZE,
		.kind = DOWN);
	wait_for(s);
}

static void second_mapping_of_a_model_unmapped(void)
{
	char *range = two_mappings();
	aclmdlRI model = model_over(range);

	if (!bug)
		CALL(aclmdlRIDestroy, .modelRI = model);
	CALL(aclrtUnmapMem, .virPtr = range + MIB2);
	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = model);
}

static const struct pair pairs[] = {
	PAIR("stream-race-set", set_behind_the_second_mapping),
	PAIR_AVOIDS("async-result-used-before-sync", second_mapping_read_by_the_host),
	PAIR("capture-resource-freed-before-destroy", second_mapping_of_a_model_unmapped),
	PAIR("stream-race-copy", input_of_a_model),
	PAIR_EACH("stream-race-copy", result_of_a_model, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", result_of_a_model, COPY_ROWS, .mode = PAIR_IF_ASYNC),
	PAIR("stream-race-copy", result_behind_the_models_stream),
	PAIR("stream-race-copy", input_replaced_again),
	PAIR("stream-race-copy", stream_made_later),
	PAIR("stream-race-copy", models_share_memory),
	PAIR("stream-race-set", set_before_a_model),
	PAIR("stream-race-copy", columns_before_a_model),
	PAIR("stream-race-set", set_behind_a_model),
	PAIR_AVOIDS("stream-race-set", models_set_the_same),
	PAIR_EACH("async-result-used-before-sync", result_read_by_the_host, COPY_LINEAR,
		.mode = PAIR_IF_NOT_ASYNC),
	PAIR("memset-async-host-unordered", input_set_by_the_host),
	PAIR("async-result-used-before-sync", result_behind_an_external_event_read),
	PAIR("stream-race-copy", input_of_a_model_that_waits),
	PAIR("async-result-used-before-sync", result_behind_a_callback_read),
	PAIR("free-in-flight", memory_of_a_built_model_freed),
	PAIR("use-after-free", built_model_after_its_memory),
	PAIR_AVOIDS("vmm-use-unmapped", built_model_after_its_mapping),
	PAIR_AVOIDS("pool-use-after-async-free", built_model_after_its_pool_memory),
	PAIR("async-result-used-before-sync", result_of_a_built_model_read),
	PAIR("stream-race-set", set_behind_a_built_model),
	PAIR("stream-race-set", built_model_behind_a_copy),
	PAIR("stream-race-set", set_behind_a_body),
	PAIR("stream-race-set", body_behind_a_copy),
	PAIR("async-result-used-before-sync", result_of_a_body_read),
	PAIR("peer-disable-not-enabled", access_to_its_memory_disabled),
	PAIR_ALSO("peer-device-reset-in-use", device_of_its_memory_reset, "leak-device-memory"),
	PAIR("mdlri-concurrent-execute", executed_twice_at_once),
	PAIR("mdlri-destroy-running", destroyed_while_it_runs),
	PAIR("mdlri-destroy-running", destroyed_while_it_runs_long),
	PAIR("taskupd-not-ordered", executed_before_the_update),
	PAIR("taskupd-not-ordered", executed_before_an_unseen_update),
};

PAIRS_MAIN("executions of models", pairs)
