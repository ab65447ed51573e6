/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/softnpu/core/answers.h"

enum { RELEASES = 5 };

#define ALWAYS(code) code, code, code, code, code

static const aclError codes[NPU_SITUATIONS][RELEASES] = {
#define ANSWER(situation, ...) [NPU_##situation] = {__VA_ARGS__},
#define FACT ANSWER
#include "tools/softnpu/core/answers.def"
#undef FACT
#undef ANSWER
};

static unsigned answers_release(void)
{
	switch (npu_cann()) {
	case CANN_8_1:
		return 0;
	case CANN_8_5:
		return 1;
	case CANN_9_0:
		return 2;
	case CANN_9_1:
		return 3;
	default:
		return 4;
	}
}

aclError npu_code(enum npu_situation situation)
{
	return codes[situation][answers_release()];
}

bool npu_handle_gone(const void *handle, enum obj_kind kind)
{
	bool gone;

	npu_lock();
	gone = handle && npu_fact(NPU_HANDLES_ARE_CHECKED) && !object_find(handle, kind);
	npu_unlock();
	return gone;
}

aclError npu_unless_gone(enum obj_kind kind, const void *handle, aclError refused)
{
	if (refused && npu_handle_gone(handle, kind))
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is gone", handle);
	return refused;
}
