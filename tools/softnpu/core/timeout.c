/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtSetOpWaitTimeout, aclrtSetOpExecuteTimeOut and what answers them. */
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/timeout.h"

#define INTERVAL_US 1000u /* granularity of execution time-outs */

static uint32_t wait_seconds; /* 0 = for ever */
static uint64_t execute_us = 547000000u; /* default of the product this stands for */

uint64_t timeout_wait_deadline(uint32_t ms)
{
	if (ms)
		return npu_deadline_ms(ms);
	return wait_seconds ? npu_deadline_ms((int64_t)wait_seconds * 1000) : 0;
}

static aclError set_wait(uint32_t seconds)
{
	wait_seconds = seconds;
	return ACL_SUCCESS;
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
	return LOCKED(set_wait(timeout));
}

static aclError set_execute(uint64_t us, uint64_t *actual)
{
	execute_us = ALIGN_UP(us, INTERVAL_US);
	if (actual)
		*actual = execute_us;
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	return LOCKED(set_execute((uint64_t)timeout * 1000000u, NULL));
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	return LOCKED(set_execute((uint64_t)timeout * 1000u, NULL));
}

static aclError set_execute_here(uint64_t us, uint64_t *actual)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	return rc ? rc : set_execute(us, actual);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	return LOCKED(set_execute_here(timeout, actualTimeout));
}

static aclError get_execute(uint32_t *ms)
{
	*ms = (uint32_t)(execute_us / 1000u);
	return ACL_SUCCESS;
}

aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
	return LOCKED(get_execute(timeoutMs));
}

static aclError get_interval(uint64_t *us)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*us = INTERVAL_US;
	return rc;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	return LOCKED(get_interval(interval));
}
