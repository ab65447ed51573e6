/* SPDX-License-Identifier: Apache-2.0 */
/* Captures, models, labels. */
#include "order.h"

/* --- captures ------------------------------------------------------------------------------ */

static aclmdlRI model;

static void capturing_apart(void)
{
	aclmdlRICaptureMode mode = RELAXED;
	aclmdlRI m;

	IS(aclmdlRICaptureThreadExchangeMode(&mode), 107002);
	mode = (aclmdlRICaptureMode)9;
	IS(aclmdlRICaptureThreadExchangeMode(&mode), 107000);
	IS(aclmdlRICaptureBegin(s, RELAXED), 107002);
	IS(aclmdlRICaptureBegin(cpu_schedule, RELAXED), 507000);
	IS(aclmdlRICaptureBegin(device_only, RELAXED), 507000);
	IS(aclmdlRICaptureBegin(cpu_schedule, (aclmdlRICaptureMode)9), 107000);
	IS(aclmdlRICaptureEnd(s, &m), 107002);
	IS(aclmdlRICaptureEnd(s, NULL), V(107002, 100000));
	IS(aclmdlRICaptureEnd(captured, NULL), V(107000, 100000));
	IS(aclmdlRICaptureEnd(captured, &m), 107002);
	IS(aclmdlRICaptureEnd(cpu_schedule, &m), 507000);
	IS(aclmdlRICaptureToModelRIBegin(cpu_schedule, model, RELAXED), 507000);
	IS(aclmdlRICaptureToModelRIBegin(s, model, RELAXED), 107000);
}

static void capturing(void)
{
	aclrtStream usual;
	aclmdlRI m;

	setup();
	model = capture_copy(s);
	begin_capture();
	without_context(capturing_apart);
	OK(aclrtCtxGetCurrentDefaultStream(&usual));
	IS(aclmdlRICaptureBegin(foreign, RELAXED), 107003);
	IS(aclmdlRICaptureBegin(bound, RELAXED), 107005);
	IS(aclmdlRICaptureEnd(s, NULL), V(107029, 100000));
	IS(aclmdlRICaptureEnd(usual, NULL), V(207000, 100000));
	IS(aclmdlRICaptureEnd(foreign, &m), 107003);
	IS(aclmdlRICaptureEnd(foreign, NULL), V(107003, 100000));
	IS(aclmdlRICaptureEnd(bound, &m), 107005);
	IS(aclmdlRICaptureEnd(device_only, &m), 507000);
	IS(aclmdlRICaptureToModelRIBegin(foreign, model, RELAXED), 107000);
	IS(aclmdlRICaptureToModelRIBegin(cpu_schedule, model, RELAXED), 507000);
	end_capture();
}

static aclrtTaskGrp empty_group;

static void groups_apart(void)
{
	aclrtTaskGrp g;

	IS(aclmdlRICaptureTaskGrpBegin(s), 107029);
	IS(aclmdlRICaptureTaskGrpBegin(captured), 107002);
	IS(aclmdlRICaptureTaskGrpEnd(s, &g), 107029);
	IS(aclmdlRICaptureTaskGrpEnd(captured, &g), 107002);
	IS(aclmdlRICaptureTaskUpdateBegin(captured, empty_group), 107027);
	IS(aclmdlRICaptureTaskUpdateBegin(bound, empty_group), 107005);
	IS(aclmdlRICaptureTaskUpdateBegin(s, empty_group), 107002);
	IS(aclmdlRICaptureTaskUpdateEnd(captured), 107027);
	IS(aclmdlRICaptureTaskUpdateEnd(bound), 107005);
	IS(aclmdlRICaptureTaskUpdateEnd(s), 107002);
}

static void groups(void)
{
	aclrtTaskGrp g;
	aclmdlRI m;

	setup();
	begin_capture();
	OK(aclmdlRICaptureTaskGrpBegin(captured));
	OK(aclmdlRICaptureTaskGrpEnd(captured, &empty_group));
	m = end_capture();
	begin_capture();
	without_context(groups_apart);
	IS(aclmdlRICaptureTaskGrpBegin(foreign), 107029);
	IS(aclmdlRICaptureTaskUpdateBegin(foreign, empty_group), 107003);
	IS(aclmdlRICaptureTaskUpdateBegin(bound, empty_group), 107005);
	IS(aclmdlRICaptureTaskUpdateEnd(bound), 107005);
	IS(aclmdlRICaptureTaskUpdateEnd(s), 107033);
	OK(aclmdlRICaptureTaskGrpBegin(captured));
	IS(aclmdlRICaptureTaskGrpBegin(captured), 107033);
	OK(aclmdlRICaptureTaskGrpEnd(captured, &g));
	IS(aclmdlRICaptureTaskGrpEnd(captured, &g), 107033);
	end_capture();
	OK(aclmdlRICaptureTaskUpdateBegin(s, empty_group));
	IS(aclmdlRICaptureTaskUpdateBegin(s, empty_group), 107033);
	IS(aclmdlRICaptureTaskUpdateBegin(captured, empty_group), 107033);
	OK(aclmdlRICaptureTaskUpdateEnd(s));
	IS(aclmdlRICaptureTaskUpdateEnd(s), 107033);
	OK(aclmdlRIDestroy(m));
}

