/* SPDX-License-Identifier: Apache-2.0 */
/* Host symbols that stand for kernels and for variables of the devices. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/graph/capture.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/memory/memory.h"

struct symbol {
	struct list link;
	const void *symbol;
	char *name;
	struct function *func; /* of a kernel, at first use */
	size_t size; /* of a variable, 0 = kernel */
	struct kept_memory where[MAX_DEVICES]; /* of a variable */
};

static struct list symbols = {&symbols, &symbols};

/* What the program registered is still there, what was made of it is not. */
void symbols_forget(void)
{
	struct symbol *s;

	list_for_each(s, &symbols, link)
	{
		s->func = NULL;
		memset(s->where, 0, sizeof(s->where));
	}
}

static struct symbol *symbol_find(const void *symbol, bool variable)
{
	struct symbol *s;

	list_for_each(s, &symbols, link) if (s->symbol == symbol && !s->size == !variable) return s;
	return NULL;
}

static aclError symbol_add(const void *symbol, const char *name, size_t size)
{
	struct symbol *s = calloc(1, sizeof(*s));

	if (!s || !(s->name = strdup(name))) {
		free(s);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for symbol %s", name);
	}
	s->symbol = symbol;
	s->size = size;
	list_add_tail(&symbols, &s->link);
	return ACL_SUCCESS;
}

aclError softnpu_register_function(const void *symbol, const char *kernel)
{
	if (!symbol || !kernel)
		return npu_err(ACL_ERROR_INVALID_PARAM, "symbol or kernel is NULL");
	return LOCKED(symbol_add(symbol, kernel, 0));
}

aclError softnpu_register_variable(const void *symbol, const char *name, size_t size)
{
	if (!symbol || !name || !size)
		return npu_err(ACL_ERROR_INVALID_PARAM, "symbol or name is NULL, or size 0");
	return LOCKED(symbol_add(symbol, name, size));
}

struct function *function_of_symbol(const void *symbol)
{
	struct symbol *s = symbol_find(symbol, false);

	if (s && !s->func)
		s->func = function_new(NULL, s->name);
	return s ? s->func : NULL;
}

aclError function_called(const void *func, struct function **f)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	*f = function_of_symbol(func);
	return *f ? ACL_SUCCESS : function_find(func, f);
}

static aclError get_function(const void *symbol, aclrtFuncHandle *out)
{
	struct context *ctx;
	struct function *f;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	f = function_of_symbol(symbol);
	if (!f)
		return npu_err(ACL_ERROR_RT_INVALID_DEVICE_FUNCTION, "%p is no registered kernel", symbol);
	*out = object_handle(&f->obj);
	return ACL_SUCCESS;
}

aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle)
{
	return LOCKED(get_function(symbol, funcHandle));
}

/* The variable's address on the current device, where it begins as zero. */
static aclError locate(const void *symbol, struct symbol **out, char **addr)
{
	struct symbol *s = symbol_find(symbol, true);
	struct kept_memory *where;
	struct context *ctx;
	bool there;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!s)
		return npu_err(ACL_ERROR_RT_INVALID_SYMBOL, "%p is no registered variable", symbol);
	where = &s->where[ctx->dev->id];
	there = kept_find(where, ctx->dev);
	*addr = kept_make(where, ctx->dev, s->size);
	if (!*addr)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no room for variable %s", s->name);
	if (!there)
		memset(block_at(*addr)->shadow, 0, s->size);
	*out = s;
	return ACL_SUCCESS;
}

static aclError get_address(const void *symbol, void **out)
{
	struct symbol *s;
	char *addr;
	aclError rc = locate(symbol, &s, &addr);

	if (!rc)
		*out = addr;
	return rc;
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
	return LOCKED(get_address(symbol, devPtr));
}

static aclError get_size(const void *symbol, size_t *size)
{
	struct symbol *s;
	char *addr;
	aclError rc = locate(symbol, &s, &addr);

	if (!rc)
		*size = s->size;
	return rc;
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
	return LOCKED(get_size(symbol, size));
}

/* --- variables of binaries: registered with softnpu_register_variable ------------------------ */

static const struct symbol *find_named(const char *name)
{
	const struct symbol *s;

	list_for_each(s, &symbols, link) if (s->size && !strcmp(s->name, name)) return s;
	return NULL;
}

