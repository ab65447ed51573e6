/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of captured models: each is an operation with all accesses of the model's tasks. */
#include "paired.h"

#define SIZE 4096
#define UP ACL_MEMCPY_HOST_TO_DEVICE
#define DOWN ACL_MEMCPY_DEVICE_TO_HOST
#define INSIDE ACL_MEMCPY_DEVICE_TO_DEVICE

static void copy_on(aclrtStream s, void *dst, const void *src, aclrtMemcpyKind kind)
{
	CALL(aclrtMemcpyAsync, .dst = dst, .destMax = SIZE, .src = src, .count = SIZE, .kind = kind,
		.stream = s);
}

static void set_on(aclrtStream s, void *dst)
{
	CALL(aclrtMemsetAsync, .devPtr = dst, .maxCount = SIZE, .count = SIZE, .stream = s);
}

static void *written_memory(void)
{
	void *d = make_device_memory(SIZE);

	CALL(aclrtMemset, .devPtr = d, .maxCount = SIZE, .count = SIZE);
	return d;
}

static void wait_for(aclrtStream s)
{
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void order(aclrtStream before, aclrtStream after)
{
	aclrtEvent e = make_event();

	CALL(aclrtRecordEvent, .event = e, .stream = before);
	CALL(aclrtStreamWaitEvent, .stream = after, .event = e);
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

static const struct pair pairs[] = {
	PAIR("stream-race-copy", input_of_a_model),
	PAIR_EACH("stream-race-copy", result_of_a_model, COPY_LINEAR, .mode = PAIR_IF_ASYNC),
	PAIR_EACH("stream-race-copy", result_of_a_model, COPY_ROWS, .mode = PAIR_IF_ASYNC),
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
};

PAIRS_MAIN("executions of models", pairs)
