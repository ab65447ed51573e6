/* SPDX-License-Identifier: Apache-2.0 */
/* Values that an execution of a model reads to know how it goes on, and copies to them on other streams. */
#include "order_calls.h"
#include "two_streams.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define VALUE ((uint64_t *)(DEVICE_MEMORY + (1u << 20)))

static void copy_to(struct two_streams *x, void *value, void *on)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = value, .destMax = 8, .src = x->h, .count = 8,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = on);
}

/* A model with a condition whose body is empty; when: the address of its value is asked for. */
enum asked { NEVER, BEFORE, BEHIND };

static aclmdlRI model_with(struct two_streams *x, aclmdlRICondTaskType type, enum asked when)
{
	void *inner = fixture_stream(x->fixture, 4);
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI model = handle(20), body[1] = {handle(21)};
	aclmdlRICondHandle condition = handle(22);
	uint64_t *value = VALUE;

	CALL(x->fixture, aclmdlRICaptureBegin, 0, .stream = x->s, .mode = RELAXED);
	CALL(x->fixture, aclmdlRICaptureGetInfo, 0, .stream = x->s, .status = &status, .modelRI = &model);
	CALL(x->fixture, aclmdlRICondHandleCreate, 0, .modelRI = model, .defaultLaunchValue = 1,
		.flag = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, .handle = &condition);
	if (when == BEFORE)
		CALL(x->fixture, aclmdlRICondHandleGetCondPtr, 0, .handle = condition, .ptr = &value);
	CALL(x->fixture, aclmdlRIAddCondTask, 0,
		.params = {.handle = condition, .type = type, .size = 1, .modelRIArray = body},
		.stream = x->s);
	if (when == BEHIND)
		CALL(x->fixture, aclmdlRICondHandleGetCondPtr, 0, .handle = condition, .ptr = &value);
	CALL(x->fixture, aclmdlRICaptureToModelRIBegin, 0, .stream = inner, .modelRI = body[0],
		.mode = RELAXED);
	CALL(x->fixture, aclmdlRICaptureEnd, 0, .stream = inner, .modelRI = NULL);
	CALL(x->fixture, aclmdlRICaptureEnd, 0, .stream = x->s, .modelRI = &model);
	return model;
}

static void execute(struct two_streams *x, aclmdlRI model, void *on)
{
	CALL(x->fixture, aclmdlRIExecuteAsync, 0, .modelRI = model, .stream = on);
}

static void copied_behind_an_execution(void **state)
{
	(void)state;
	for (enum asked when = BEFORE; when <= BEHIND; when++) {
		struct two_streams x = two_streams();

		execute(&x, model_with(&x, ACL_MODEL_RI_COND_TYPE_IF, when), x.s);
		copy_to(&x, VALUE, x.t);
		want(x.fixture, "stream-race-copy:error");
		fixture_free(x.fixture);
	}
}

static void executed_behind_a_copy(void **state)
{
	struct two_streams x = two_streams();
	aclmdlRI m = model_with(&x, ACL_MODEL_RI_COND_TYPE_IF, BEFORE);

	(void)state;
	copy_to(&x, VALUE, x.t);
	execute(&x, m, x.s);
	want(x.fixture, "stream-race-copy:error");
	fixture_free(x.fixture);
}

static void in_order(void **state)
{
	struct two_streams x = two_streams();
	aclmdlRI m = model_with(&x, ACL_MODEL_RI_COND_TYPE_IF, BEFORE);

	(void)state;
	copy_to(&x, VALUE, x.t);
	join(x.fixture, x.event, x.t, x.s);
	execute(&x, m, x.s);
	join(x.fixture, x.event, x.s, x.t);
	copy_to(&x, VALUE, x.t);
	CALL(x.fixture, aclrtSynchronizeStream, 0, .stream = x.t);
	copy_to(&x, VALUE, x.s);
	silent(x.fixture);
	fixture_free(x.fixture);
}

/* A loop is ended by whoever writes the value. */
static void a_loop_may_be_ended(void **state)
{
	struct two_streams x = two_streams();

	(void)state;
	execute(&x, model_with(&x, ACL_MODEL_RI_COND_TYPE_WHILE, BEFORE), x.s);
	copy_to(&x, VALUE, x.t);
	silent(x.fixture);
	fixture_free(x.fixture);
}

/* The address may be any library's memory again. */
static void the_model_is_gone(void **state)
{
	struct two_streams x = two_streams();
	aclmdlRI m = model_with(&x, ACL_MODEL_RI_COND_TYPE_IF, BEFORE);

	(void)state;
	execute(&x, m, x.s);
	CALL(x.fixture, aclmdlRIDestroy, 0, .modelRI = m);
	copy_to(&x, VALUE, x.t);
	never(x.fixture, "stream-race-copy");
	fixture_free(x.fixture);
}

/* Beside the value, and no value that was asked for. */
static void other_memory(void **state)
{
	(void)state;
	for (enum asked when = NEVER; when <= BEFORE; when++) {
		struct two_streams x = two_streams();

		execute(&x, model_with(&x, ACL_MODEL_RI_COND_TYPE_IF, when), x.s);
		copy_to(&x, when ? VALUE + 8 : VALUE, x.t);
		silent(x.fixture);
		fixture_free(x.fixture);
	}
}

/* The model decides: of what it does nothing is certain, but what decides is read. */
static void compared_values_of_a_built_model(void **state)
{
	struct two_streams x = two_streams();
	void *b = handle(4), *to = handle(5);
	char *values = fixture_malloc(x.fixture, DEVICE_MEMORY + (2u << 20), 4096);
	aclmdlRI m = handle(30);

	(void)state;
	CALL(x.fixture, aclrtCreateStreamWithConfig, 0, .stream = &b, .flag = ACL_STREAM_PERSISTENT);
	CALL(x.fixture, aclrtCreateStreamWithConfig, 0, .stream = &to, .flag = ACL_STREAM_PERSISTENT);
	CALL(x.fixture, aclmdlRIBuildBegin, 0, .modelRI = &m);
	CALL(x.fixture, aclmdlRIBindStream, 0, .modelRI = m, .stream = b);
	CALL(x.fixture, aclmdlRIBindStream, 0, .modelRI = m, .stream = to,
		.flag = ACL_MODEL_STREAM_FLAG_DEFAULT);
	CALL(x.fixture, aclrtMemset, 0, .devPtr = values, .maxCount = 4096, .count = 4096);
	CALL(x.fixture, aclrtSwitchStream, 0, .leftValue = values, .cond = ACL_RT_EQUAL,
		.rightValue = values + 64, .trueStream = to, .stream = b);
	CALL(x.fixture, aclmdlRIEndTask, 0, .modelRI = m, .stream = b);
	CALL(x.fixture, aclmdlRIBuildEnd, 0, .modelRI = m);
	execute(&x, m, x.s);
	copy_to(&x, values + 64, x.t);
	want(x.fixture, "stream-race-copy:advice");
	fixture_free(x.fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copied_behind_an_execution),
		cmocka_unit_test(executed_behind_a_copy),
		cmocka_unit_test(in_order),
		cmocka_unit_test(a_loop_may_be_ended),
		cmocka_unit_test(the_model_is_gone),
		cmocka_unit_test(other_memory),
		cmocka_unit_test(compared_values_of_a_built_model),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("values that decide", tests, NULL, NULL);
}