static aclError get_global(const void *bin, const char *name, void **address, size_t *size)
{
	const struct symbol *named;
	struct symbol *s;
	struct context *ctx;
	char *where = NULL;
	aclError rc = binary_check_core(bin);

	if (!rc)
		rc = context_need(&ctx);
	if (rc)
		return rc;
	named = find_named(name);
	if (!named)
		return npu_err(ACL_ERROR_RT_INVALID_SYMBOL, "the binary has no variable %s", name);
	rc = locate(named->symbol, &s, &where);
	if (!rc && address)
		*address = where;
	if (!rc && size)
		*size = s->size;
	return rc;
}

aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name, void **dptr, size_t *size)
{
	return LOCKED(get_global(binHandle, name, dptr, size));
}

/* --- copies ------------------------------------------------------------------------------------ */

/* Checks the range and gives its device address; the copies proper are the ordinary ones. */
static aclError range(const void *symbol, size_t count, size_t offset, char **addr)
{
	struct symbol *s;
	aclError rc;

	if (!symbol || !count)
		return npu_err(ACL_ERROR_INVALID_PARAM, "symbol is NULL or count 0");
	rc = LOCKED(locate(symbol, &s, addr));
	if (rc)
		return rc;
	if (offset > SIZE_MAX - count)
		return npu_err(ACL_ERROR_FAILURE, "%zu bytes at %zu end beyond all addresses", count, offset);
	if (offset + count > s->size)
		return npu_err(
			ACL_ERROR_INVALID_PARAM, "the range is not in the variable of %zu bytes", s->size);
	*addr += offset;
	return ACL_SUCCESS;
}

static aclError symbol_check_kind(aclrtMemcpyKind kind, aclrtMemcpyKind wanted)
{
	if (kind == wanted || kind == ACL_MEMCPY_DEFAULT)
		return ACL_SUCCESS;
	return npu_err(ACL_ERROR_INVALID_PARAM, "copy kind %d is not for this direction", kind);
}

static aclError to_symbol(
	const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind, char **addr)
{
	aclError rc = symbol_check_kind(kind, ACL_MEMCPY_HOST_TO_DEVICE);

	if (!rc && !src)
		rc = npu_err(ACL_ERROR_INVALID_PARAM, "src is NULL");
	return rc ? rc : range(symbol, count, offset, addr);
}

static aclError from_symbol(const void *dst, size_t max, const void *symbol, size_t count, size_t offset,
	aclrtMemcpyKind kind, char **addr)
{
	aclError rc = symbol_check_kind(kind, ACL_MEMCPY_DEVICE_TO_HOST);

	if (!rc && (!dst || count > max))
		rc = npu_err(ACL_ERROR_INVALID_PARAM, "dst is NULL or smaller than count");
	return rc ? rc : range(symbol, count, offset, addr);
}

aclError aclrtMemcpyToSymbol(
	const void *symbol, const void *src, size_t count, size_t offset, aclrtMemcpyKind kind)
{
	char *addr;
	aclError rc;

	if (copy_nothing(count))
		return ACL_SUCCESS;
	rc = to_symbol(symbol, src, count, offset, kind, &addr);
	return rc ? rc : aclrtMemcpy(addr, count, src, count, kind);
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
	aclrtMemcpyKind kind, aclrtStream stream)
{
	char *addr;
	aclError rc;

	if (copy_nothing(count))
		return ACL_SUCCESS;
	rc = to_symbol(symbol, src, count, offset, kind, &addr);
	return rc ? rc : aclrtMemcpyAsync(addr, count, src, count, kind, stream);
}

aclError aclrtMemcpyFromSymbol(
	void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset, aclrtMemcpyKind kind)
{
	char *addr;
	aclError rc;

	if (copy_nothing(count))
		return ACL_SUCCESS;
	rc = from_symbol(dst, dstMax, symbol, count, offset, kind, &addr);
	return rc ? rc : aclrtMemcpy(dst, dstMax, addr, count, kind);
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax, const void *symbol, size_t count, size_t offset,
	aclrtMemcpyKind kind, aclrtStream stream)
{
	char *addr;
	aclError rc;

	if (copy_nothing(count))
		return ACL_SUCCESS;
	rc = from_symbol(dst, dstMax, symbol, count, offset, kind, &addr);
	return rc ? rc : aclrtMemcpyAsync(dst, dstMax, addr, count, kind, stream);
}
