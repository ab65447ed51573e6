/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions of models in files and tensors, items of channels: there are none, so these are the real
 * runtime's answers for NULL, where they are not the 0 or NULL of the weak bodies.  Wrong arguments:
 * core/arguments_not_modelled.def.
 */
#include "acl/acl_mdl.h"
#include "acl/acl_tdt.h"

#include "tools/softnpu/core/npu.h"

const char *aclmdlGetInputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return "";
}

const char *aclmdlGetOutputNameByIndex(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return "";
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return ACL_FORMAT_UNDEFINED;
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return ACL_FORMAT_UNDEFINED;
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return ACL_DT_UNDEFINED;
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc *modelDesc, size_t index)
{
	(void)modelDesc, (void)index;
	return ACL_DT_UNDEFINED;
}

acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem *dataItem)
{
	(void)dataItem;
	return ACL_TENSOR_DATA_UNDEFINED;
}

aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem *dataItem)
{
	(void)dataItem;
	return ACL_DT_UNDEFINED;
}

const char *aclGetTensorDescName(aclTensorDesc *desc)
{
	(void)desc;
	return "";
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc *desc)
{
	(void)desc;
	return ACL_FORMAT_UNDEFINED;
}

aclDataType aclGetTensorDescType(const aclTensorDesc *desc)
{
	(void)desc;
	return ACL_DT_UNDEFINED;
}

int64_t aclGetTensorDescDim(const aclTensorDesc *desc, size_t index)
{
	(void)desc, (void)index;
	return -1;
}
