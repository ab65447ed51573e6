/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: data behind counted references, private data of each reference, chains. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"

#define MBUF_MAX ((size_t)4 << 30)
#define MBUF_USER 96u
#define MBUF_CHAIN 128u /* buffers behind the head */

struct mbuf_data {
	unsigned refs;
	size_t size;
	char bytes[] __attribute__((aligned(16)));
};

struct mbuf {
	struct object obj;
	struct mbuf_data *data;
	size_t len;
	char user[MBUF_USER];
	struct list chain; /* a ring without a head of its own: every buffer is alone or in one */
	struct mbuf *head; /* the first of the chain, which may be this one */
};

static void mbuf_release(struct object *o)
{
	struct mbuf *b = container_of(o, struct mbuf, obj);

	if (!--b->data->refs)
		free(b->data);
	free(b);
}

/* Takes over a reference to data, which may be NULL. */
static aclError mbuf_new(struct mbuf_data *data, aclrtMbuf *out)
{
	struct mbuf *b = calloc(1, sizeof(*b));

	if (!data || !b || !object_init(&b->obj, OBJ_MBUF, mbuf_release)) {
		if (data && !--data->refs)
			free(data);
		free(b);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a buffer");
	}
	b->data = data;
	b->head = b;
	list_init(&b->chain);
	*out = object_handle(&b->obj);
	return ACL_SUCCESS;
}

static struct mbuf *mbuf_find(const void *handle)
{
	struct object *o = object_find(handle, OBJ_MBUF);

	return o ? container_of(o, struct mbuf, obj) : NULL;
}

/* The driver looks after these handles. */
static aclError need(const void *handle, struct mbuf **b)
{
	*b = mbuf_find(handle);
	if (!handle)
		return npu_err(ACL_ERROR_INVALID_PARAM, "buf is NULL");
	return *b ? ACL_SUCCESS : npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is no buffer", handle);
}

static aclError alloc(aclrtMbuf *out, size_t size)
{
	struct mbuf_data *data = calloc(1, sizeof(*data) + size);

	if (data) {
		data->refs = 1;
		data->size = size;
	}
	return mbuf_new(data, out);
}

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size)
{
	if (!size || size > MBUF_MAX)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "a buffer of %zu bytes", size);
	return LOCKED(alloc(buf, size));
}

/* The next buffer of the chain becomes its head. */
static void unchain(struct mbuf *b)
{
	struct mbuf *next = container_of(b->chain.next, struct mbuf, chain), *other;

	if (b->head == b && next != b) {
		list_for_each(other, &b->chain, chain) other->head = next;
	}
	list_del(&b->chain);
	b->head = b;
}

aclError aclrtFreeBuf(aclrtMbuf buf)
{
	return LOCKED_WITH(mbuf, b, need(buf, &b), unchain(b); object_kill(&b->obj));
}

static aclError copy_ref(aclrtMbuf handle, aclrtMbuf *out)
{
	struct mbuf *b, *copy;
	aclError rc = need(handle, &b);

	if (rc)
		return rc;
	b->data->refs++;
	rc = mbuf_new(b->data, out);
	copy = rc ? NULL : mbuf_find(*out);
	if (copy) {
		copy->len = b->len;
		memcpy(copy->user, b->user, sizeof(b->user));
	}
	return rc;
}

aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf)
{
	return LOCKED(copy_ref(buf, newBuf));
}

/* --- data --------------------------------------------------------------------------- */

aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size)
{
	return LOCKED_WITH(mbuf, b, need(buf, &b), *dataPtr = b->data->bytes; *size = b->data->size);
}

static aclError set_len(aclrtMbuf handle, size_t len)
{
	struct mbuf *b;
	aclError rc = need(handle, &b);

	if (!rc && len > b->data->size)
		rc = npu_err(
			ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%zu bytes in a buffer of %zu", len, b->data->size);
	if (!rc)
		b->len = len;
	return rc;
}

aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len)
{
	return LOCKED(set_len(buf, len));
}

aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len)
{
	return LOCKED_WITH(mbuf, b, need(buf, &b), *len = b->len);
}

/* The private data; room is how much the copy's target holds. */
static aclError user_data(aclrtMbuf handle, size_t size, size_t offset, size_t room, char **data)
{
	struct mbuf *b;
	aclError rc = need(handle, &b);

	if (rc)
		return rc;
	/* A sum that wraps is small for the outer layer. */
	if (!room || size > MBUF_USER || offset > MBUF_USER - size)
		return npu_err(ACL_ERROR_FAILURE, "%zu bytes at %zu cannot be copied", size, offset);
	*data = b->user + offset;
	return ACL_SUCCESS;
}

static aclError set_user_data(aclrtMbuf handle, const void *from, size_t size, size_t offset)
{
	char *data;
	aclError rc = user_data(handle, size, offset, MBUF_USER - offset, &data);

	if (!rc)
		memcpy(data, from, size);
	return rc;
}

aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size, size_t offset)
{
	return LOCKED(set_user_data(buf, dataPtr, size, offset));
}

static aclError get_user_data(aclrtMbuf handle, void *to, size_t size, size_t offset)
{
	char *data;
	aclError rc = user_data(handle, size, offset, size, &data);

	if (!rc)
		memcpy(to, data, size);
	return rc;
}

aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size, size_t offset)
{
	return LOCKED(get_user_data(buf, dataPtr, size, offset));
}

/* --- chains ---------------------------------------------------------------------------- */

static unsigned chain_length(const struct mbuf *head)
{
	const struct mbuf *b;
	unsigned n = 1;

	list_for_each(b, &head->chain, chain) n++;
	return n;
}

static aclError mbuf_append(aclrtMbuf head_handle, aclrtMbuf handle)
{
	struct mbuf *head, *b;
	aclError rc = need(head_handle, &head);

	if (!rc)
		rc = need(handle, &b);
	if (rc)
		return rc;
	if (head->head != head || b == head || !list_empty(&b->chain))
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "a chain already, or not its first buffer");
	if (chain_length(head) > MBUF_CHAIN)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the chain has %u buffers", MBUF_CHAIN);
	list_add_tail(&head->chain, &b->chain);
	b->head = head;
	return ACL_SUCCESS;
}

aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf)
{
	return LOCKED(mbuf_append(headBuf, buf));
}

aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num)
{
	return LOCKED_WITH(mbuf, head, need(headBuf, &head), *num = chain_length(head));
}

static aclError from_chain(aclrtMbuf handle, uint32_t index, aclrtMbuf *out)
{
	struct mbuf *b;
	aclError rc = need(handle, &b);

	if (!rc && index >= chain_length(b))
		rc = npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the chain has no buffer %u", index);
	if (rc)
		return rc;
	while (index--)
		b = container_of(b->chain.next, struct mbuf, chain);
	*out = object_handle(&b->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf)
{
	return LOCKED(from_chain(headBuf, index, buf));
}
