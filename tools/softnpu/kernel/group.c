/* SPDX-License-Identifier: Apache-2.0 */
/* Compute groups: Atlas inference products only. A device has two groups, each with half of its cores. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/device.h"

#define GROUPS 2

struct tagRtGroupInfo {
	int32_t attributes[GROUPS][ACL_GROUP_GROUPID_INT + 1];
};

static aclError supported(void)
{
	struct context *ctx;

	if (!npu_soc("Ascend310P"))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no compute groups", CFG_STR(soc));
	return LOCKED(context_need(&ctx));
}

aclrtGroupInfo *aclrtCreateGroupInfo(void)
{
	return npu_soc("Ascend310P") ? calloc(1, sizeof(aclrtGroupInfo)) : NULL;
}

aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo)
{
	free(groupInfo);
	return ACL_SUCCESS;
}

aclError aclrtGetGroupCount(uint32_t *count)
{
	aclError rc = supported();

	if (!rc)
		*count = GROUPS;
	return rc;
}

aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo)
{
	static const int32_t half[] = {
		[ACL_GROUP_AICORE_INT] = 4, [ACL_GROUP_AIV_INT] = 3, [ACL_GROUP_SDMANUM_INT] = 1};
	aclError rc = supported();

	if (rc)
		return rc;
	for (int32_t id = 0; id < GROUPS; id++) {
		memcpy(groupInfo->attributes[id], half, sizeof(half));
		groupInfo->attributes[id][ACL_GROUP_GROUPID_INT] = id;
	}
	return ACL_SUCCESS;
}

aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo, int32_t groupIndex, aclrtGroupAttr attr,
	void *attrValue, size_t valueLen, size_t *paramRetSize)
{
	aclError rc = supported();

	if (rc)
		return rc;
	if (valueLen < sizeof(int32_t))
		return npu_err(ACL_ERROR_INVALID_PARAM, "valueLen is below that of an int32_t");
	if (groupIndex < 0 || groupIndex >= GROUPS)
		return npu_err(ACL_ERROR_INVALID_PARAM, "there is no group %d", groupIndex);
	if ((unsigned)attr >= ARRAY_SIZE(groupInfo->attributes[0]))
		return npu_err(ACL_ERROR_INVALID_PARAM, "unknown attribute %d", attr);
	*(int32_t *)attrValue = groupInfo->attributes[groupIndex][attr];
	*paramRetSize = sizeof(int32_t);
	return ACL_SUCCESS;
}

aclError aclrtSetGroup(int32_t groupId)
{
	aclError rc = supported();

	if (!rc && (groupId < 0 || groupId >= GROUPS))
		rc = npu_err(ACL_ERROR_RT_GROUP_NOT_CREATE, "there is no group %d", groupId);
	return rc;
}
