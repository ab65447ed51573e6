/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: addresses reserved here, physical memory mapped there. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/core/page_size.h"
#include "tools/softnpu/memory/memory.h"

#define GRANULARITY ((size_t)2 << 20)

/* Physical memory; the program's references are counted, mappings hold it too. */
struct physical {
	struct object obj;
	unsigned handles; /* malloc or import, plus each retain */
	aclrtPhysicalMemProp prop;
	size_t size;
	int fd; /* the memory file and where in it */
	size_t offset;
	struct arena *arena; /* NULL: imported, fd is ours */
	struct extent *extent;
	bool exported;
};

struct mapping {
	struct list link; /* of its reservation */
	char *addr;
	size_t size;
	struct physical *phys;
	uint64_t access; /* aclrtMemAccessFlags */
};

/* What block.owner of a BLOCK_RESERVED is: addresses come in pairs, the program's and ours. */
struct reservation {
	struct list mappings;
};

static void physical_release(struct object *o)
{
	struct physical *p = container_of(o, struct physical, obj);

	if (p->arena)
		arena_free(p->arena, p->extent);
	else
		close(p->fd);
	free(p);
}

static aclError physical_find(aclrtDrvMemHandle handle, struct physical **p)
{
	return OBJECT_NAMED(handle, OBJ_PHYSICAL, ACL_ERROR_RT_INVALID_HANDLE, "physical memory", p);
}

static aclError location_check(const aclrtMemLocation *place)
{
	if (place->type == ACL_MEM_LOCATION_TYPE_DEVICE && !device_find((int32_t)place->id))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	return ACL_SUCCESS;
}

/* Devices have no DDR of their own; what the host has is not asked about. */
static bool known_attribute(const aclrtPhysicalMemProp *prop)
{
	switch (prop->memAttr) {
	case ACL_HBM_MEM_HUGE:
	case ACL_HBM_MEM_NORMAL:
	case ACL_HBM_MEM_HUGE1G:
	case ACL_MEM_NORMAL:
	case ACL_MEM_HUGE:
	case ACL_MEM_HUGE1G:
	case ACL_MEM_P2P_NORMAL:
	case ACL_MEM_P2P_HUGE:
	case ACL_MEM_P2P_HUGE1G:
		return true;
	case ACL_DDR_MEM_HUGE:
	case ACL_DDR_MEM_NORMAL:
	case ACL_DDR_MEM_P2P_HUGE:
	case ACL_DDR_MEM_P2P_NORMAL:
		return prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE;
	default:
		return false;
	}
}

static aclError check_place(const aclrtPhysicalMemProp *prop)
{
	if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE &&
		prop->location.type != ACL_MEM_LOCATION_TYPE_HOST &&
		prop->location.type != ACL_MEM_LOCATION_TYPE_HOST_NUMA)
		return npu_err(ACL_ERROR_INVALID_PARAM, "location type %d", prop->location.type);
	if (!known_attribute(prop))
		return npu_err(ACL_ERROR_INVALID_PARAM, "no memory of attribute %d at location type %d",
			prop->memAttr, prop->location.type);
	return location_check(&prop->location);
}

/* What the memory is asked for with; of a granularity only the place counts. */
static aclError check_prop(const aclrtPhysicalMemProp *prop)
{
	if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE ||
		prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
		return npu_err(
			ACL_ERROR_INVALID_PARAM, "handle or allocation type is not the only possible one");
	return check_place(prop);
}

