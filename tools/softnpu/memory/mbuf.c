/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: data behind counted references, private data of each reference, chains. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"

#define MBUF_MAX ((size_t)4 << 30)
#define MBUF_USER 96u
#define MBUF_CHAIN 128u /* buffers of one chain, its head as well */

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
	struct mbuf *next; /* behind it in the chain */
	bool behind; /* another one of the chain is before it */
};

static void mbuf_release(struct object *o)
{
	struct mbuf *b = container_of(o, struct mbuf, obj);

	if (!--b->data->refs)
		free(b->data);
	free(b);
}

/* Takes over a reference to data, which may be NULL; NULL without memory. */
static struct mbuf *mbuf_new(struct mbuf_data *data)
{
	struct mbuf *b = calloc(1, sizeof(*b));

	if (data && b && object_init(&b->obj, OBJ_MBUF, mbuf_release)) {
		b->data = data;
		return b;
	}
	if (data && !--data->refs)
		free(data);
	free(b);
	return NULL;
}

static aclError handed_out(struct mbuf *b, aclrtMbuf *out)
{
	if (!b)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a buffer");
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
	return *b ? ACL_SUCCESS : npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is no buffer", handle);
}

/* What is about a chain wants its first buffer. */
static aclError need_head(const void *handle, struct mbuf **b)
{
	aclError rc = need(handle, b);

	if (!rc && (*b)->behind)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not the first buffer of its chain", handle);
	return rc;
}

static aclError alloc(aclrtMbuf *out, size_t size)
{
	struct mbuf_data *data = calloc(1, sizeof(*data) + size);

	if (data) {
		data->refs = 1;
		data->size = size;
	}
	return handed_out(mbuf_new(data), out);
}

aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size)
{
	if (!size || size > MBUF_MAX)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "a buffer of %zu bytes", size);
	return LOCKED(alloc(buf, size));
}

/* With all that are behind it. */
static void chain_free(struct mbuf *b)
{
	struct mbuf *next;

	for (; b; b = next) {
		next = b->next;
		object_kill(&b->obj);
	}
}

aclError aclrtFreeBuf(aclrtMbuf buf)
{
	return LOCKED_WITH(mbuf, b, need_head(buf, &b), chain_free(b));
}

static struct mbuf *copy_one(const struct mbuf *b)
{
	struct mbuf *copy;

	b->data->refs++;
	copy = mbuf_new(b->data);
	if (copy) {
		copy->len = b->len;
		memcpy(copy->user, b->user, sizeof(b->user));
	}
	return copy;
}

/* The copy is a chain of its own: of the buffer, and of what is behind it. */
static aclError copy_ref(aclrtMbuf handle, aclrtMbuf *out)
{
	struct mbuf *b, *first = NULL, **at = &first;
	aclError rc = need(handle, &b);

	if (rc)
		return rc;
	for (; b && (*at = copy_one(b)); b = b->next) {
		(*at)->behind = at != &first;
		at = &(*at)->next;
	}
	if (b) {
		chain_free(first);
		first = NULL;
	}
	return handed_out(first, out);
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

	if (!rc && (!len || len > b->data->size))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%zu bytes in a buffer of %zu", len, b->data->size);
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

static unsigned chain_length(const struct mbuf *b)
{
	unsigned n = 0;

	for (; b; b = b->next)
		n++;
	return n;
}

/* What is appended may be a chain itself. */
static aclError mbuf_append(aclrtMbuf head_handle, aclrtMbuf handle)
{
	struct mbuf *head, *b;
	aclError rc = ACL_SUCCESS;

	if (head_handle == handle)
		rc = npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "a buffer is appended to itself");
	if (!rc)
		rc = need_head(head_handle, &head);
	if (!rc)
		rc = need_head(handle, &b);
	if (!rc && chain_length(head) + chain_length(b) > MBUF_CHAIN)
		rc = npu_err(ACL_ERROR_RT_OVER_LIMIT, "more than %u buffers in a chain", MBUF_CHAIN);
	if (rc)
		return rc;
	while (head->next)
		head = head->next;
	head->next = b;
	b->behind = true;
	return ACL_SUCCESS;
}

aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf)
{
	return LOCKED(mbuf_append(headBuf, buf));
}

aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num)
{
	return LOCKED_WITH(mbuf, head, need_head(headBuf, &head), *num = chain_length(head));
}

static aclError from_chain(aclrtMbuf handle, uint32_t index, aclrtMbuf *out)
{
	struct mbuf *b;
	aclError rc = need_head(handle, &b);

	if (!rc && index >= MBUF_CHAIN)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "no chain has a buffer %u", index);
	if (!rc && index >= chain_length(b))
		rc = npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the chain has no buffer %u", index);
	if (rc)
		return rc;
	while (index--)
		b = b->next;
	*out = object_handle(&b->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf *buf)
{
	return LOCKED(from_chain(headBuf, index, buf));
}
