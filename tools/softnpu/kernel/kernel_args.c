/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtKernelArgs*: one list a thread, or lists in the program's memory. */
#include "tools/softnpu/kernel/kernel_args.h"
#include "tools/softnpu/core/answers.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIZE ((size_t)64 << 10)

struct param {
	size_t offset, size;
	bool holder;
	size_t data; /* offset of the last buffer taken for the holder; 0: it points at the arguments */
};

struct args {
	char *buffer;
	size_t size, capacity;
	bool own; /* buffer is ours */
	bool cpu; /* for a kernel of the CPU: nothing is aligned */
	bool finalized; /* no more parameters */
	bool updated; /* since then: finalize once more */
	bool data; /* a place holder's buffer was taken: no more parameters */
	unsigned n;
	struct param params[MAX_KERNEL_PARAMS];
	aclrtPlaceHolderInfo holders[MAX_KERNEL_PARAMS]; /* for the launch */
};

/*
 * Where a list is. Nothing ends one in the program's memory, which may hold
 * anything by now: what is there is read when the program names the list, or a parameter in it.
 */
struct place {
	struct list link; /* of all places, the last one used first */
	struct args *args;
};

static struct list places = {&places, &places};
static pthread_key_t thread_key;

static void forget(struct place *p)
{
	list_del(&p->link);
	free(p);
}

/* No list is there any more, nor in a part of it. */
static void forget_all_at(const struct args *a)
{
	struct place *p, *next;

	list_for_each_safe(p, next, &places, link) if (p->args < a + 1 && a < p->args + 1) forget(p);
}

static aclError remember(struct args *a)
{
	struct place *p = malloc(sizeof(*p));

	if (!p)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for arguments");
	forget_all_at(a);
	p->args = a;
	list_add(&places, &p->link);
	return ACL_SUCCESS;
}

static void args_drop(struct args *a)
{
	forget_all_at(a);
	if (a->own)
		free(a->buffer);
}

static void thread_ends(void *args)
{
	npu_lock();
	args_drop(args);
	npu_unlock();
	free(args);
}

static void make_key(void)
{
	pthread_key_create(&thread_key, thread_ends);
}

static struct args *args_find(const void *handle)
{
	struct place *p;

	list_for_each(p, &places, link) if (p->args == handle)
	{
		list_del(&p->link);
		list_add(&places, &p->link);
		return p->args;
	}
	npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is no argument list", handle);
	return NULL;
}

static void reset(struct args *a, const struct function *f, char *buffer, size_t capacity, bool own)
{
	memset(a, 0, sizeof(*a));
	a->buffer = buffer;
	a->capacity = capacity;
	a->own = own;
	a->cpu = function_is_cpu(f);
}

static aclError make_own(struct args **out)
{
	struct args *a = malloc(sizeof(*a));
	char *buffer = malloc(MAX_SIZE);
	aclError rc = a && buffer ? remember(a)
				  : npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for arguments");

	if (!rc && pthread_setspecific(thread_key, a)) {
		forget_all_at(a);
		rc = npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for arguments");
	}
	if (rc) {
		free(buffer);
		free(a);
		return rc;
	}
	a->buffer = buffer;
	*out = a;
	return ACL_SUCCESS;
}

static aclError init_own(const void *func, aclrtArgsHandle *out)
{
	struct args *a = pthread_getspecific(thread_key);
	struct function *f;
	aclError rc = function_find(func, &f);

	if (rc)
		return rc;
	rc = a ? remember(a) : make_own(&a);
	if (rc)
		return rc;
	reset(a, f, a->buffer, MAX_SIZE, true);
	*out = a;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle, aclrtArgsHandle *argsHandle)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_key);
	return LOCKED(init_own(funcHandle, argsHandle));
}

static aclError init_user(const void *func, void *handle, char *memory, size_t size)
{
	struct function *f;
	aclError rc = function_find(func, &f);

	if (!rc)
		rc = remember(handle);
	if (!rc)
		reset(handle, f, memory, size, false);
	return rc;
}

aclError aclrtKernelArgsInitByUserMem(
	aclrtFuncHandle funcHandle, aclrtArgsHandle argsHandle, void *userHostMem, size_t actualArgsSize)
{
	return LOCKED(init_user(funcHandle, argsHandle, userHostMem, actualArgsSize));
}

aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle, size_t *memSize)
{
	return LOCKED_WITH(function, f, function_find(funcHandle, &f), *memSize = sizeof(struct args));
}

/* Each parameter may need bytes before it, that it begins at a multiple of 8; how many there are need not be
 * known. */
static size_t size_with_padding(const struct function *f, size_t size)
{
	const struct kernel_info *info = kernel_info(f->name);
	size_t n = info && info->described ? info->n_params : MAX_KERNEL_PARAMS;

	return function_is_cpu(f) ? size : ALIGN_UP(size, 8u) + 8 * n;
}

aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle, size_t userArgsSize, size_t *actualArgsSize)
{
	return LOCKED_WITH(function, f, function_find(funcHandle, &f),
		*actualArgsSize = size_with_padding(f, userArgsSize));
}

