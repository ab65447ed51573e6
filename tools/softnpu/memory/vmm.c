/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: addresses reserved here, physical memory mapped there. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/core/page_size.h"
#include "tools/softnpu/core/visible.h"
#include "tools/softnpu/memory/memory.h"
#include "tools/softnpu/memory/physical.h"

struct mapping {
	struct list link; /* of its reservation */
	char *addr;
	size_t size;
	struct physical *phys;
	uint64_t access; /* aclrtMemAccessFlags of where the memory is */
	uint64_t devices; /* others that may use it, */
	bool host; /* and whether the host may */
};

/* What block.owner of a BLOCK_RESERVED is: addresses come in pairs, the program's and ours. */
struct reservation {
	struct list mappings;
	bool used; /* something was mapped there, of: */
	int side; /* a device, or the host */
};

#define HOST_SIDE (-1)

static int side_of(const aclrtMemLocation *place)
{
	return place->type == ACL_MEM_LOCATION_TYPE_DEVICE ? (int)place->id : HOST_SIDE;
}

static void physical_release(struct object *o)
{
	struct physical *p = container_of(o, struct physical, obj);
	uint64_t *users = p->shared ? shared_word(p->shared) + MEMORY_USERS : NULL;

	if (!p->arena) {
		__atomic_sub_fetch(users, 1, __ATOMIC_SEQ_CST);
		close(p->fd);
	} else if (!users || !__atomic_load_n(users, __ATOMIC_SEQ_CST))
		arena_free(p->arena, p->extent);
	else
		npu_keep(p->extent); /* other processes have it still */
	if (p->shared)
		shared_word_close(p->shared);
	list_del(&p->link);
	free(p);
}

aclError physical_find(aclrtDrvMemHandle handle, struct physical **p)
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

struct physical *physical_new(const aclrtPhysicalMemProp *prop, size_t size)
{
	struct physical *p = calloc(1, sizeof(*p));

