// SPDX-License-Identifier: Apache-2.0
// Compiled only: the C++ idioms of AscendCL programs.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_rt_memory_soma.h"
#include "aclnn/acl_meta.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"

namespace
{
// Overloads must tell the enumerations apart; a handle is a pointer like any other.
const char *Name(aclDataType)
{
	return "type";
}
const char *Name(aclFormat)
{
	return "format";
}

int Make(const std::vector<int64_t> &shape, void **memory, aclDataType type, aclTensor **tensor)
{
	auto ret = aclrtMalloc(memory, shape[0] * aclDataTypeSize(type), ACL_MEM_MALLOC_HUGE_FIRST);
	if (ret != ACL_ERROR_NONE)
		return ret;
	std::vector<int64_t> strides(shape.size(), 1);
	*tensor = aclCreateTensor(shape.data(), shape.size(), type, strides.data(), 0,
		aclFormat::ACL_FORMAT_ND, shape.data(), shape.size(), *memory);
	return ACL_SUCCESS;
}
} // namespace

int main()
{
	aclTensor *self = nullptr, *out = nullptr;
	aclOpExecutor *executor = nullptr;
	void *a = nullptr, *b = nullptr, *workspace = nullptr;
	uint64_t size = 0;
	float one = 1.0f;
	aclrtStream stream = nullptr;

	Make({8}, &a, aclDataType::ACL_FLOAT, &self);
	Make({8}, &b, ACL_FLOAT, &out);
	aclScalar *alpha = aclCreateScalar(&one, aclDataType::ACL_FLOAT);
	aclnnStatus status = aclnnAddGetWorkspaceSize(self, self, alpha, out, &size, &executor);
	if (status == 0)
		status = aclnnAdd(workspace, size, executor, stream);
	aclmdlRI model = nullptr;
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclmdlRICaptureThreadExchangeMode(&mode);
	aclmdlRICaptureEnd(stream, &model);
	aclrtDim3 wide = {1, 2, 3};
	dim3 grid(4), block(1, 2);
	std::printf("%s %s %u %u %u\n", Name(ACL_FLOAT), Name(ACL_FORMAT_ND), wide.x, grid.z, block.y);
	ACL_APP_LOG(ACL_INFO, "done");
	return status;
}
