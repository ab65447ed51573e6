/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of the rules about the values of conditions. */
#include "paired.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

struct condition {
	aclmdlRI model;
	aclmdlRICondHandle handle;
	uint64_t *value;
};

/* A model with a condition whose body is empty; between creation and task the address is queried. */
static struct condition condition_on(aclrtStream s, aclmdlRICondHandleFlag flag, bool address)
{
	aclrtStream inner = make_stream();
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
	aclmdlRI body[1] = {NULL}, out = NULL;
	struct condition c = {NULL, NULL, NULL};

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = RELAXED);
	CALL_DOES(aclmdlRICaptureGetInfo, 0, c.model = make_address(), .stream = s, .status = &status,
		.modelRI = &c.model);
	CALL_DOES(aclmdlRICondHandleCreate, 0, c.handle = make_address(), .modelRI = c.model,
		.defaultLaunchValue = 1, .flag = flag, .handle = &c.handle);
	if (address)
		CALL_DOES(aclmdlRICondHandleGetCondPtr, 0, c.value = make_range(64, true), .handle = c.handle,
			.ptr = &c.value);
	CALL_DOES(aclmdlRIAddCondTask, 0, body[0] = make_address(),
		.params = {.handle = c.handle,
			.type = ACL_MODEL_RI_COND_TYPE_IF,
			.size = 1,
			.modelRIArray = body},
		.stream = s);
	CALL(aclmdlRICaptureToModelRIBegin, .stream = inner, .modelRI = body[0], .mode = RELAXED);
	CALL(aclmdlRICaptureEnd, .stream = inner, .modelRI = NULL);
	CALL_DOES(aclmdlRICaptureEnd, 0, out = c.model, .stream = s, .modelRI = &out);
	return c;
}

static void execute(struct condition c, aclrtStream s)
{
	CALL(aclmdlRIExecuteAsync, .modelRI = c.model, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void value_freed(void)
{
	struct condition c = condition_on(make_stream(), ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, true);
	void *own = make_device_memory(64);

	CALL_EACH(bug ? 107000 : 0, ROLE(ADDRESS, bug ? c.value : own));
}

static void value_set_late(void)
{
	aclrtStream s = make_stream();
	struct condition c = condition_on(s, (aclmdlRICondHandleFlag)0, true);

	if (!bug)
		CALL_EACH(0, ROLE(DST, c.value), ROLE(LIMIT, 8), ROLE(BYTES, 8), ROLE(STREAM, s));
	execute(c, s);
	CALL(aclmdlRIDestroy, .modelRI = c.model);
	if (bug)
		CALL_EACH(107000, ROLE(DST, c.value), ROLE(LIMIT, 8), ROLE(BYTES, 8), ROLE(STREAM, s));
}

static void value_copied_whole(void)
{
	aclrtStream s = make_stream();
	struct condition c = condition_on(s, (aclmdlRICondHandleFlag)0, true);
	void *host = make_host_memory(64);

	CALL(aclrtMemset, .devPtr = host, .maxCount = 64, .count = 64);
	CALL_EACH(0, ROLE(DST, c.value), ROLE(LIMIT, bug ? 64 : 8), ROLE(SRC, host),
		ROLE(BYTES, bug ? 64 : 8), ROLE(KIND, ACL_MEMCPY_HOST_TO_DEVICE), ROLE(STREAM, s));
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void value_read_late(void)
{
	aclrtStream s = make_stream();
	struct condition c = condition_on(s, (aclmdlRICondHandleFlag)0, true);
	void *host = make_host_memory(64);

	if (bug)
		CALL(aclmdlRIDestroy, .modelRI = c.model);
	CALL_EACH(bug ? 107000 : 0, ROLE(DST, host), ROLE(LIMIT, 8), ROLE(SRC, c.value), ROLE(BYTES, 8),
		ROLE(KIND, ACL_MEMCPY_DEVICE_TO_HOST), ROLE(STREAM, s));
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* The execution reads it, on another stream. */
static void value_copied_meanwhile(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	struct condition c = condition_on(s, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, true);
	void *host = make_host_memory(64);

	CALL(aclrtMemset, .devPtr = host, .maxCount = 64, .count = 64);
	CALL(aclmdlRIExecuteAsync, .modelRI = c.model, .stream = s);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtMemcpyAsync, .dst = c.value, .destMax = 8, .src = host, .count = 8,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = other);
	CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtSynchronizeStream, .stream = other);
}

static void value_never_set(void)
{
	aclrtStream s = make_stream();

	execute(condition_on(
			s, bug ? (aclmdlRICondHandleFlag)0 : ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, false),
		s);
	/* Who has the address may write it in ways that are not seen. */
	execute(condition_on(s, (aclmdlRICondHandleFlag)0, true), s);
}

static const struct pair pairs[] = {
	PAIR_EACH("cond-ptr-after-destroy", value_freed, FREE_DEVICE),
	PAIR_EACH("cond-ptr-after-destroy", value_set_late, SET_BYTES),
	PAIR_EACH("cond-ptr-after-destroy", value_copied_whole, COPY_LINEAR),
	PAIR_EACH("cond-ptr-after-destroy", value_read_late, COPY_LINEAR),
	PAIR("cond-value-not-initialised", value_never_set),
	PAIR("stream-race-copy", value_copied_meanwhile),
};

PAIRS_MAIN("condition rules", pairs)
