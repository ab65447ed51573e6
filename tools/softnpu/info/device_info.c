/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is said to be: an Ascend 910B with fixed numbers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/visible.h"
#include "tools/softnpu/memory/memory.h"
#include "tools/softnpu/sync/stream.h"

#define CUBE_CORES 24u
#define VECTOR_CORES 48u
#define L2_BYTES (192 << 20)

static const struct {
	aclrtDevAttr attr;
	int64_t value;
} attributes[] = {
	{ACL_DEV_ATTR_AICPU_CORE_NUM, 6},
	{ACL_DEV_ATTR_AICORE_CORE_NUM, CUBE_CORES},
	{ACL_DEV_ATTR_CUBE_CORE_NUM, CUBE_CORES},
	{ACL_DEV_ATTR_VECTOR_CORE_NUM, VECTOR_CORES},
	{ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE, 192 * 1024},
	{ACL_DEV_ATTR_L2_CACHE_SIZE, L2_BYTES},
	{ACL_DEV_ATTR_IS_VIRTUAL, 0},
};

/* What threads of vector cores have, on the Ascend 950 only: on others it is 0, and no mistake to ask for. */
static bool is_of_threads(aclrtDevAttr attr)
{
	return attr >= ACL_DEV_ATTR_WARP_SIZE && attr <= ACL_DEV_ATTR_MAX_BLOCK_DIM_Z &&
	       !npu_soc("Ascend950");
}

static aclError get_thread_info(aclrtDevAttr attr, int64_t *value)
{
	aclError rc = ACL_SUCCESS;

	if (attr >= ACL_DEV_ATTR_MAX_GRID_DIM_X)
		rc = npu_answer(DEVICE_INFO_GRID, "attribute %d", attr);
	if (!rc)
		*value = 0;
	return rc;
}

static aclError get_info(struct device *dev, aclrtDevAttr attr, int64_t *value)
{
	if (attr == ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE)
		*value = npu_memory(dev->id);
	else if (attr == ACL_DEV_ATTR_PHY_CHIP_ID || attr == ACL_DEV_ATTR_SMP_ID)
		*value = dev->id;
	else
		return npu_answer(DEVICE_INFO_UNKNOWN, "attribute %d", attr);
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
	struct device *dev;

	dev = device_find(deviceId);
	if (!dev)
		return npu_answer(DEVICE_INFO_NO_DEVICE, "device %u", deviceId);
	if (is_of_threads(attr))
		return get_thread_info(attr, value);
	for (unsigned i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].attr == attr) {
			*value = attributes[i].value;
			return ACL_SUCCESS;
		}
	return get_info(dev, attr, value);
}

/* The older interface: a bad device is a bad argument. */
aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
	if (deviceId >= (uint64_t)CFG(devices))
		return npu_err(ACL_ERROR_INVALID_PARAM, "device %u", deviceId);
	if (deviceInfo == ACL_DEVICE_INFO_AI_CORE_NUM)
		*value = CUBE_CORES;
	else if (deviceInfo == ACL_DEVICE_INFO_VECTOR_CORE_NUM)
		*value = VECTOR_CORES;
	else if (deviceInfo == ACL_DEVICE_INFO_L2_SIZE)
		*value = L2_BYTES;
	else
		return npu_err(ACL_ERROR_INVALID_PARAM, "device information %d", deviceInfo);
	return ACL_SUCCESS;
}

static const aclCannAttr cann_attributes[] = {
	ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
	*cannAttrList = cann_attributes;
	*num = ARRAY_SIZE(cann_attributes);
	return ACL_SUCCESS;
}