/* Each stream of a capture has a group of its own. */
static void groups_of_two_streams(void)
{
	aclrtEvent e;
	aclrtTaskGrp g;
	aclmdlRI m;

	setup();
	begin_capture();
	e = event_ex(ACL_EVENT_SYNC);
	OK(aclrtRecordEvent(e, captured));
	OK(aclrtStreamWaitEvent(s, e));
	OK(aclmdlRICaptureTaskGrpBegin(captured));
	IS(aclmdlRICaptureTaskGrpEnd(s, &g), 107033);
	IS(aclmdlRICaptureEnd(captured, &m), 107033);
	begin_capture();
	IS(aclmdlRICaptureTaskGrpBegin(captured), 107033); /* a stream keeps its group over the end */
	IS(aclmdlRICaptureTaskGrpEnd(captured, &g), 507000);
	end_capture();
	OK(aclmdlRICaptureBegin(s, RELAXED));
	OK(aclmdlRICaptureTaskGrpBegin(s));
	OK(aclmdlRICaptureTaskGrpEnd(s, &g));
	OK(aclmdlRICaptureEnd(s, &m));
}

static aclmdlRICondHandle condition;
static aclmdlRI body;

static void body_apart(void)
{
	IS(aclmdlRIDestroy(body), 207000);
	IS(aclmdlRIAbort(body), 207000);
	IS(aclmdlRIExecuteAsync(body, s), 207000);
	IS(aclmdlRIExecute(body, 5), 107000);
}

static void conditions_apart(void)
{
	aclmdlRI bodies[1];
	aclmdlRICondTaskParams task = {
		.handle = condition, .type = ACL_MODEL_RI_COND_TYPE_IF, .modelRIArray = bodies, .size = 1};
	uint64_t *word;

	IS(aclmdlRICondHandleGetCondPtr(condition, &word), 107002);
	IS(aclmdlRIAddCondTask(task, captured, 0), 107002);
	task.type = (aclmdlRICondTaskType)9;
	IS(aclmdlRIAddCondTask(task, captured, 0), 107000);
	task.type = ACL_MODEL_RI_COND_TYPE_IF;
	task.size = 0;
	IS(aclmdlRIAddCondTask(task, captured, 0), 107000);
	IS(aclmdlRICondHandleCreate(building, 0, 0, &condition), 207000);
	IS(aclmdlRICondHandleCreate(building, 0, (aclmdlRICondHandleFlag)9, &condition), 107000);
}

static void conditions(void)
{
	aclmdlRI m = NULL, bodies[1], again[1];
	aclmdlRICondTaskParams task = {.type = ACL_MODEL_RI_COND_TYPE_IF, .modelRIArray = bodies, .size = 1};
	aclmdlRICondHandle unused;

	if (V(0, 1))
		tap_skip("the older release has none");
	setup();
	model = capture_copy(s);
	begin_capture();
	OK(aclmdlRICaptureGetInfo(captured, NULL, &m));
	OK(aclmdlRICondHandleCreate(m, 1, 0, &condition));
	without_context(conditions_apart);
	IS(aclmdlRICondHandleCreate(model, 0, 0, &unused), 107000);
	IS(aclmdlRICondHandleCreate(building, 0, 0, &unused), 207000);
	task.handle = condition;
	IS(aclmdlRIAddCondTask(task, s, 0), 107029);
	IS(aclmdlRIAddCondTask(task, foreign, 0), 107003);
	task.size = 3;
	IS(aclmdlRIAddCondTask(task, captured, 0), 107000);
	task.size = 1;
	OK(aclmdlRIAddCondTask(task, captured, 0));
	task.modelRIArray = again;
	IS(aclmdlRIAddCondTask(task, s, 0), 107000);
	IS(aclmdlRIExecuteAsync(bodies[0], s), 207000);
	IS(aclmdlRIExecuteAsync(bodies[0], captured), 107027);
	IS(aclmdlRIDestroy(bodies[0]), 207000);
	body = bodies[0];
	without_context(body_apart);
	IS(aclmdlRICaptureEnd(captured, &m), 107045);
}

