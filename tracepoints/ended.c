/* SPDX-License-Identifier: Apache-2.0 */
/* The event of a process that could not emit its last one itself. */
#include "tracepoints/events.h"
#include "tracepoints/provider.h"

void acl_trace_ended(uint32_t pid, uint64_t ns);

__attribute__((visibility("default"))) void acl_trace_ended(uint32_t pid, uint64_t ns)
{
	lttng_ust_tracepoint(aclcheck, ended, pid, ns);
}
