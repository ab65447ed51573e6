/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as one would write them by hand, the measure for the generated ones: the pair of aclrtMemcpyAsync
 * with all its fields, and the least that tells calls apart, two fields at the beginning and the result at
 * the end.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench_hand
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "tools/bench/hand_events.h"

/* clang-format off */
#if !defined(BENCH_HAND_EVENTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_HAND_EVENTS_H

#include <lttng/tracepoint.h>

#include "tracepoints/call.h"

LTTNG_UST_TRACEPOINT_ENUM(bench_hand, acl_path,
	LTTNG_UST_TP_ENUM_VALUES(lttng_ust_field_enum_value("linked", 0)))
LTTNG_UST_TRACEPOINT_ENUM(bench_hand, acl_host_class,
	LTTNG_UST_TP_ENUM_VALUES(lttng_ust_field_enum_value("unasked", 0)))
LTTNG_UST_TRACEPOINT_ENUM(bench_hand, kind,
	LTTNG_UST_TP_ENUM_VALUES(lttng_ust_field_enum_value("ACL_MEMCPY_HOST_TO_DEVICE", 1)))
LTTNG_UST_TRACEPOINT_ENUM(bench_hand, ret,
	LTTNG_UST_TP_ENUM_VALUES(lttng_ust_field_enum_value("ACL_SUCCESS", 0)))

LTTNG_UST_TRACEPOINT_EVENT(bench_hand, copy_entry,
	LTTNG_UST_TP_ARGS(const struct acl_call_record *, e, const struct acl_args_aclrtMemcpyAsync *, a),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(api, "aclrtMemcpyAsync")
		lttng_ust_field_integer_hex(uint64_t, call_caller, e->caller)
		lttng_ust_field_sequence(uint32_t, call_stack, &e->stack, uint8_t, e->stack != 0)
		lttng_ust_field_integer(uint32_t, call_number, e->number)
		lttng_ust_field_integer(uint8_t, call_depth, (uint8_t)e->callback_depth)
		lttng_ust_field_enum(bench_hand, acl_path, uint8_t, call_path, e->path)
		lttng_ust_field_integer_hex(uint8_t, call_flags, e->forwarded)
		lttng_ust_field_sequence_hex(uint64_t, call_after, e->after, uint8_t, e->n_after)
		lttng_ust_field_integer_hex(uint64_t, dst, (uint64_t)(uintptr_t)a->dst)
		lttng_ust_field_enum(bench_hand, acl_host_class, uint8_t, dst_host, e->host_class[0])
		lttng_ust_field_integer(size_t, destMax, a->destMax)
		lttng_ust_field_integer_hex(uint64_t, src, (uint64_t)(uintptr_t)a->src)
		lttng_ust_field_enum(bench_hand, acl_host_class, uint8_t, src_host, e->host_class[2])
		lttng_ust_field_integer(size_t, count, a->count)
		lttng_ust_field_enum(bench_hand, kind, int, kind, (int)a->kind)
		lttng_ust_field_integer_hex(uint64_t, stream, (uint64_t)(uintptr_t)a->stream)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(bench_hand, brief_entry,
	LTTNG_UST_TP_ARGS(const void *, object, const void *, stream),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer_hex(uint64_t, object, (uint64_t)(uintptr_t)object)
		lttng_ust_field_integer_hex(uint64_t, stream, (uint64_t)(uintptr_t)stream)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(bench_hand, brief_exit,
	LTTNG_UST_TP_ARGS(int, ret),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, ret, ret)
	)
)

LTTNG_UST_TRACEPOINT_EVENT(bench_hand, copy_exit,
	LTTNG_UST_TP_ARGS(const struct acl_call_record *, e),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, call_number, e->number)
		lttng_ust_field_sequence(uint32_t, call_stack, &e->stack, uint8_t, e->stack != 0)
		lttng_ust_field_integer(int32_t, call_result, (int32_t)e->result.i)
		lttng_ust_field_sequence_hex(uint64_t, call_after, e->after, uint8_t, e->n_after)
		lttng_ust_field_enum(bench_hand, ret, int, ret, (int)e->result.i)
	)
)

#endif

#include <lttng/tracepoint-event.h>
