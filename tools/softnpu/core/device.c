/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: counting of set and reset, what is asked of them. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"

#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/core/state_callback.h"
#include "tools/softnpu/core/visible.h"

static struct device devices[MAX_DEVICES];

static void number_devices(void)
{
	for (int i = 0; i < MAX_DEVICES; i++)
		devices[i].id = i;
}

void devices_forget(void)
{
	memset(devices, 0, sizeof(devices));
	number_devices();
	memset(npu_thread(), 0, sizeof(*npu_thread()));
	npu_thread()->device = -1;
}

bool device_is_open(int id)
{
	return devices[id].primary || devices[id].contexts;
}

bool contexts_exist(void)
{
	for (int i = 0; i < MAX_DEVICES; i++)
		if (device_is_open(i))
			return true;
	return false;
}

struct device *device_get(int id)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, number_devices);
	return &devices[id];
}

struct device *device_find(int64_t id)
{
	if (id >= 0 && id < CFG(devices))
		return device_get((int)id);
	npu_err(ACL_ERROR_RT_INVALID_DEVICEID, "device %lld does not exist, there are %lld", (long long)id,
		(long long)CFG(devices));
	return NULL;
}

static bool device_lost(const struct device *dev)
{
	const struct npu_config *c = npu_config();

	return c->lost_device.task_of.device == dev->id && dev->executed >= c->lost_device.task_of.task;
}

