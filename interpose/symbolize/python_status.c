/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/symbolize/python_status.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic bool seen, read_once;
static _Atomic unsigned minor_seen;
static _Atomic(const char *) reason;

bool python_status(struct python_status *out)
{
	if (!atomic_load_explicit(&seen, memory_order_acquire))
		return false;
	out->minor = atomic_load(&minor_seen);
	out->read = atomic_load(&read_once);
	out->why_not = out->read ? NULL : atomic_load(&reason);
	return true;
}

void python_status_seen(unsigned minor, const char *why_not)
{
	atomic_store(&minor_seen, minor);
	atomic_store(&reason, why_not);
	atomic_store_explicit(&seen, true, memory_order_release);
}

void python_status_read(void)
{
	if (!atomic_load_explicit(&read_once, memory_order_relaxed))
		atomic_store(&read_once, true);
}

void python_status_degrade(const char *why_not)
{
	const char *none = NULL;

	if (!atomic_load(&read_once))
		atomic_compare_exchange_strong(&reason, &none, why_not);
}