/* --- models that are built ------------------------------------------------------------------ */

static void building_apart(void)
{
	aclmdlRI m;

	IS(aclmdlRIBuildBegin(&m, 0), 107002);
	IS(aclmdlRIBindStream(building, persistent, 7), 107000);
	IS(aclmdlRIBindStream(building, s, 0), 107000);
	IS(aclmdlRIBindStream(building, bound, 0), 107002);
	IS(aclmdlRIBindStream(model, persistent, 0), 107000);
	IS(aclmdlRIBindStream(building, persistent, 0), 107002);
	IS(aclmdlRIEndTask(building, captured), 107027);
	IS(aclmdlRIEndTask(model, captured), 107000);
	IS(aclmdlRIEndTask(building, bound), 107002);
	IS(aclmdlRIUnbindStream(building, captured), 107027);
	IS(aclmdlRIUnbindStream(model, captured), 107000);
	IS(aclmdlRIUnbindStream(building, bound), 107002);
	IS(aclmdlRIBuildEnd(building, NULL), 107002);
	IS(aclmdlRIBuildEnd(model, NULL), 107000);
	IS(aclmdlRIExecuteAsync(building, bound), 107000);
	IS(aclmdlRIExecuteAsync(building, captured), 107027);
	IS(aclmdlRIExecuteAsync(building, persistent), 107000);
	IS(aclmdlRIExecuteAsync(building, s), 107002);
	IS(aclmdlRIExecute(building, 5), 107002);
	IS(aclmdlRIExecute(model, 5), 107000);
	IS(aclmdlRIAbort(building), 107002);
	IS(aclmdlRIDestroy(building), 107002);
	IS(aclmdlRISetName(building, "name"), 107002);
}

static void building_order(void)
{
	aclmdlRI mine;
	aclrtContext other;
	uint32_t id;

	setup();
	model = capture_copy(s);
	begin_capture();
	without_context(building_apart);
	OK(aclmdlRICaptureGetInfo(captured, NULL, &mine));
	IS(aclmdlRIExecuteAsync(mine, captured), 107027);
	IS(aclmdlRIExecuteAsync(mine, s), 107026);
	IS(aclmdlRIExecuteAsync(mine, bound), 107000);
	IS(aclmdlRIBindStream(mine, bound, 0), 107000);
	IS(aclmdlRIBindStream(building, captured, 0), 107027);
	IS(aclmdlRIExecuteAsync(building, s), 507011);
	IS(aclmdlRIExecute(building, 5), 507011);
	IS(aclmdlRIEndTask(building, captured), 107027);
	IS(aclmdlRIEndTask(model, captured), 107000);
	OK(aclrtCreateContext(&other, 0));
	IS(aclmdlRIBindStream(building, persistent, 0), 107004);
	IS(aclmdlRIEndTask(building, bound), 107003);
	IS(aclmdlRIEndTask(building, foreign), 107003);
	IS(aclmdlRIUnbindStream(building, bound), 107004);
	IS(aclmdlRIBuildEnd(building, NULL), 107004);
	IS(aclmdlRIExecuteAsync(building, s), 107004);
	IS(aclmdlRIExecute(building, 5), 107004);
	IS(aclmdlRISetName(building, "name"), 107004);
	OK(aclmdlRIGetId(building, &id));
}

static void building_to_the_end(void)
{
	aclrtStream more;
	aclmdlRI m;

	setup();
	more = stream_with(ACL_STREAM_PERSISTENT);
	OK(aclmdlRIBuildBegin(&m, 0));
	IS(aclmdlRIBuildEnd(m, NULL), 107005);
	IS(aclmdlRIBuildEnd(building, NULL), 507011);
	IS(aclmdlRIEndTask(m, bound), 507000);
	IS(aclmdlRIEndTask(building, persistent), 507000);
	IS(aclmdlRIUnbindStream(m, bound), 107005);
	OK(aclmdlRIEndTask(building, bound));
	OK(aclmdlRIEndTask(building, bound));
	OK(aclmdlRIBuildEnd(building, NULL));
	OK(aclmdlRIBuildEnd(building, NULL));
	OK(aclmdlRIEndTask(building, bound));
	OK(aclmdlRIBindStream(building, more, ACL_MODEL_STREAM_FLAG_DEFAULT));
	IS(aclmdlRIBindStream(building, more, ACL_MODEL_STREAM_FLAG_DEFAULT), 107005);
	OK(aclmdlRIUnbindStream(building, more));
	IS(aclmdlRIUnbindStream(building, more), 107005);
}