aclError device_check_lost(int id)
{
	if (device_lost(device_get(id)))
		return npu_err(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d is lost", id);
	return ACL_SUCCESS;
}

aclError device_set(int id)
{
	struct device *dev = device_find(id);
	struct thread_state *t = npu_thread();

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	if (!dev->primary && !(dev->primary = context_primary(dev)))
		return npu_err(ACL_ERROR_RT_DEV_SETUP_ERROR, "device %d: no resources for a context", id);
	dev->set_count++;
	t->device = id;
	t->bound_scheduler = t->scheduler;
	if (t->scheduler)
		return npu_err(ACL_ERROR_RT_CONTEXT_NULL, "device %d has no context for the scheduler %d", id,
			t->scheduler);
	context_unbind();
	return ACL_SUCCESS;
}

/* A thread that is bound to a device is bound to the first one after that. */
static aclError set_scheduler(int id)
{
	struct thread_state *t = npu_thread();

	if (!t->context && t->device >= 0) {
		t->device = 0;
		t->bound_scheduler = id;
	}
	t->scheduler = id;
	return ACL_SUCCESS;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
	return LOCKED(set_scheduler((int)tsId));
}

void device_release(struct device *dev)
{
	if (dev->set_count || dev->contexts)
		return;
	events_release_device(dev);
	notifies_release_device(dev);
	cnt_notifies_release_device(dev);
	memory_release_device(dev);
	memset(dev->peer, 0, sizeof(dev->peer));
	memset(dev->cores_set, 0, sizeof(dev->cores_set));
	dev->releases++;
}

static aclError device_reset(int32_t id, bool force)
{
	struct device *dev = device_find(id);
	struct context *primary;

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	npu_thread()->scheduler = ACL_TS_ID_AICORE;
	if (!dev->set_count)
		return npu_err(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device %d is not set", id);
	dev->set_count = force || npu_fact(NPU_ONE_RESET_IS_ENOUGH) ? 0 : dev->set_count - 1;
	if (dev->set_count)
		return ACL_SUCCESS;
	primary = dev->primary;
	dev->primary = NULL;
	context_destroy(primary);
	npu_thread()->device = -1;
	device_release(dev);
	return ACL_SUCCESS;
}

/* Of the device's own context, which another thread may have taken away. */
static aclError streams_of(int32_t id, aclrtStream **all)
{
	const struct context *ctx = device_get(id)->primary;

	*all = NULL;
	return ctx ? (aclError)context_streams(ctx, all) : 0;
}

/* Callbacks hear of the first use of a device, of every set and of the last reset. */
static aclError set_count(int32_t id)
{
	return id >= 0 && id < CFG(devices) ? (aclError)device_get(id)->set_count : -1;
}

static aclError is_closed(int32_t id)
{
	return id >= 0 && id < CFG(devices) && !device_is_open(id);
}

bool device_notify_of_opening(int id)
{
	bool closed = LOCKED(is_closed(id));

	if (closed)
		device_state_notify(id, ACL_RT_DEVICE_STATE_SET_PRE);
	return closed;
}

static void notify_of_stream(int32_t id)
{
	aclrtStream *all;

	if (LOCKED(streams_of(id, &all)))
		stream_state_notify(all[0], ACL_RT_STREAM_STATE_CREATE_POST);
	free(all);
}

/* The stream of the default context comes and goes with the device, which other contexts may hold. */
aclError aclrtSetDevice(int32_t deviceId)
{
	bool opened = device_notify_of_opening(deviceId);
	aclError rc = LOCKED(device_set(deviceId));

	if (rc)
		return rc;
	if (opened)
		notify_of_stream(deviceId);
	device_state_notify(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
	return rc;
}

/* The context's own stream ends before the device, the others with the context. */
static void notify_of_end(int32_t id)
{
	aclrtStream *all;
	aclError n = LOCKED(streams_of(id, &all));

	if (n)
		stream_state_notify(all[0], ACL_RT_STREAM_STATE_DESTROY_PRE);
	device_state_notify(id, ACL_RT_DEVICE_STATE_RESET_PRE);
	for (aclError i = 1; i < n; i++)
		stream_state_notify(all[i], ACL_RT_STREAM_STATE_DESTROY_PRE);
	free(all);
}

static aclError reset_device(int32_t id, bool force)
{
	aclError count = LOCKED(set_count(id));
	bool last = count == 1 || (count > 0 && (force || npu_fact(NPU_ONE_RESET_IS_ENOUGH)));
	aclError rc;

	if (last)
		notify_of_end(id);
	rc = LOCKED(device_reset(id, force));
	if (last && !rc)
		device_state_notify(id, ACL_RT_DEVICE_STATE_RESET_POST);
	return rc;
}

aclError aclrtResetDevice(int32_t deviceId)
{
	return reset_device(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	return reset_device(deviceId, true);
}

/* Of Ascend 910 only; without the Tsd daemon nothing else is different here. */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceWithoutTsdVXX(int32_t deviceId);
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceWithoutTsdVXX(int32_t deviceId);

static aclError check_910(void)
{
	const char *soc = CFG_STR(soc);

	return strncmp(soc, "Ascend910", strlen("Ascend910"))
		       ? npu_err(ACL_ERROR_API_NOT_SUPPORT, "%s is no Ascend 910", soc)
		       : ACL_SUCCESS;
}

aclError aclrtSetDeviceWithoutTsdVXX(int32_t deviceId)
{
	aclError rc = check_910();

	return rc ? rc : aclrtSetDevice(deviceId);
}

aclError aclrtResetDeviceWithoutTsdVXX(int32_t deviceId)
{
	aclError rc = check_910();

	return rc ? rc : aclrtResetDevice(deviceId);
}

static aclError get_device(int32_t *id)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (!rc)
		*id = ctx->dev->id;
	return rc;
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	return LOCKED(get_device(deviceId));
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	*count = (uint32_t)CFG(devices);
	if (!*count && visible_is_set())
		return npu_err(ACL_ERROR_RT_NO_DEVICE, "ASCEND_RT_VISIBLE_DEVICES names no device");
	return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	*runMode = (aclrtRunMode)CFG(run_mode);
	return ACL_SUCCESS;
}

const char *aclrtGetSocName(void)
{
	return CFG_STR(soc);
}

static aclError primary_state(int32_t id, int32_t *active)
{
	struct device *dev = device_find(id);

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	*active = dev->primary != NULL;
	return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
	return LOCKED(primary_state(deviceId, active));
}

static aclError query_status(int32_t id, aclrtDeviceStatus *status)
{
	const struct device *dev = device_find(id);

	if (!dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	*status = device_lost(dev) ? ACL_RT_DEVICE_STATUS_ABNORMAL : ACL_RT_DEVICE_STATUS_NORMAL;
	return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
	return LOCKED(query_status(deviceId, deviceStatus));
}

/* --- numberings: what the program says, and what it stands for, which is logic and physical id at once -----
 */

static aclError map_check(int32_t from, const int32_t *to)
{
	if (!to)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the output is NULL");
	return from < 0 ? npu_answer(DEVICE_ID_NEGATIVE, "device %d", from) : ACL_SUCCESS;
}

static aclError map_user(int32_t user, int32_t *device)
{
	aclError rc = map_check(user, device);

	if (rc)
		return rc;
	if (!device_find(user))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	*device = visible_device(user);
	return ACL_SUCCESS;
}

static aclError map_device(int32_t device, int32_t *user)
{
	aclError rc = map_check(device, user);
	int seen;

	if (rc)
		return rc;
	seen = visible_user(device);
	if (seen < 0)
		return npu_err(
			ACL_ERROR_RT_INVALID_DEVICEID, "device %d does not exist, or is not seen", device);
	*user = seen;
	return ACL_SUCCESS;
}

/* Of these two the logic id is the program's all the same. */
aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId, int32_t *const logicDevId)
{
	return map_device(phyDevId, logicDevId);
}

aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId, int32_t *const phyDevId)
{
	return map_user(logicDevId, phyDevId);
}

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId)
{
	return map_user(userDevid, logicDevId);
}

aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId, int32_t *const phyDevId)
{
	return map_user(userDevId, phyDevId);
}

aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId, int32_t *const userDevid)
{
	return map_device(logicDevId, userDevid);
}

aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId, int32_t *const userDevId)
{
	return map_device(phyDevId, userDevId);
}
