/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of states that were drawn by lot: what earlier calls, other threads and a reset left behind. */
#include "rows.h"

static void row_of_end(aclrtStream s)
{
	aclmdlRI m;

	row(aclmdlRICaptureEnd(s, &m));
}

/* A handle that is asked for in vain stays what it was. */
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

const struct row rows_states[] = {ROW(group_ends_that_give_no_handle), ROW(labels_gone), {NULL, NULL}};
