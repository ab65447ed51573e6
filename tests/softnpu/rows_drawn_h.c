/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of tasks, kernels, their arguments and snapshots: read in the published source. */
#include <stdint.h>
#include <unistd.h>

#include "rows.h"

static aclrtStream gone(void)
{
	aclrtStream s = stream();

	need(aclrtDestroyStream(s));
	return s;
}

static void updates_of_unknown_tasks(void)
{
	aclrtTaskUpdateInfo info = {.id = (aclrtUpdateTaskAttrId)9};

	row(aclrtTaskUpdateAsync(gone(), 0, &info, NULL));
	row(aclrtTaskUpdateAsync(NULL, 0, &info, gone()));
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	info.id = ACL_RT_UPDATE_RANDOM_TASK;
	row(aclrtTaskUpdateAsync(NULL, 0, &info, gone()));
	row(aclrtTaskUpdateAsync(gone(), 0, &info, NULL));
}

const struct row rows_drawn_h[] = {ROW(updates_of_unknown_tasks), {NULL, NULL}};