/* Operators run on the host's own numbers, which have all of them; nothing is compiled for a device. */
aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
	for (unsigned i = 0; i < ARRAY_SIZE(cann_attributes); i++)
		if (cann_attributes[i] == cannAttr) {
			*value = cannAttr != ACL_CANN_ATTR_JIT_COMPILE;
			return ACL_SUCCESS;
		}
	return npu_err(ACL_ERROR_INVALID_PARAM, "attribute %d", cannAttr);
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid)
{
	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	memset(uuid, 0, sizeof(*uuid));
	snprintf(uuid->bytes, sizeof(uuid->bytes), "softnpu-%d", visible_device(deviceId));
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len)
{
	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	snprintf(pciBusId, (size_t)len, "0000:%02x:00.0", (unsigned)visible_device(deviceId) & 0xff);
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId)
{
	unsigned bus;
	int user = sscanf(pciBusId, "0000:%2x:00.0", &bus) == 1 ? visible_user(bus) : -1;

	if (user < 0)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "no device at %s", pciBusId);
	*deviceId = user;
	return ACL_SUCCESS;
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t *value)
{
	if (!device_find(deviceId) || !device_find(otherDeviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	*value = ACL_RT_DEVS_TOPOLOGY_HCCS;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
	/* Unknown is not an error, not even for a device that is not there; memory is never known. */
	const int32_t core = device_find(deviceId) ? 0 : -1;

	*utilizationInfo = (aclrtUtilizationInfo){
		.cubeUtilization = core,
		.vectorUtilization = core,
		.aicpuUtilization = core,
		.memoryUtilization = -1,
	};
	return ACL_SUCCESS;
}

/* A device, asked for by a thread that has a context, of whatever device. */
static aclError find_in_context(int32_t id, struct device **dev)
{
	struct context *ctx;

	*dev = device_find(id);
	return *dev ? context_need(&ctx) : ACL_ERROR_RT_INVALID_DEVICEID;
}

/* Tasks can be updated, but only a thread with a context can ask. */
static aclError capability(int32_t id, aclrtDevFeatureType feature, int32_t *value)
{
	struct device *dev = device_find(id);
	aclError rc = dev ? ACL_SUCCESS : ACL_ERROR_RT_INVALID_DEVICEID;
	bool update = feature == ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV;

	if (update)
		rc = find_in_context(id, &dev);
	if (!rc)
		*value = update ? ACL_DEV_FEATURE_SUPPORT : ACL_DEV_FEATURE_NOT_SUPPORT;
	return rc;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t *value)
{
	return LOCKED(capability(deviceId, devFeatureType, value));
}

static void usage_of(const struct device *dev, aclrtMemUsageInfo *info)
{
	memset(info, 0, sizeof(*info));
	strcpy(info->name, "APP");
	info->curMemSize = info->memPeakSize = dev->memory.used;
}

aclError aclrtGetMemUsageInfo(
	int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum)
{
	*outputNum = 0;
	if (!inputNum)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "there is no room for any module");
	return LOCKED_WITH(device, dev, find_in_context(deviceId, &dev), usage_of(dev, memUsageInfo);
			   *outputNum = 1);
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
	*pid = getpid();
	return ACL_SUCCESS;
}

aclError aclrtDeviceL2CacheFlush(void *rsv)
{
	struct context *ctx;

	return LOCKED(context_need(&ctx));
}

static aclError find_mapping(int32_t id, aclrtHacType type, struct device **dev)
{
	if (device_find(id) && (unsigned)type > ACL_RT_HAC_TYPE_CCU)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown accelerator %d", (int)type);
	return find_in_context(id, dev);
}

aclError aclrtHostMemMapCapabilities(
	uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability *capabilities)
{
	return LOCKED_WITH(device, dev, find_mapping((int32_t)deviceId, hacType, &dev),
		*capabilities = ACL_RT_HOST_MEM_MAP_SUPPORTED);
}

aclError aclrtCheckArchCompatibility(const char *socVersion, int32_t *canCompatible)
{
	if (strncmp(socVersion, "Ascend", strlen("Ascend")))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%s is no product", socVersion);
	/* The family is what stands before the last part of the name. */
	*canCompatible = !strncmp(socVersion, CFG_STR(soc), strlen(CFG_STR(soc)) - 1);
	return ACL_SUCCESS;
}

/* Nothing goes wrong with this memory. */
aclError aclrtGetMemUceInfo(
	int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize, size_t *retSize)
{
	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	*retSize = 0;
	return ACL_SUCCESS;
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	memset(errorInfo, 0, sizeof(*errorInfo));
	errorInfo->errorType = ACL_RT_NO_ERROR;
	return ACL_SUCCESS;
}

/* There is nothing to repair. The number of reserved words is taken for their bytes: what is behind those
   is not compared. */
aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize)
{
	static const char zeros[UCE_INFO_RESERVED_SIZE];

	for (size_t i = 0; i < arraySize; i++)
		if (memcmp(memUceInfoArray[i].reserved, zeros, sizeof(zeros)))
			return npu_err(ACL_ERROR_INVALID_PARAM, "reserved must be 0");
	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "memory is not repaired here");
}