/* --- streams of a model that start others ---------------------------------------------------- */

static void starting_apart(void)
{
	const aclrtCompareDataType type = ACL_RT_SWITCH_INT32;

	IS(aclrtActiveStream(bound, bound), 107002);
	IS(aclrtActiveStream(s, bound), 107002);
	IS(aclrtSwitchStream(dev, ACL_RT_EQUAL, dev2, type, s, NULL, bound), 107005);
	IS(aclrtSwitchStream(dev, ACL_RT_EQUAL, dev2, type, bound, NULL, s), 107005);
	IS(aclrtSwitchStream(dev, ACL_RT_EQUAL, dev2, type, bound, NULL, bound), 107002);
	IS(aclrtSwitchStream(dev, (aclrtCondition)99, dev2, type, s, NULL, s), 107000);
}

static void starting(void)
{
	const aclrtCompareDataType type = ACL_RT_SWITCH_INT32;
	aclrtContext other;

	setup();
	without_context(starting_apart);
	IS(aclrtActiveStream(s, bound), 107005);
	IS(aclrtActiveStream(bound, s), 107005);
	IS(aclrtActiveStream(bound, foreign), 107005);
	IS(aclrtActiveStream(foreign, bound), 107005);
	OK(aclrtCreateContext(&other, 0));
	IS(aclrtActiveStream(bound, bound), 107003);
	IS(aclrtActiveStream(s, bound), 107005);
	IS(aclrtSwitchStream(dev, ACL_RT_EQUAL, dev2, type, bound, NULL, bound), 107003);
	IS(aclrtSwitchStream(dev, ACL_RT_EQUAL, dev2, type, bound, NULL, s), 107005);
}

/* --- labels --------------------------------------------------------------------------------- */

static aclrtLabel label;

static void labels_apart(void)
{
	aclrtLabelList list;
	aclrtLabel fresh;

	IS(aclrtCreateLabel(&fresh), 107002);
	IS(aclrtDestroyLabel(label), 107002);
	IS(aclrtSetLabel(label, s), 107002);
	IS(aclrtSetLabel(label, bound), 107002);
	IS(aclrtCreateLabelList(&label, 1, &list), 107002);
	IS(aclrtSwitchLabelByIndex(dev, 1, INVENTED, bound), 107002);
}

static void labels(void)
{
	aclrtLabel mine;
	aclrtLabelList list;
	aclrtContext other;

	setup();
	OK(aclrtCreateLabel(&label));
	without_context(labels_apart);
	IS(aclrtSetLabel(label, s), 107005);
	IS(aclrtSetLabel(label, bound), 507000);
	IS(aclrtSetLabel(label, foreign), 107003);
	IS(aclrtSwitchLabelByIndex(dev, 1, INVENTED, foreign), 107003);
	IS(aclrtSwitchLabelByIndex(dev, 1, INVENTED, s), 107005);
	IS(aclrtSwitchLabelByIndex(dev, 0, INVENTED, s), 107005);
	OK(aclrtSwitchLabelByIndex(dev, 1, INVENTED, bound)); /* looked at when it runs */
	OK(aclrtCreateContext(&other, 0));
	IS(aclrtSetLabel(label, s), 507031);
	IS(aclrtSetLabel(label, bound), 507031);
	IS(aclrtDestroyLabel(label), 507031);
	OK(aclrtCreateLabelList(&label, 1, &list)); /* does not look at contexts */
	OK(aclrtCreateLabel(&mine));
	IS(aclrtSetLabel(mine, bound), 107003);
	OK(aclrtCreateLabelList(&mine, 1, &list));
	OK(aclrtDestroyLabelList(list));
	IS(aclrtDestroyLabelList(list), 107000);
	OK(aclrtDestroyLabel(mine));
}

static void dead_labels_apart(void)
{
	aclrtLabelList list;

	IS(aclrtCreateLabelList(&label, 1, &list), 107017);
	IS(aclrtDestroyLabel(label), 107017);
}

static void dead_labels(void)
{
	setup();
	OK(aclrtCreateLabel(&label));
	OK(aclrtDestroyLabel(label));
	without_context(dead_labels_apart);
}

static const struct tap_case cases[] = {C(capturing), C(groups), C(groups_of_two_streams), C(conditions),
	C(building_order), C(building_to_the_end), C(starting), C(labels), C(dead_labels)};

ORACLE_MAIN(cases)
