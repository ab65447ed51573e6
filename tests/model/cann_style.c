/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled only: the C idioms of AscendCL programs. */
#include <stdio.h>

#include "acl/acl.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_dump.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_platform.h"
#include "aclnnop/aclnn_matmul.h"

#define CHECK(call)                                                                                          \
	do {                                                                                                 \
		aclError ret_ = (call);                                                                      \
		if (ret_ != ACL_SUCCESS) {                                                                   \
			ACL_APP_LOG(ACL_ERROR, #call " gave %d", ret_);                                      \
			return ret_;                                                                         \
		}                                                                                            \
	} while (0)

static void done(void *user)
{
	*(int *)user = 1;
}

int main(void)
{
	aclrtStream stream;
	aclrtEvent event = NULL;
	aclrtPtrAttributes attributes;
	struct aclrtMemLocation where = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
	aclrtMallocAttribute attribute = {.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value = {.moduleId = 3}};
	aclrtMallocConfig config = {&attribute, 1};
	aclrtStreamConfigHandle *handle = aclrtCreateStreamConfigHandle();
	void *device = NULL;
	int finished = 0;

	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	CHECK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
	CHECK(aclrtCreateStreamV2(&stream, handle));
	CHECK(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
	CHECK(aclrtMallocWithCfg(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST, &config));
	CHECK(aclrtPointerGetAttributes(device, &attributes));
	if (attributes.location.type == where.type)
		CHECK(aclrtMemsetAsync(device, 1 << 20, 0, 1 << 20, stream));
	CHECK(aclrtLaunchCallback(done, &finished, ACL_CALLBACK_NO_BLOCK, stream));
	CHECK(aclrtRecordEvent(event, stream));
	if (aclrtSynchronizeStreamWithTimeout(stream, 1000) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
		fprintf(stderr, "%s\n", aclGetRecentErrMsg());
	CHECK(aclrtResetDevice(0));
	return aclFinalize();
}