	if (!p || !object_init(&p->obj, OBJ_PHYSICAL, physical_release)) {
		free(p);
		return NULL;
	}
	list_init(&p->link);
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

static void physical_end(struct physical *p)
{
	if (!p->handles && !p->mappings)
		object_kill(&p->obj);
}

static aclError physical_drop(aclrtDrvMemHandle handle)
{
	struct physical *p;
	aclError rc = physical_find(handle, &p);

	if (rc)
		return rc;
	if (!p->handles)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the memory is freed as soon as it is unmapped");
	p->handles--;
	physical_end(p);
	return ACL_SUCCESS;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	return LOCKED(physical_drop(handle));
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

/* Where it is wanted: as the pages to come lie, and a larger one as its own size does. */
static bool can_begin_at(const void *hint, size_t size)
{
	size_t step = size > ((size_t)512 << 20) ? (size_t)1 << 30 : GRANULARITY;

	while (step < size)
		step *= 2;
	return (uintptr_t)hint % step == 0;
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
	if (size <= SIZE_MAX / 2 && !can_begin_at(expectPtr, size))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes cannot begin at %p", size, expectPtr);
	return LOCKED(reserve(virPtr, size, GRANULARITY, expectPtr));
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

/* The one that contains addr. */
static struct mapping *mapping_of(const struct block *b, const char *addr)
{
	struct mapping *m;

	list_for_each(m, &((struct reservation *)b->owner)->mappings,
		link) if (addr >= m->addr && addr < m->addr + m->size) return m;
	return NULL;
}

bool mapped_at(const struct block *b, const void *addr, enum location *loc, int *device)
{
	const struct mapping *m = mapping_of(b, addr);

	if (!m)
		return false;
	*device = side_of(&m->phys->prop.location);
	*loc = *device == HOST_SIDE ? LOC_HOST : LOC_DEVICE;
	return true;
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

/* Of one side as long as something is mapped there. */
static bool can_map(const struct block *b, const char *addr, size_t size, const struct physical *p)
{
	const struct reservation *r = b->owner;
	size_t step = b->size < GRANULARITY ? page_size() : GRANULARITY;

	return is_free(b, addr, size) && (uintptr_t)addr % step == 0 && size % step == 0 &&
	       (list_empty(&r->mappings) || r->side == side_of(&p->prop.location));
}

static aclError map_memory(char *addr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t access)
{
	struct block *b = find_reservation(addr, size);
	struct reservation *r;
	struct mapping *m;
	struct physical *p;
	aclError rc = physical_find(handle, &p);

	if (rc)
		return rc;
	if (offset)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "offset %zu is not 0", offset);
	if (!b || !can_map(b, addr, size, p))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"%p..+%zu is not reserved and free, not aligned, or has memory of another device",
			(void *)addr, size);
	if (size > ALIGN_UP(p->size, GRANULARITY))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "the memory has %zu bytes", p->size);
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
	p->mappings++;
	r = b->owner;
	r->used = true;
	r->side = side_of(&p->prop.location);
	list_add_tail(&r->mappings, &m->link);
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
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is not the start of a mapping", addr);
	unmap_at(m->addr, m->size);
	unmap_at(b->shadow + (m->addr - b->addr), m->size);
	list_del(&m->link);
	m->phys->mappings--;
	physical_end(m->phys);
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

	if (!m)
		return npu_err(b && !((struct reservation *)b->owner)->used ? ACL_ERROR_RT_INVALID_HANDLE
									    : ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"%p is not the start of a mapping", addr);
	m->phys->handles++;
	*out = object_handle(&m->phys->obj);
	return ACL_SUCCESS;
}

/* No product here has a choice of links; what is looked at before is. */
static aclError select_link(const void *from)
{
	struct block *b = block_find(from);
	struct mapping *m = b && b->addr == from ? mapping_at(from, &b) : NULL;

	if (!m)
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

/* The runtime knows the host's and those of the largest server. */
static aclError access_place(const aclrtMemLocation *place)
{
	if (place->type == ACL_MEM_LOCATION_TYPE_DEVICE && visible_is_set())
		return location_check(place);
	if (place->type == ACL_MEM_LOCATION_TYPE_HOST
			? !place->id
			: place->type == ACL_MEM_LOCATION_TYPE_DEVICE && place->id < MAX_DEVICES)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_RT_PARAM_INVALID, "no place %u of type %d", place->id, place->type);
}

static aclError access_check(const aclrtMemAccessDesc *desc)
{
	if (desc->flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
		return access_place(&desc->location);
	return npu_err(
		desc->flags == ACL_RT_MEM_ACCESS_FLAGS_NONE || desc->flags == ACL_RT_MEM_ACCESS_FLAGS_READ
			? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
			: ACL_ERROR_RT_PARAM_INVALID,
		"the flags are not READWRITE");
}

static bool place_exists(const aclrtMemLocation *place)
{
	return place->type == ACL_MEM_LOCATION_TYPE_HOST || device_find((int32_t)place->id);
}

/* Of a whole mapping. */
static aclError set_access(const void *addr, size_t size, const aclrtMemLocation *place)
{
	struct block *b;
	struct mapping *m = mapping_at(addr, &b);
	int side = side_of(place);

	if (!m || size != m->size || !place_exists(place))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"%p..+%zu is not a mapping, or no such device", addr, size);
	if (side == side_of(&m->phys->prop.location))
		m->access = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	else if (side == HOST_SIDE)
		m->host = true;
	else
		m->devices |= (uint64_t)1 << side;
	return ACL_SUCCESS;
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < count && !rc; i++)
		rc = access_check(&desc[i]);
	for (size_t i = 0; i < count && !rc; i++)
		rc = LOCKED(set_access(virPtr, size, &desc[i].location));
	return rc;
}

/* Where the memory is not: only what was set. */
static uint64_t access_from(const struct mapping *m, int side)
{
	if (side == side_of(&m->phys->prop.location))
		return m->access;
	return (side == HOST_SIDE ? m->host : m->devices >> side & 1) ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE
								      : ACL_RT_MEM_ACCESS_FLAGS_NONE;
}

static aclError get_access(const void *addr, const aclrtMemLocation *place, uint64_t *flag)
{
	struct block *b = find_reservation(addr, 1);
	struct mapping *m = b ? mapping_of(b, addr) : NULL;

	if (!m || !place_exists(place))
		return npu_err(
			ACL_ERROR_RT_DRV_INTERNAL_ERROR, "nothing is mapped at %p, or no such device", addr);
	*flag = access_from(m, side_of(place));
	return ACL_SUCCESS;
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location, uint64_t *flag)
{
	aclError rc = access_place(location);

	return rc ? rc : LOCKED(get_access(virPtr, location, flag));
}
