/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtSetOpWaitTimeout, aclrtSetOpExecuteTimeOut and what answers them. */
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/timeout.h"

/* What operators may take is counted in credits of 2^32 ns, the interval; as many as can be is the default.
 */
#define CREDITS_MAX 254u
#define NS_OF(credits) ((uint64_t)(credits) << 32)
#define MS_MAX 1000000u /* more milliseconds are as many */

static uint32_t wait_seconds; /* 0 = for ever */
static uint64_t execute_us; /* 0 = as long as can be */

void timeouts_forget(void)
{
	wait_seconds = 0;
	execute_us = 0;
}

uint64_t timeout_wait_deadline(uint32_t seconds)
{
	if (!seconds)
		seconds = wait_seconds;
	return seconds ? npu_deadline_ms((int64_t)seconds * 1000) : 0;
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

/* Less than a microsecond above whole credits is no further one where ns is 1000. */
static uint64_t credits_of(uint64_t us, unsigned ns)
{
	if (!us || us > NS_OF(CREDITS_MAX) / 1000)
		return CREDITS_MAX;
	return (us * 1000 + NS_OF(1) - ns) >> 32;
}

static uint64_t execute_ms(void)
{
	return (NS_OF(credits_of(execute_us, 1000)) + 999999) / 1000000;
}

uint64_t timeout_of_kernel(uint64_t us)
{
	uint64_t most = (NS_OF(CREDITS_MAX) + 999) / 1000;

	return us ? (us < most ? us : most) : execute_ms() * 1000;
}

static aclError set_execute(uint64_t us)
{
	execute_us = us;
	return ACL_SUCCESS;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
	return LOCKED(set_execute((uint64_t)timeout * 1000000u));
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout)
{
	return LOCKED(set_execute((uint64_t)(timeout < MS_MAX ? timeout : MS_MAX) * 1000u));
}

static aclError set_execute_here(uint64_t us, uint64_t *actual)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	*actual = NS_OF(credits_of(us, 1)) / 1000;
	return set_execute(us);
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout)
{
	return LOCKED(set_execute_here(timeout, actualTimeout));
}

static aclError get_execute(uint32_t *ms)
{
	*ms = (uint32_t)execute_ms();
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
		*us = NS_OF(1) / 1000;
	return rc;
}

aclError aclrtGetOpTimeOutInterval(uint64_t *interval)
{
	return LOCKED(get_interval(interval));
}
