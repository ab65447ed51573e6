/* SPDX-License-Identifier: Apache-2.0 */
/* Access between devices. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"

static aclError check_pair(int32_t a, int32_t b)
{
	if (a == b)
		return npu_err(ACL_ERROR_INVALID_PARAM, "device %d is no peer of itself", a);
	if (!device_find(a) || !device_find(b))
		return npu_answer(PEER_NO_DEVICE, "devices %d and %d", a, b);
	return ACL_SUCCESS;
}

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
	aclError rc = check_pair(deviceId, peerDeviceId);

	if (!rc)
		*canAccessPeer = npu_peers(deviceId, peerDeviceId);
	return rc;
}

void peers_connect(int a, int b)
{
	if (a == b)
		return;
	device_get(a)->peer[b]++;
	device_get(b)->peer[a]++;
}

/* Counted: access lasts until it was disabled as often as it was enabled. */
static aclError switch_access(int32_t peer, bool on)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		rc = check_pair(ctx->dev->id, peer);
	if (rc)
		return rc;
	if (on && !npu_peers(ctx->dev->id, peer))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "devices %d and %d cannot reach each other",
			ctx->dev->id, peer);
	if (!on && !ctx->dev->peer[peer])
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "access to device %d is not enabled", peer);
	ctx->dev->peer[peer] += on ? 1 : -1;
	return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
	if (flags)
		return npu_err(ACL_ERROR_FEATURE_UNSUPPORTED, "flags are reserved and must be 0");
	return LOCKED(switch_access(peerDeviceId, true));
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
	return LOCKED(switch_access(peerDeviceId, false));
}

/* The driver wants both directions; what it does not know has no access. */
static aclError access_status(int32_t device, int32_t peer, int32_t *status)
{
	if ((unsigned)device >= MAX_DEVICES || (unsigned)peer >= MAX_DEVICES)
		return npu_answer(PEER_NO_DEVICE, "devices %d and %d", device, peer);
	*status = device_get(device)->peer[peer] && device_get(peer)->peer[device];
	return ACL_SUCCESS;
}

aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId, int32_t *status)
{
	return LOCKED(access_status(deviceId, peerDeviceId, status));
}