aclError aclrtMemGetAllocationGranularity(
	aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option, size_t *granularity)
{
	aclError rc;

	rc = check_place(prop);
	if (!rc && option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
		option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown option %d", option);
	if (!rc)
		*granularity = GRANULARITY;
	return rc;
}

static struct physical *physical_new(const aclrtPhysicalMemProp *prop, size_t size)
{
	struct physical *p = calloc(1, sizeof(*p));

	if (!p || !object_init(&p->obj, OBJ_PHYSICAL, physical_release)) {
		free(p);
		return NULL;
	}
	p->handles = 1;
	p->prop = *prop;
	p->size = size;
	p->fd = -1;
	return p;
}

static aclError physical_malloc(aclrtDrvMemHandle *out, size_t size, const aclrtPhysicalMemProp *prop)
{
	bool on_device = prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
	struct arena *a = memory_arena(
		on_device ? BLOCK_DEVICE : BLOCK_PINNED, device_get(on_device ? (int)prop->location.id : 0));
	struct extent *e = a ? arena_alloc(a, ALIGN_UP(size, GRANULARITY), GRANULARITY) : NULL;
	struct physical *p = e ? physical_new(prop, size) : NULL;

	if (!p) {
		if (e)
			arena_free(a, e);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no room for %zu bytes", size);
	}
	p->arena = a;
	p->extent = e;
	p->fd = a->fd;
	p->offset = extent_offset(e);
	*out = object_handle(&p->obj);
	return ACL_SUCCESS;
}

/* Memory of a part of the host is asked for by way of the current device. */
static aclError physical_enter(const aclrtPhysicalMemProp *prop)
{
	struct context *ctx;

	return prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA ? context_need(&ctx) : ACL_SUCCESS;
}

aclError aclrtMallocPhysical(
	aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
	aclError rc = check_prop(prop);

	if (!rc)
		rc = LOCKED(physical_enter(prop));
	return rc ? rc : LOCKED(physical_malloc(handle, size, prop));
}

static void physical_drop(struct physical *p)
{
	if (--p->handles == 0)
		object_kill(&p->obj); /* mappings keep it */
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	return LOCKED_WITH(physical, p, physical_find(handle, &p), physical_drop(p));
}

/* Where two attributes mean one kind of memory, one of them is read back, whichever it was asked for by. */
static aclrtMemAttr attribute_read(const aclrtPhysicalMemProp *prop)
{
	static const aclrtMemAttr on_device[ACL_MEM_P2P_HUGE1G + 1] = {
		[ACL_MEM_NORMAL] = ACL_HBM_MEM_NORMAL,
		[ACL_MEM_HUGE] = ACL_HBM_MEM_HUGE,
		[ACL_MEM_HUGE1G] = ACL_HBM_MEM_HUGE1G,
	};
	static const aclrtMemAttr on_host[ACL_MEM_P2P_HUGE1G + 1] = {
		[ACL_DDR_MEM_HUGE] = ACL_MEM_HUGE,
		[ACL_DDR_MEM_NORMAL] = ACL_MEM_NORMAL,
		[ACL_DDR_MEM_P2P_HUGE] = ACL_MEM_P2P_HUGE,
		[ACL_MEM_P2P_NORMAL] = ACL_DDR_MEM_P2P_NORMAL,
	};
	bool device = prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
	aclrtMemAttr other = (device ? on_device : on_host)[prop->memAttr];

	return other ? other : prop->memAttr;
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop)
{
	return LOCKED_WITH(physical, p, physical_find(handle, &p), *prop = p->prop;
			   prop->memAttr = attribute_read(prop));
}

/* --- reservations --------------------------------------------------------------- */

static aclError reserve(void **out, size_t size, size_t align, void *hint)
{
	struct reservation *r = calloc(1, sizeof(*r));
	struct block *b = calloc(1, sizeof(*b));
	struct context *ctx = context_current();

	if (!r || !b || size > SIZE_MAX / 2)
		goto no_memory;
	list_init(&r->mappings);
	b->size = b->requested = ALIGN_UP(size, page_size());
	b->kind = BLOCK_RESERVED;
	b->device = ctx ? ctx->dev->id : 0;
	b->owner = r;
	b->addr = addresses_reserve(hint, b->size, align);
	b->shadow = b->addr ? addresses_reserve(NULL, b->size, GRANULARITY) : NULL;
	if (b->shadow && block_insert(b)) {
		*out = b->addr;
		return ACL_SUCCESS;
	}
	if (b->addr)
		munmap(b->addr, b->size);
	if (b->shadow)
		munmap(b->shadow, b->size);
no_memory:
	free(r);
	free(b);
	return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no addresses for %zu bytes", size);
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
	return LOCKED(reserve(virPtr, size, alignment < GRANULARITY ? GRANULARITY : alignment, expectPtr));
}

aclError aclrtReserveMemAddressNoUCMemory(
	void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
	return aclrtReserveMemAddress(virPtr, size, alignment, expectPtr, flags);
}

static struct block *find_reservation(const void *addr, size_t size)
{
	struct block *b = block_find(addr);

	if (!b || b->kind != BLOCK_RESERVED || size > b->size - (size_t)((const char *)addr - b->addr))
		return NULL;
	return b;
}

static aclError vmm_release(const void *addr)
{
	struct block *b = block_at(addr);
	struct reservation *r;

	if (!b || b->kind != BLOCK_RESERVED)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of reserved addresses", addr);
	r = b->owner;
	if (!list_empty(&r->mappings))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "memory is still mapped there");
	munmap(b->addr, b->size);
	munmap(b->shadow, b->size);
	block_remove(b);
	free(r);
	free(b);
	return ACL_SUCCESS;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
	return LOCKED(vmm_release(virPtr));
}

/* --- mappings ----------------------------------------------------------------------- */

static struct mapping *mapping_at(const void *addr, struct block **b)
{
	struct mapping *m;