/* Room for size bytes at the end; NULL: 107000. */
static char *grow(struct args *a, size_t size)
{
	size_t offset = a->cpu ? a->size : ALIGN_UP(a->size, 8u);

	if (offset > a->capacity || size > a->capacity - offset) {
		npu_err(ACL_ERROR_RT_PARAM_INVALID, "the arguments exceed %zu bytes", a->capacity);
		return NULL;
	}
	a->size = offset + size;
	return a->buffer + offset;
}

static aclError args_append(void *handle, const void *param, size_t size, bool holder, aclrtParamHandle *out)
{
	struct args *a = args_find(handle);
	char *at;

	if (!a)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (a->finalized || a->data)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the list takes no more parameters");
	if (a->n == MAX_KERNEL_PARAMS)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "more than %u parameters", MAX_KERNEL_PARAMS);
	at = grow(a, size);
	if (!at)
		return ACL_ERROR_RT_PARAM_INVALID;
	if (param)
		memcpy(at, param, size);
	else
		memset(at, 0, size);
	a->params[a->n] = (struct param){(size_t)(at - a->buffer), size, holder, 0};
	*out = &a->params[a->n++];
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsAppend(
	aclrtArgsHandle argsHandle, void *param, size_t paramSize, aclrtParamHandle *paramHandle)
{
	return LOCKED(args_append(argsHandle, param, paramSize, false, paramHandle));
}

aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle, aclrtParamHandle *paramHandle)
{
	return LOCKED(args_append(argsHandle, NULL, sizeof(void *), true, paramHandle));
}

static struct param *find_param(const void *handle)
{
	struct place *p;

	list_for_each(p, &places, link)
	{
		if ((uintptr_t)handle - (uintptr_t)p->args >= sizeof(struct args))
			continue;
		for (unsigned i = 0; i < p->args->n && i < MAX_KERNEL_PARAMS; i++)
			if (&p->args->params[i] == handle)
				return &p->args->params[i];
	}
	return NULL;
}

/* One of any list: it is only where it lies and how long it is that counts. Those of a list as it was before
 * its last initialization are gone. */
static aclError find_kind(const void *handle, bool holder, struct param **p)
{
	*p = find_param(handle);
	if (!*p)
		return npu_answer(PARAMETER_GONE, "%p is no parameter of a list", handle);
	if ((*p)->holder != holder)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the parameter is of the other kind");
	return ACL_SUCCESS;
}

static aclError holder_buffer(void *handle, void *param, size_t size, void **buffer)
{
	struct args *a = args_find(handle);
	struct param *p;
	aclError rc = a ? find_kind(param, true, &p) : ACL_ERROR_RT_INVALID_HANDLE;
	char *at;

	if (rc)
		return rc;
	if (a->finalized)
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the list is complete");
	at = grow(a, size);
	if (!at)
		return ACL_ERROR_RT_PARAM_INVALID;
	a->data = true;
	p->data = (size_t)(at - a->buffer);
	*buffer = at;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsGetPlaceHolderBuffer(
	aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, size_t dataSize, void **bufferAddr)
{
	return LOCKED(holder_buffer(argsHandle, paramHandle, dataSize, bufferAddr));
}

static aclError update(void *handle, void *param, const void *value, size_t size)
{
	struct args *a = args_find(handle);
	struct param *p;
	aclError rc = a ? find_kind(param, false, &p) : ACL_ERROR_RT_INVALID_HANDLE;

	if (rc)
		return rc;
	if (size != p->size)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the parameter has %zu bytes", p->size);
	if (p->offset > a->capacity || size > a->capacity - p->offset)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "the list's memory ends before the parameter does");
	memcpy(a->buffer + p->offset, value, size);
	a->updated = true;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsParaUpdate(
	aclrtArgsHandle argsHandle, aclrtParamHandle paramHandle, void *param, size_t paramSize)
{
	return LOCKED(update(argsHandle, paramHandle, param, paramSize));
}

static aclError finalize(void *handle)
{
	struct args *a = args_find(handle);
	struct context *ctx;
	aclError rc = a ? context_need(&ctx) : ACL_ERROR_RT_INVALID_HANDLE;

	if (rc)
		return rc;
	a->finalized = true;
	a->updated = false;
	return ACL_SUCCESS;
}

aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle)
{
	return LOCKED(finalize(argsHandle));
}

/* A buffer that was taken from another list need not be in this one. */
static aclError collect_holders(struct args *a, size_t *n)
{
	for (const struct param *p = a->params; p < a->params + a->n; p++) {
		if (!p->holder)
			continue;
		if (p->data >= a->size)
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a buffer is not in the arguments");
		a->holders[(*n)++] = (aclrtPlaceHolderInfo){(uint32_t)p->offset, (uint32_t)p->data};
	}
	return ACL_SUCCESS;
}

aclError kernel_args_launch(aclrtArgsHandle handle, struct kernel_launch *l)
{
	struct args *a = args_find(handle);

	if (!a)
		return ACL_ERROR_RT_INVALID_HANDLE;
	if (!a->finalized || a->updated)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "aclrtKernelArgsFinalize is missing");
	if (!a->size)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the list is empty");
	l->args = a->buffer;
	l->args_size = a->size;
	l->holders = a->holders;
	return collect_holders(a, &l->n_holders);
}
