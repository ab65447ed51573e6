/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of topics: state first, so that in enter rules see the state a call
 * starts from; leave runs the other way round, so that state is committed last.
 */
#include "checks/topics.h"

extern const struct acl_topic topic_life, topic_device, topic_stream, topic_event, topic_memory;
extern const struct acl_topic topic_capture;
extern const struct acl_topic topic_arguments, topic_handles, topic_init, topic_context, topic_copy;
extern const struct acl_topic topic_freed, topic_capture_calls, topic_free, topic_release, topic_ranges,
	topic_lists;
extern const struct acl_topic topic_capture_life, topic_wait, topic_peer, topic_reset, topic_leak;
extern const struct acl_topic topic_event_kind, topic_binding, topic_failure_mode, topic_callback,
	topic_process;
extern const struct acl_topic topic_lost_context, topic_finalize, topic_init_config, topic_device_id,
	topic_threads, topic_event_use, topic_unfinished;
extern const struct acl_topic topic_mapping, topic_kernel_args, topic_sharing, topic_stream_end, topic_far;
extern const struct acl_topic topic_pool, topic_allocator, topic_mbuf, topic_ipc, topic_ipc_use;
extern const struct acl_topic topic_physical, topic_managed, topic_written, topic_descriptor, topic_symbol;
extern const struct acl_topic topic_unchecked, topic_allocation, topic_pageable, topic_result;
extern const struct acl_topic topic_binary, topic_signal, topic_kernel, topic_limits, topic_modes,
	topic_task_info, topic_host_function;
extern const struct acl_topic topic_capture_ends, topic_capture_events, topic_task_groups, topic_models,
	topic_conditions;
extern const struct acl_topic topic_exceptions, topic_snapshot, topic_notify, topic_label;
extern const struct acl_topic topic_launch_args;

const struct acl_topic *const acl_topics[] = {
	/* state */
	&topic_life,
	&topic_device,
	&topic_stream,
	&topic_event,
	&topic_pool,
	&topic_memory,
	&topic_capture,
	&topic_binary,
	&topic_signal,
	&topic_freed,
	/* rules */
	&topic_unchecked,
	&topic_arguments,
	&topic_handles,
	&topic_init,
	&topic_finalize,
	&topic_init_config,
	&topic_device_id,
	&topic_threads,
	&topic_lost_context, /* tells the reason behind the findings of the next one */
	&topic_context,
	&topic_copy,
	&topic_capture_ends,
	&topic_capture_events,
	&topic_capture_calls,
	&topic_task_groups,
	&topic_conditions,
	&topic_models,
	&topic_free,
	&topic_capture_life,
	&topic_process,
	&topic_event_kind,
	&topic_event_use,
	&topic_binding,
	&topic_failure_mode,
	&topic_callback,
	&topic_exceptions,
	&topic_snapshot,
	&topic_notify,
	&topic_label,
	&topic_physical,
	&topic_mapping,
	&topic_managed,
	&topic_descriptor,
	&topic_symbol,
	&topic_written,
	&topic_allocation,
	&topic_pageable,
	&topic_result,
	&topic_kernel_args,
	&topic_kernel,
	&topic_limits,
	&topic_modes,
	&topic_task_info,
	&topic_host_function,
	&topic_launch_args,
	&topic_sharing,
	&topic_ipc,
	&topic_ipc_use,
	&topic_allocator,
	&topic_mbuf,
	&topic_stream_end,
	&topic_unfinished,
	&topic_far,
	&topic_release,
	&topic_ranges,
	&topic_lists,
	&topic_wait,
	&topic_peer,
	&topic_reset,
	&topic_leak,
};
const unsigned acl_topic_count = sizeof(acl_topics) / sizeof(acl_topics[0]);