static aclError need_set(const struct device *dev)
{
	if (device_is_open(dev->id))
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_DEV_SETUP_ERROR, "device %d is not set", dev->id);
}

/* The 910B knows faults of memory only. */
static aclError repair(int32_t id, aclrtErrorType type)
{
	struct device *dev = device_find(id);
	aclError rc = dev ? need_set(dev) : ACL_ERROR_RT_INVALID_DEVICEID;

	if (rc || type == ACL_RT_NO_ERROR)
		return rc;
	if (type != ACL_RT_ERROR_MEMORY)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "errors of type %d are not repaired", type);
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "memory is not repaired here");
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo)
{
	return LOCKED(repair(deviceId, errorInfo->errorType));
}

/* --- atomic operations across links: there are none, as on the 910B ----------------------------- */

static aclError atomic_operations(
	uint32_t *capabilities, const aclrtAtomicOperation *operations, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if ((unsigned)operations[i] > ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown operation %d", operations[i]);
	memset(capabilities, 0, count * sizeof(*capabilities));
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
	const uint32_t count, int32_t deviceId)
{
	return device_find(deviceId) ? atomic_operations(capabilities, operations, count)
				     : ACL_ERROR_RT_INVALID_DEVICEID;
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
	const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId)
{
	return device_find(srcDeviceId) && device_find(dstDeviceId)
		       ? atomic_operations(capabilities, operations, count)
		       : ACL_ERROR_RT_INVALID_DEVICEID;
}

/* --- limits of the whole process: take effect at the next first aclrtSetDevice --------------- */

#define LARGEST_FIFO (64u << 20)

static const struct {
	uint32_t value; /* until another one is set */
	uint32_t least, most; /* what is refused lies outside */
	uint32_t without_effect; /* up to this */
	uint32_t unit;
	bool simt; /* of threads in vector cores, which Ascend 950 has */
} limits[] = {
	[ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE] = {4096, 0, UINT32_MAX, 0, 128, true},
	[ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE] = {4096, 0, UINT32_MAX, 0, 128, true},
	[ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE] = {32768, 0, UINT32_MAX, 32768, 16384, false},
	[ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE] = {1 << 20, 1024, LARGEST_FIFO, 0, 8, false},
	[ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE] = {4 << 20, 1 << 20, LARGEST_FIFO, 0, 8, true},
};

static struct {
	uint32_t value;
	bool set;
} limits_now[ARRAY_SIZE(limits)];

void limits_forget(void)
{
	memset(limits_now, 0, sizeof(limits_now));
}

static aclError check_limit(aclrtDeviceLimit which)
{
	if (limits[which].simt && !npu_soc("Ascend950"))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no such limit", CFG_STR(soc));
	return ACL_SUCCESS;
}

static aclError set_limit(aclrtDeviceLimit which, uint32_t value)
{
	aclError rc = check_limit(which);

	if (!rc && (value < limits[which].least || value > limits[which].most))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%u is not from %u to %u", value,
			limits[which].least, limits[which].most);
	if (!rc && value > limits[which].without_effect) {
		limits_now[which].value = ALIGN_UP(value, limits[which].unit);
		limits_now[which].set = true;
	}
	return rc;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limitType, size_t value)
{
	return LOCKED(set_limit(limitType, (uint32_t)value));
}

static aclError get_limit(aclrtDeviceLimit which, size_t *value)
{
	aclError rc = check_limit(which);

	if (!rc)
		*value = limits_now[which].set ? limits_now[which].value : limits[which].value;
	return rc;
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limitType, size_t *value)
{
	return LOCKED(get_limit(limitType, value));
}

/* --- cores a stream or a device may use --------------------------------------------------- */

static const uint32_t core_default[] = {CUBE_CORES, VECTOR_CORES};

