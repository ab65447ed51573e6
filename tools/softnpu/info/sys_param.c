/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the process and of contexts, saturation mode. */
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"

#define PROCESS_OPTIONS 4

static int64_t process_options[PROCESS_OPTIONS];

static aclError process_option(aclSysParamOpt opt, int64_t *get, const int64_t *set)
{
	if (set)
		process_options[opt] = *set;
	else
		*get = process_options[opt];
	return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	return LOCKED(process_option(opt, NULL, &value));
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	return LOCKED(process_option(opt, value, NULL));
}

/* What is set for a context is set for the process as well. */
static aclError context_option(aclSysParamOpt opt, int64_t *get, const int64_t *set)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (set) {
		ctx->sys_params[opt] = *set;
		ctx->sys_params_set |= 1u << opt;
		return process_option(opt, NULL, set);
	}
	if (!(ctx->sys_params_set & 1u << opt))
		return npu_err(
			ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "option %d was not set in this context", opt);
	*get = ctx->sys_params[opt];
	return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	return LOCKED(context_option(opt, NULL, &value));
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	return LOCKED(context_option(opt, value, NULL));
}

/* Of the process: no device and no context is asked. */
static aclrtFloatOverflowMode saturation = ACL_RT_OVERFLOW_MODE_INFNAN;
static bool saturation_chosen;

/*
 * What the mode is before a program sets it, the documents and the published source disagree about: the
 * switch is free then.
 */
bool overflows_are_infinite(void)
{
	return saturation_chosen && saturation != ACL_RT_OVERFLOW_MODE_SATURATION;
}

void options_forget(void)
{
	memset(process_options, 0, sizeof(process_options));
	saturation = ACL_RT_OVERFLOW_MODE_INFNAN;
	saturation_chosen = false;
}

static aclError set_saturation(aclrtFloatOverflowMode mode)
{
	saturation = mode;
	saturation_chosen = true;
	return ACL_SUCCESS;
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	return LOCKED(set_saturation(mode));
}

static aclError get_saturation(aclrtFloatOverflowMode *mode)
{
	*mode = saturation;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	return LOCKED(get_saturation(mode));
}
