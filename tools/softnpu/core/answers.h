/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes by release (answers.def). */
#ifndef SOFTNPU_ANSWERS_H
#define SOFTNPU_ANSWERS_H

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"

enum npu_situation {
#define ANSWER(situation, ...) NPU_##situation,
#define FACT ANSWER
#include "tools/softnpu/core/answers.def"
#undef FACT
#undef ANSWER
	NPU_SITUATIONS
};

/* The code of the release that is played; 0 = it accepts the call. */
aclError npu_code(enum npu_situation situation);

/* Whether that release does it. */
static inline bool npu_fact(enum npu_situation fact)
{
	return npu_code(fact);
}

/* The same, noted as npu_err() does unless it is 0. */
#define npu_answer(situation, ...)                                                                           \
	({                                                                                                   \
		aclError answer_ = npu_code(NPU_##situation);                                                \
		answer_ ? npu_err(answer_, __VA_ARGS__) : ACL_SUCCESS;                                       \
	})

/* Whether the release looks into handles and this one, not NULL, is none of that kind. */
bool npu_handle_gone(const void *handle, enum obj_kind kind);
/* What else the inner layer says of a call with that handle: 107017 instead where such a release looks there
 * first. */
aclError npu_unless_gone(enum obj_kind kind, const void *handle, aclError refused);

#endif
