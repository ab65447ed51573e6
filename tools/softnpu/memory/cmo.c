/* SPDX-License-Identifier: Apache-2.0 */
/* Cache maintenance and its barriers. Caches are coherent here: the tasks only keep their places. */
#include "tools/softnpu/memory/cmo.h"

static enum op_step cmo_nothing_step(struct op *op, struct lane *lane)
{
	(void)op;
	(void)lane;
	return OP_DONE;
}

static const struct op_type cmo_type = {.name = "CMO", .step = cmo_nothing_step};

aclError cmo_submit(aclrtStream stream)
{
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	return rc ? rc : stream_submit(s, op_new(&cmo_type, sizeof(struct op)));
}

aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream stream)
{
	if ((unsigned)cmoType > ACL_RT_CMO_TYPE_FLUSH)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "unknown type %d", cmoType);
	return LOCKED(cmo_submit(stream));
}

/* --- barriers: on the Atlas 200I/500 A2 only ---------------------------------------------- */

aclError aclrtCmoAsyncWithBarrier(
	void *src, size_t size, aclrtCmoType cmoType, uint32_t barrierId, aclrtStream stream)
{
	if (!npu_soc("Ascend310B"))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no barriers", CFG_STR(soc));
	if ((unsigned)cmoType > ACL_RT_CMO_TYPE_FLUSH)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "unknown type %d", cmoType);
	if (!size)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "size is 0");
	if ((cmoType == ACL_RT_CMO_TYPE_INVALID) == !barrierId)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "barrier %u with type %d", barrierId, cmoType);
	return LOCKED(cmo_submit(stream));
}

static bool are_invalidations(const aclrtBarrierTaskInfo *info)
{
	for (size_t i = 0; i < info->barrierNum; i++)
		if (info->cmoInfo[i].cmoType != ACL_RT_CMO_TYPE_INVALID || !info->cmoInfo[i].barrierId)
			return false;
	return true;
}

/* The entries are looked at on every chip, the flag only where there are barriers. */
aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream, uint32_t flag)
{
	if (!are_invalidations(taskInfo))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a barrier is none of an invalidation");
	if (!npu_soc("Ascend310B"))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no barriers", CFG_STR(soc));
	if (flag)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "flag is not 0");
	return LOCKED(cmo_submit(stream));
}
