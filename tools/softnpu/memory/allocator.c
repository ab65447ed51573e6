/* SPDX-License-Identifier: Apache-2.0 */
/* Allocators of the program, remembered for streams. */
#include <stdlib.h>

#include "acl/acl_rt_allocator.h"
#include "tools/softnpu/sync/stream.h"

struct allocator {
	struct object obj;
	aclrtAllocator object;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc free;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorGetAddrFromBlockFunc address;
};

static void release(struct object *o)
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
	if (object_init(&a->obj, OBJ_ALLOCATOR_DESC, release))
		handle = object_handle(&a->obj);
	else
		free(a);
	npu_unlock();
	return handle;
}

static aclError find(aclrtAllocatorDesc handle, struct allocator **a)
{
	struct object *o = handle ? object_find(handle, OBJ_ALLOCATOR_DESC) : NULL;

	if (!o)
		return npu_err(ACL_ERROR_INVALID_PARAM, "%p is no allocator description", handle);
	*a = container_of(o, struct allocator, obj);
	return ACL_SUCCESS;
}

static aclError destroy(aclrtAllocatorDesc handle)
{
	struct allocator *a;
	aclError rc = find(handle, &a);

	if (!rc)
		object_kill(&a->obj);
	return rc;
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
	return LOCKED(destroy(allocatorDesc));
}

#define SETTER(name, type, field)                                                                            \
	static aclError set_##field(aclrtAllocatorDesc handle, type value)                                   \
	{                                                                                                    \
		struct allocator *a;                                                                         \
		aclError rc = find(handle, &a);                                                              \
                                                                                                             \
		if (!rc)                                                                                     \
			a->field = value;                                                                    \
		return rc;                                                                                   \
	}                                                                                                    \
	aclError name(aclrtAllocatorDesc allocatorDesc, type value)                                          \
	{                                                                                                    \
		if (!value)                                                                                  \
			return npu_err(ACL_ERROR_INVALID_PARAM, "the value is NULL");                        \
		return LOCKED(set_##field(allocatorDesc, value));                                            \
	}

SETTER(aclrtAllocatorSetObjToDesc, aclrtAllocator, object)
SETTER(aclrtAllocatorSetAllocFuncToDesc, aclrtAllocatorAllocFunc, alloc)
SETTER(aclrtAllocatorSetFreeFuncToDesc, aclrtAllocatorFreeFunc, free)
SETTER(aclrtAllocatorSetAllocAdviseFuncToDesc, aclrtAllocatorAllocAdviseFunc, advise)
SETTER(aclrtAllocatorSetGetAddrFromBlockFuncToDesc, aclrtAllocatorGetAddrFromBlockFunc, address)

static void forget(struct stream *s)
{
	if (s->allocator)
		object_put(&s->allocator->obj);
	s->allocator = NULL;
}

void allocator_forget(struct stream *s)
{
	forget(s);
}

static aclError attach(aclrtStream stream, aclrtAllocatorDesc handle)
{
	struct allocator *a;
	struct stream *s;
	aclError rc = find(handle, &a);

	if (!rc && (!a->object || !a->alloc || !a->free || !a->address))
		rc = npu_err(ACL_ERROR_INVALID_PARAM, "the description lacks the object or a function");
	if (!rc)
		rc = stream_find(stream, STREAM_QUERY, &s);
	if (rc)
		return rc;
	forget(s);
	s->allocator = a;
	object_get(&a->obj);
	return ACL_SUCCESS;
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
	return LOCKED(attach(stream, allocatorDesc));
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
	return LOCKED_WITH(stream, s, stream_find(stream, STREAM_QUERY, &s), forget(s));
}

static aclError of_stream(aclrtStream stream, struct allocator **a)
{
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_QUERY, &s);

	if (!rc && !s->allocator)
		rc = npu_err(ACL_ERROR_INVALID_PARAM, "the stream has no allocator");
	if (!rc)
		*a = s->allocator;
	return rc;
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
	aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc, aclrtAllocatorFreeFunc *freeFunc,
	aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
	aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
	struct allocator *a = NULL;
	aclError rc;

	rc = LOCKED(of_stream(stream, &a));
	if (rc)
		return rc;
	*allocatorDesc = object_handle(&a->obj);
	/* Only what is asked for: the other outputs may be NULL. */
	if (allocator)
		*allocator = a->object;
	if (allocFunc)
		*allocFunc = a->alloc;
	if (freeFunc)
		*freeFunc = a->free;
	if (allocAdviseFunc)
		*allocAdviseFunc = a->advise;
	if (getAddrFromBlockFunc)
		*getAddrFromBlockFunc = a->address;
	return ACL_SUCCESS;
}
