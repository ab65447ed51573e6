/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events that are not as most are: hooks about models are called for these alone, and for all of
 * them. */
#include "fixture.h"
#include "scenario.h"

#include "checks/engine/instance.h"

static bool is_special(const struct scenario *sc, unsigned kind, const void *value)
{
	struct acl_object *o = object_live(sc->fixture->checks, kind, value);

	assert_non_null(o);
	return load_relaxed(&o->flags) & ACL_OBJECT_SPECIAL;
}

#define STREAM_IS(sc, stream, expected)                                                                      \
	assert_int_equal(is_special(&(sc), ACL_HANDLE_STREAM, stream), expected)
#define EVENT_IS(sc, event, expected) assert_int_equal(is_special(&(sc), ACL_HANDLE_EVENT, event), expected)

static aclmdlRI end(struct scenario *sc, unsigned n)
{
	aclmdlRI model = handle(n);

	CALL(sc->fixture, aclmdlRICaptureEnd, 0, .stream = sc->s, .modelRI = &model);
	return model;
}

/* From its beginning, or from the wait that takes a stream into it, until its end. */
static void in_a_capture(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2), *fork = fixture_event(sc.fixture, 3, ACL_EVENT_SYNC),
	     *join = fixture_event(sc.fixture, 4, ACL_EVENT_SYNC);

	(void)state;
	RECORD(sc, fork, sc.s);
	STREAM_IS(sc, sc.s, false);
	BEGIN(sc, RELAXED);
	STREAM_IS(sc, sc.s, true);
	EVENT_IS(sc, fork, false);
	RECORD(sc, fork, sc.s);
	EVENT_IS(sc, fork, true);
	STREAM_IS(sc, other, false);
	WAIT(sc, other, fork);
	STREAM_IS(sc, other, true);
	RECORD(sc, join, other);
	WAIT(sc, sc.s, join);
	end(&sc, 5);
	STREAM_IS(sc, sc.s, false);
	STREAM_IS(sc, other, false);
	/* Their latest records are tasks of the model, until they are recorded outside. */
	EVENT_IS(sc, fork, true);
	RECORD(sc, fork, other);
	EVENT_IS(sc, fork, false);
	EVENT_IS(sc, join, true);
	WAIT(sc, other, join);
	want(sc.fixture, "capture-event-used-outside-graph:warning");
	fixture_free(sc.fixture);
}

/* A begin that failed for an unknown reason: it may be captured. */
static void perhaps_in_a_capture(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);

	(void)state;
	CALL(sc.fixture, aclmdlRICaptureBegin, -1, .stream = sc.s, .mode = RELAXED);
	STREAM_IS(sc, sc.s, true);
	BEGIN(sc, RELAXED);
	end(&sc, 2);
	STREAM_IS(sc, sc.s, false);
	fixture_free(sc.fixture);
}

static void updating_a_model(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *other = fixture_stream(sc.fixture, 2);
	aclrtTaskGrp group = handle(3);

	(void)state;
	BEGIN(sc, RELAXED);
	CALL(sc.fixture, aclmdlRICaptureTaskGrpBegin, 0, .stream = sc.s);
	CALL(sc.fixture, aclmdlRICaptureTaskGrpEnd, 0, .stream = sc.s, .handle = &group);
	end(&sc, 4);
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = other, .handle = group);
	STREAM_IS(sc, other, true);
	COPY(sc, sc.d, sc.h, sc.bytes, HOST_TO_DEVICE, other);
	want(sc.fixture, "taskupd-wrong-task-type:error");
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateEnd, 0, .stream = other);
	STREAM_IS(sc, other, false);
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateBegin, 0, .stream = other, .handle = group);
	CALL(sc.fixture, aclmdlRICaptureTaskUpdateEnd, -1, .stream = other);
	STREAM_IS(sc, other, true);
	fixture_free(sc.fixture);
}

static void bound_to_a_model(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclmdlRI model = handle(2);

	(void)state;
	CALL(sc.fixture, aclmdlRIBuildBegin, 0, .modelRI = &model);
	CALL(sc.fixture, aclmdlRIBindStream, 0, .modelRI = model, .stream = sc.s);
	STREAM_IS(sc, sc.s, true);
	fixture_free(sc.fixture);
}

/* Its handle names the default stream as NULL does. */
static void the_default_stream(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	aclrtStream stream = handle(2);

	(void)state;
	CALL(sc.fixture, aclrtCtxGetCurrentDefaultStream, 0, .stream = &stream);
	STREAM_IS(sc, stream, true);
	fixture_free(sc.fixture);
}

/* The first flag of a record stays for the life of the event. */
static void used_with_a_flag(void **state)
{
	struct scenario sc = scenario(DOCUMENTS, SIZE);
	void *e = fixture_event(sc.fixture, 2, ACL_EVENT_SYNC);

	(void)state;
	CALL(sc.fixture, aclrtRecordEventWithFlag, 0, .event = e, .stream = sc.s,
		.flag = ACL_EVENT_RECORD_DEFAULT);
	EVENT_IS(sc, e, true);
	fixture_free(sc.fixture);
}

/* What is called for others is called for special ones as well, in the same order. */
static void lists_of_others_are_part(void **state)
{
	struct fixture *f = fixture_with_all_hooks();

	(void)state;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct call_plan *plan = plan_of(f->checks, api);
		const check_hook_fn *all = plan->hooks[true].enter->hooks,
				    *hook = plan->hooks[false].enter->hooks;

		for (; *hook; hook++, all++) {
			while (*all && *all != *hook)
				all++;
			assert_ptr_equal(*all, *hook);
		}
	}
	fixture_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_a_capture),
		cmocka_unit_test(perhaps_in_a_capture),
		cmocka_unit_test(updating_a_model),
		cmocka_unit_test(bound_to_a_model),
		cmocka_unit_test(the_default_stream),
		cmocka_unit_test(used_with_a_flag),
		cmocka_unit_test(lists_of_others_are_part),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("special streams and events", tests, NULL, NULL);
}
