/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and values of findings in words, for the terminal and for JSON, by the API model's tables. */
#ifndef INTERPOSE_ARGUMENT_TEXT_H
#define INTERPOSE_ARGUMENT_TEXT_H

#include "checks/engine/finding.h"
#include "interpose/common/json_writer.h"

/* "aclrtFree(devPtr=0x…)"; args NULL: the name alone. */
void decode_call(struct text *t, unsigned api, const void *args);
/* "args": {"devPtr": "0x…"} */
void decode_call_json(struct jout *j, const char *key, unsigned api, const void *args);
/* The same of which only the first bytes were kept, and nothing behind the pointers. All values are strings.
 */
void decode_stored_json(struct jout *j, const char *key, unsigned api, const void *args, size_t stored);
/* The call's result: "ACL_ERROR_RT_PARAM_INVALID (107000)". */
void decode_result(struct text *t, unsigned api, const union acl_result *result);

/* A value at fault. */
void decode_value(struct text *t, const struct acl_value *v);
void decode_value_json(struct jout *j, const struct acl_value *v);

/* "ACL_MEMCPY_HOST_TO_DEVICE", the bare number when the value has no name. */
void decode_enum(struct text *t, int enum_index, int64_t value);
void decode_error(struct text *t, int64_t code);

#endif