	*b = find_reservation(addr, 1);
	if (!*b)
		return NULL;
	list_for_each(m, &((struct reservation *)(*b)->owner)->mappings, link) if (m->addr == addr) return m;
	return NULL;
}

bool mapped_at(const struct block *b, const void *addr, enum location *loc, int *device)
{
	const char *at = addr;
	struct mapping *m;

	list_for_each(m, &((struct reservation *)b->owner)->mappings, link)
	{
		const aclrtMemLocation *where = &m->phys->prop.location;

		if (at < m->addr || at >= m->addr + m->size)
			continue;
		*loc = where->type == ACL_MEM_LOCATION_TYPE_DEVICE ? LOC_DEVICE : LOC_HOST;
		*device = *loc == LOC_DEVICE ? (int)where->id : -1;
		return true;
	}
	return false;
}

static bool is_free(const struct block *b, const char *addr, size_t size)
{
	struct mapping *m;

	list_for_each(m, &((struct reservation *)b->owner)->mappings,
		link) if (addr < m->addr + m->size && m->addr < addr + size) return false;
	return true;
}

static bool map_at(char *at, const struct mapping *m, int prot)
{
	return mmap(at, m->size, prot, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, m->phys->fd,
		       (off_t)m->phys->offset) != MAP_FAILED;
}

static void unmap_at(char *at, size_t size)
{
	mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static bool map_both(const struct block *b, const struct mapping *m)
{
	bool hidden = CFG(strict) && m->phys->prop.location.type == ACL_MEM_LOCATION_TYPE_DEVICE &&
		      !npu_on_device();

	return map_at(m->addr, m, hidden ? PROT_NONE : PROT_READ | PROT_WRITE) &&
	       map_at(b->shadow + (m->addr - b->addr), m, PROT_READ | PROT_WRITE);
}

static aclError map_memory(char *addr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t access)
{
	struct block *b = find_reservation(addr, size);
	struct mapping *m;
	struct physical *p;
	aclError rc = physical_find(handle, &p);

	if (rc)
		return rc;
	if (!b || !is_free(b, addr, size) || (uintptr_t)addr % page_size() || offset ||
		size > ALIGN_UP(p->size, GRANULARITY))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p..+%zu is not reserved and free, or too large",
			(void *)addr, size);
	m = calloc(1, sizeof(*m));
	if (!m)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a mapping");
	m->addr = addr;
	m->size = size;
	m->phys = p;
	m->access = access;
	if (!map_both(b, m)) {
		unmap_at(addr, size);
		free(m);
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "mapping failed");
	}
	object_get(&p->obj);
	list_add_tail(&((struct reservation *)b->owner)->mappings, &m->link);
	return ACL_SUCCESS;
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
	return LOCKED(map_memory(virPtr, size, offset, handle, ACL_RT_MEM_ACCESS_FLAGS_READWRITE));
}

aclError aclrtMemMapNoAccess(
	void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
	return LOCKED(map_memory(virPtr, size, offset, handle, ACL_RT_MEM_ACCESS_FLAGS_NONE));
}

static aclError unmap(const void *addr)
{
	struct block *b;
	struct mapping *m = mapping_at(addr, &b);

	if (!m)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of a mapping", addr);
	unmap_at(m->addr, m->size);
	unmap_at(b->shadow + (m->addr - b->addr), m->size);
	list_del(&m->link);
	object_put(&m->phys->obj);
	free(m);
	return ACL_SUCCESS;
}

aclError aclrtUnmapMem(void *virPtr)
{
	return LOCKED(unmap(virPtr));
}

static aclError retain(const void *addr, aclrtDrvMemHandle *out)
{
	struct block *b;
	struct mapping *m = mapping_at(addr, &b);

	if (!m || !m->phys->obj.alive)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of a mapping", addr);
	m->phys->handles++;
	*out = object_handle(&m->phys->obj);
	return ACL_SUCCESS;
}

/* No product here has a choice of links; what is looked at before is. */
static aclError select_link(const void *from)
{
	struct block *b = block_find(from);
	struct mapping *m = b && b->addr == from ? mapping_at(from, &b) : NULL;

	if (!m || !m->phys->obj.alive)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of mapped memory", from);
	return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s has no choice of links", CFG_STR(soc));
}

aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc, uint32_t linkIdx)
{
	return LOCKED(select_link(virPtrSrc));
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
	return LOCKED(retain(virPtr, handle));
}