static aclError check_type(aclrtDevResLimitType type)
{
	return (unsigned)type < ARRAY_SIZE(core_default)
		       ? ACL_SUCCESS
		       : npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown type %d", type);
}

static aclError check_cores(aclrtDevResLimitType type, uint32_t value)
{
	return value <= core_default[type]
		       ? ACL_SUCCESS
		       : npu_err(ACL_ERROR_RT_PARAM_INVALID, "%u cores are too many", value);
}

static uint32_t device_cores(const struct device *dev, aclrtDevResLimitType type)
{
	return dev->cores_set[type] ? dev->cores[type] : core_default[type];
}

/* A negative id is refused before the type, one that is too large after it. */
static aclError find_set(int32_t id, aclrtDevResLimitType type, struct device **dev)
{
	aclError rc = id < 0 ? npu_err(ACL_ERROR_RT_INVALID_DEVICEID, "device %d", id) : check_type(type);

	if (rc)
		return rc;
	*dev = device_find(id);
	if (!*dev)
		return ACL_ERROR_RT_INVALID_DEVICEID;
	return need_set(*dev);
}

static aclError set_device_cores(int32_t id, aclrtDevResLimitType type, uint32_t value)
{
	struct device *dev;
	aclError rc = find_set(id, type, &dev);

	if (!rc)
		rc = check_cores(type, value);
	if (rc)
		return rc;
	dev->cores[type] = value;
	dev->cores_set[type] = true;
	return ACL_SUCCESS;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
	return LOCKED(set_device_cores(deviceId, type, value));
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
	return LOCKED_WITH(device, dev, find_set(deviceId, type, &dev), *value = device_cores(dev, type));
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
	return LOCKED_WITH(device, dev, find_set(deviceId, ACL_RT_DEV_RES_CUBE_CORE, &dev),
		memset(dev->cores_set, 0, sizeof(dev->cores_set)));
}

/* The handle before other arguments, a context for the default stream only, and after them. */
static aclError find_limited(
	aclrtStream handle, aclrtDevResLimitType type, const uint32_t *value, struct stream **s)
{
	aclError rc = stream_named(handle, STREAM_QUERY, s);

	if (!rc)
		rc = check_type(type);
	if (!rc && value)
		rc = check_cores(type, *value);
	return rc || *s ? rc : stream_enter(STREAM_QUERY, s);
}

static aclError find_any(aclrtStream handle, struct stream **s)
{
	return find_limited(handle, ACL_RT_DEV_RES_CUBE_CORE, NULL, s);
}

static uint32_t stream_cores(const struct stream *s, aclrtDevResLimitType type)
{
	return s->res_limit_set[type] ? s->res_limit[type] : device_cores(device_get(s->lane.device), type);
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
	return LOCKED_WITH(stream, s, find_limited(stream, type, &value, &s), s->res_limit[type] = value;
			   s->res_limit_set[type] = true);
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
	return LOCKED_WITH(stream, s, find_limited(stream, type, NULL, &s), *value = stream_cores(s, type));
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
	return LOCKED_WITH(
		stream, s, find_any(stream, &s), memset(s->res_limit_set, 0, sizeof(s->res_limit_set)));
}

/* The stream whose limit counts in this thread, by handle: a dead one no longer counts. */
static __thread aclrtStream limiting_stream;

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
	return LOCKED_WITH(stream, s, find_any(stream, &s), limiting_stream = object_handle(&s->obj));
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
	return LOCKED_WITH(stream, s, find_any(stream, &s),
		limiting_stream = limiting_stream == object_handle(&s->obj) ? NULL : limiting_stream);
}

/* A limit of the stream counts without a context. */
static aclError thread_cores(aclrtDevResLimitType type, uint32_t *value)
{
	struct object *o = object_find(limiting_stream, OBJ_STREAM);
	const struct stream *s = o ? container_of(o, struct stream, obj) : NULL;
	struct context *ctx;
	aclError rc = check_type(type);

	if (rc)
		return rc;
	if (s && s->res_limit_set[type]) {
		*value = s->res_limit[type];
		return ACL_SUCCESS;
	}
	rc = context_need(&ctx);
	if (!rc)
		*value = device_cores(ctx->dev, type);
	return rc;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
	return LOCKED(thread_cores(type, value));
}
