/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators of the program, remembered for the handles of streams, whatever has become of those. */
#include <stdlib.h>

#include "acl/acl_rt_allocator.h"
#include "tools/softnpu/core/device.h"

struct functions {
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise; /* may be NULL */
	aclrtAllocatorGetAddrFromBlockFunc address;
};

struct allocator {
	struct object obj;
	struct functions functions;
};

/* What the description was when it was registered. */
struct registration {
	struct list link;
	aclrtStream stream;
	aclrtAllocatorDesc description;
	struct functions functions;
};

static struct list registrations = {&registrations, &registrations};

void allocators_forget(void)
{
	npu_keep(registrations.next);
	list_init(&registrations);
}

static void allocator_release(struct object *o)
{
	free(container_of(o, struct allocator, obj));
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
	struct allocator *a = calloc(1, sizeof(*a));
	void *handle = NULL;

	if (!a)
		return NULL;
	npu_lock();
	if (object_init(&a->obj, OBJ_ALLOCATOR_DESC, allocator_release))
		handle = object_handle(&a->obj);
	else
		free(a);
	npu_unlock();
	return handle;
}

static aclError allocator_find(aclrtAllocatorDesc handle, struct allocator **a)
{
	struct object *o = object_find(handle, OBJ_ALLOCATOR_DESC);

	if (!o)
		return npu_err(ACL_ERROR_INVALID_PARAM, "%p is no allocator description", handle);
	*a = container_of(o, struct allocator, obj);
	return ACL_SUCCESS;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
	return LOCKED_WITH(allocator, a, allocator_find(allocatorDesc, &a), object_kill(&a->obj));
}

#define SETTER(name, type, field)                                                                            \
	aclError name(aclrtAllocatorDesc allocatorDesc, type value)                                          \
	{                                                                                                    \
		if (!value)                                                                                  \
			return npu_err(ACL_ERROR_INVALID_PARAM, "the value is NULL");                        \
		return LOCKED_WITH(                                                                          \
			allocator, a, allocator_find(allocatorDesc, &a), a->functions.field = value);        \
	}

SETTER(aclrtAllocatorSetObjToDesc, aclrtAllocator, object)
SETTER(aclrtAllocatorSetAllocFuncToDesc, aclrtAllocatorAllocFunc, alloc)
SETTER(aclrtAllocatorSetFreeFuncToDesc, aclrtAllocatorFreeFunc, free)
SETTER(aclrtAllocatorSetAllocAdviseFuncToDesc, aclrtAllocatorAllocAdviseFunc, advise)
SETTER(aclrtAllocatorSetGetAddrFromBlockFuncToDesc, aclrtAllocatorGetAddrFromBlockFunc, address)

static struct registration *registered(aclrtStream stream)
{
	struct registration *r;

	list_for_each(r, &registrations, link) if (r->stream == stream) return r;
	return NULL;
}

/* The later description counts. */
static aclError attach(aclrtStream stream, aclrtAllocatorDesc handle)
{
	struct registration *r = registered(stream);
	struct allocator *a;
	aclError rc = allocator_find(handle, &a);

	if (rc)
		return rc;
	if (!a->functions.object || !a->functions.alloc || !a->functions.free || !a->functions.address)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the description lacks the object or a function");
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return npu_err(ACL_ERROR_BAD_ALLOC, "no memory for a registration");
		r->stream = stream;
		list_add_tail(&registrations, &r->link);
	}
	r->description = handle;
	r->functions = a->functions;
	return ACL_SUCCESS;
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
	return LOCKED(attach(stream, allocatorDesc));
}

static aclError detach(aclrtStream stream)
{
	struct registration *r = registered(stream);

	if (r)
		list_del(&r->link);
	free(r);
	return ACL_SUCCESS;
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
	return LOCKED(detach(stream));
}

static aclError allocator_copy(aclrtStream stream, struct registration *copy)
{
	const struct registration *r = registered(stream);

	if (!r)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the stream has no allocator");
	*copy = *r;
	return ACL_SUCCESS;
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
	aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
	aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
	aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
	struct registration r;
	aclError rc = LOCKED(allocator_copy(stream, &r));

	if (rc)
		return rc;
	*allocatorDesc = r.description;
	/* Only what is asked for: the other outputs may be NULL. */
	if (allocator)
		*allocator = r.functions.object;
	if (allocFunc)
		*allocFunc = r.functions.alloc;
	if (freeFunc)
		*freeFunc = r.functions.free;
	if (allocAdviseFunc)
		*allocAdviseFunc = r.functions.advise;
	if (getAddrFromBlockFunc)
		*getAddrFromBlockFunc = r.functions.address;
	return ACL_SUCCESS;
}