static aclError set_access(const void *addr, uint64_t flags)
{
	struct block *b;
	struct mapping *m = mapping_at(addr, &b);

	if (!m)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of a mapping", addr);
	m->access = flags;
	return ACL_SUCCESS;
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (location_check(&desc[i].location))
			return ACL_ERROR_RT_INVALID_DEVICEID;
	for (size_t i = 0; i < count; i++)
		if (desc[i].flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the flags are not READWRITE");
	return LOCKED(set_access(virPtr, desc->flags));
}

static aclError get_access(const void *addr, uint64_t *flag)
{
	struct block *b;
	struct mapping *m = mapping_at(addr, &b);

	if (!m)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the start of a mapping", addr);
	*flag = m->access;
	return ACL_SUCCESS;
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
	aclError rc = location_check(location);

	return rc ? rc : LOCKED(get_access(virPtr, flag));
}

/* --- sharing ---------------------------------------------------------------------- */

/* The 64-bit form of a key: process, which has 22 bits, device, place and descriptor. */
static uint64_t shareable(const struct physical *p)
{
	return (uint64_t)getpid() << 42 | (uint64_t)(p->prop.location.id % MAX_DEVICES) << 36 |
	       (uint64_t)(p->offset / GRANULARITY) << 12 | (uint64_t)((unsigned)p->fd & 0xfff);
}

_Static_assert(MAX_DEVICES == 64, "a device has six bits of a key");

/* Memory of the host is reached over the fabric, not by a handle of one server. */
static aclError export_handle(
	aclrtDrvMemHandle handle, aclrtMemSharedHandleType type, uint64_t *out, struct physical **found)
{
	struct physical *p;
	aclError rc = physical_find(handle, &p);

	if (rc)
		return rc;
	if (p->exported || (p->prop.location.type != ACL_MEM_LOCATION_TYPE_DEVICE &&
				   type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "exported before, or host memory");
	p->exported = true;
	*out = shareable(p);
	*found = p;
	return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandle(
	aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags, uint64_t *shareableHandle)
{
	struct physical *p;

	return LOCKED(export_handle(handle, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, shareableHandle, &p));
}

/* Imported memory is as large as what is left of the file at most; mapping says how much is used. */
static aclError import_handle(uint64_t key, int device, size_t size, aclrtDrvMemHandle *out)
{
	aclrtPhysicalMemProp prop = {.memAttr = ACL_HBM_MEM_HUGE,
		.location = {.id = (uint32_t)device, .type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	struct shared_key where = {.pid = (int)(key >> 42), .fd = (int)(key & 0xfff)};
	int fd = shared_key_open(&where), from = (int)(key >> 36) % MAX_DEVICES;
	struct physical *p = fd < 0 ? NULL : physical_new(&prop, size);

	if (!p) {
		if (fd >= 0)
			close(fd);
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "no process has exported this handle");
	}
	p->fd = fd;
	p->offset = (size_t)(key >> 12 & 0xffffff) * GRANULARITY;
	peers_connect(from, device);
	*out = object_handle(&p->obj);
	return ACL_SUCCESS;
}

aclError aclrtMemImportFromShareableHandle(
	uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle *handle)
{
	struct context *ctx;
	aclError rc;

	if (!device_find(deviceId))
		return ACL_ERROR_RT_INVALID_DEVICEID;
	rc = LOCKED(context_need(&ctx));
	return rc ? rc : LOCKED(import_handle(shareableHandle, deviceId, SIZE_MAX / 2, handle));
}

static aclError export_v2(aclrtDrvMemHandle handle, aclrtMemSharedHandleType type, void *out)
{
	struct context *ctx;
	struct physical *p;
	uint64_t key;
	aclError rc = type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ? context_need(&ctx) : ACL_SUCCESS;

	if (!rc)
		rc = export_handle(handle, type, &key, &p);
	if (rc)
		return rc;
	if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		memset(out, 0, sizeof(aclrtMemFabricHandle));
	memcpy(out, &key, sizeof(key));
	return ACL_SUCCESS;
}

aclError aclrtMemExportToShareableHandleV2(
	aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType, void *shareableHandle)
{
	return LOCKED(export_v2(handle, shareType, shareableHandle));
}

static aclError import_here(const void *shareable, aclrtMemSharedHandleType type, aclrtDrvMemHandle *out)
{
	struct context *ctx;
	uint64_t key;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (type != ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT && type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown type %d", type);
	memcpy(&key, shareable, sizeof(key));
	return import_handle(key, ctx->dev->id, SIZE_MAX / 2, out);
}

aclError aclrtMemImportFromShareableHandleV2(
	void *shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags, aclrtDrvMemHandle *handle)
{
	return LOCKED(import_here(shareableHandle, shareType, handle));
}

/* Keys are open to the processes of this user. */
aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid, size_t pidNum)
{
	(void)shareableHandle;
	return ACL_SUCCESS;
}

aclError aclrtMemSetPidToShareableHandleV2(
	void *shareableHandle, aclrtMemSharedHandleType shareType, int32_t *pid, size_t pidNum)
{
	return ACL_SUCCESS;
}
