/* SPDX-License-Identifier: Apache-2.0 */
/* Ways between devices for mapped memory: all are equal here, so advice is taken and changes nothing. */
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"

static aclError set_link(const void *handle)
{
	if (!object_find(handle, OBJ_PHYSICAL))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is no physical memory", handle);
	return ACL_SUCCESS;
}

aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle, aclrtMemLinkType adviceLink)
{
	return LOCKED(set_link(handle));
}

/* What a peer may reach it reaches anyway: nothing is to be mapped. */
static aclError map_for_peer(const char *address, size_t size, int32_t peer)
{
	const struct block *b = block_find(address);
	struct context *ctx;
	aclError rc;

	if (!device_find(peer))
		return npu_answer(PEER_NO_DEVICE, "there is no device %d", peer);
	rc = context_need(&ctx);
	if (rc)
		return rc;
	if (!b || b->kind != BLOCK_DEVICE || size > b->size - (size_t)(address - b->addr))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is no device memory of %zu bytes",
			address, size);
	if (peer == b->device || (!device_get(peer)->peer[b->device] && !device_get(b->device)->peer[peer]))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "device %d has no access to device %d", peer,
			b->device);
	return ACL_SUCCESS;
}

aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId, uint64_t flags)
{
	return LOCKED(map_for_peer(devPtr, size, dstDevId));
}
