/* SPDX-License-Identifier: Apache-2.0 */
/* What belongs to models beside their execution: conditions, streams, tasks, names; by the published source
 * alone. */
#include "rows.h"

static aclmdlRI of_capture(aclrtStream s)
{
	aclmdlRI m = NULL;

	need(aclmdlRICaptureGetInfo(s, NULL, &m));
	return m;
}

/* --- conditions ------------------------------------------------------------------------------ */

static aclmdlRICondHandle condition_in(aclrtStream s)
{
	aclmdlRICondHandle handle = NULL;

	need(aclmdlRICondHandleCreate(of_capture(s), 0, (aclmdlRICondHandleFlag)0, &handle));
	return handle;
}

static aclmdlRICondHandle condition_that_is_gone(void)
{
	aclrtStream s = capturing();
	aclmdlRICondHandle handle = condition_in(s);
	aclmdlRI m;

	need(aclmdlRICaptureEnd(s, &m));
	need(aclmdlRIDestroy(m));
	return handle;
}

/* The handle is looked into before anything else is looked at. */
static void tasks_of_conditions_that_are_gone(void)
{
	aclmdlRI body = NULL;
	aclmdlRICondTaskParams params = {condition_that_is_gone(), ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body};
	aclrtStream s = capturing();

	row(aclmdlRIAddCondTask(params, s, 0));
	row(aclmdlRIAddCondTask(params, stream(), 0));
	row(aclmdlRIAddCondTask(params, s, 1));
	params.size = 0;
	row(aclmdlRIAddCondTask(params, s, 0));
	params.size = 1;
	params.handle = NULL;
	row(aclmdlRIAddCondTask(params, s, 0));
	params.handle = condition_in(s);
	row(aclmdlRIAddCondTask(params, s, 0));
	row(aclmdlRIAddCondTask(params, s, 0));
}

const struct row rows_graph_tasks[] = {ROW(tasks_of_conditions_that_are_gone), {NULL, NULL}};
