/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel binaries and the functions in them. Their code is kept but never looked into. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/memory/memory.h"

static void function_release(struct object *o)
{
	struct function *f = container_of(o, struct function, obj);

	free(f->name);
	free(f);
}

struct function *function_new(struct binary *bin, const char *name)
{
	struct function *f = calloc(1, sizeof(*f));

	if (!f || !(f->name = strdup(name)) || !object_init(&f->obj, OBJ_FUNCTION, function_release)) {
		if (f)
			free(f->name);
		free(f);
		return NULL;
	}
	f->bin = bin;
	list_init(&f->link);
	if (bin)
		list_add_tail(&bin->functions, &f->link);
	return f;
}

aclError function_find(const void *handle, struct function **f)
{
	return OBJECT_NAMED(handle, OBJ_FUNCTION, ACL_ERROR_RT_INVALID_HANDLE, "function", f);
}

static aclError binary_find(const void *handle, struct binary **b)
{
	return OBJECT_NAMED(handle, OBJ_BINARY, ACL_ERROR_RT_INVALID_HANDLE, "binary", b);
}

aclError binary_check_core(const void *handle)
{
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc && b->cpu)
		rc = npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the binary was loaded for CPU kernels");
	return rc;
}

static void binary_release(struct object *o)
{
	struct binary *b = container_of(o, struct binary, obj);

	free(b->image);
	free(b);
}

#define CPU_KERNELS_OF_DATA 2 /* of ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE */

/* Which values there are depends on where the data comes from. */
static bool option_known(const aclrtBinaryLoadOption *o, bool file)
{
	switch (o->type) {
	case ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD:
		return o->value.isLazyLoad <= 1;
	case ACL_RT_BINARY_LOAD_OPT_MAGIC:
		return !file && (o->value.magic == ACL_RT_BINARY_MAGIC_ELF_AICORE ||
					o->value.magic == ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE ||
					o->value.magic == ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE);
	case ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE:
		return file ? o->value.cpuKernelMode == 0 || o->value.cpuKernelMode == 1
			    : o->value.cpuKernelMode == CPU_KERNELS_OF_DATA;
	default:
		return false;
	}
}

static aclError check_options(const aclrtBinaryLoadOptions *options, bool file)
{
	if (options && !options->options)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "there are options, but no list of them");
	for (size_t i = 0; options && i < options->numOpt; i++)
		if (!option_known(&options->options[i], file))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "load option %d or its value",
				(int)options->options[i].type);
	return ACL_SUCCESS;
}

/* Takes over image (malloc). Copied to devices when functions are asked for, so that it needs none. */
static aclError load(void *image, size_t size, const aclrtBinaryLoadOptions *options,
	struct device *described, aclrtBinHandle *out)
{
	struct binary *b = calloc(1, sizeof(*b));

	if (!image || !b || !object_init(&b->obj, OBJ_BINARY, binary_release)) {
		free(b);
		free(image);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for the binary");
	}
	list_init(&b->functions);
	b->described = described;
	b->image = image;
	b->size = size;
	for (size_t i = 0; options && i < options->numOpt; i++) {
		const aclrtBinaryLoadOption *o = &options->options[i];

		if (o->type == ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE) {
			b->cpu = true;
			b->registered = o->value.cpuKernelMode == CPU_KERNELS_OF_DATA;
		}
		b->lazy |= o->type == ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD && o->value.isLazyLoad;
	}
	*out = object_handle(&b->obj);
	return ACL_SUCCESS;
}

/* The current device has a copy from here on. */
static aclError put_on_device(struct binary *b, struct device **dev)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	*dev = ctx->dev;
	b->on[ctx->dev->id] = ctx->dev->releases + 1;
	return ACL_SUCCESS;
}

aclError function_check_device(const struct function *f, const struct device *dev)
{
	aclError rc, before;

	if (!f || !f->bin || f->bin->described || f->bin->on[dev->id] == dev->releases + 1)
		return ACL_SUCCESS;
	before = npu_unnoted(ACL_ERROR_RT_INVALID_HANDLE);
	rc = npu_err(ACL_ERROR_RT_INVALID_HANDLE, "the binary of %s is not on device %d", f->name, dev->id);
	npu_note_again(&before);
	return rc;
}

static void *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data = NULL;

	if (fd < 0)
		return NULL;
	if (!filestat_fd(fd, &st) && st.st_size > 0 && (data = malloc((size_t)st.st_size))) {
		ssize_t n = read(fd, data, (size_t)st.st_size);

		*size = n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return data;
}

aclError aclrtBinaryLoadFromFile(
	const char *binPath, aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
	aclError rc = check_options(options, true);
	size_t size = 0;
	void *image;

	if (rc)
		return rc;
	image = read_file(binPath, &size);
	if (!image)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "cannot read %s", binPath);
	return LOCKED(load(image, size, options, NULL, binHandle));
}

static void *binary_copy(const void *data, size_t size)
{
	void *copy = malloc(size);

	return copy ? memcpy(copy, data, size) : NULL;
}

aclError aclrtBinaryLoadFromData(
	const void *data, size_t length, const aclrtBinaryLoadOptions *options, aclrtBinHandle *binHandle)
{
	aclError rc = check_options(options, false);

	return rc ? rc : LOCKED(load(binary_copy(data, length), length, options, NULL, binHandle));
}

/* A description only refers to the program's data. */
struct binary_desc {
	struct object obj;
	const void *data;
	size_t size;
};

static void desc_release(struct object *o)
{
	free(container_of(o, struct binary_desc, obj));
}

aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen)
{
	struct binary_desc *d = data ? calloc(1, sizeof(*d)) : NULL;
	void *handle = NULL;

	if (!d)
		return NULL;
	npu_lock();
	if (object_init(&d->obj, OBJ_BINARY_DESC, desc_release))
		handle = object_handle(&d->obj);
	else
		free(d);
	npu_unlock();
	if (handle) {
		d->data = data;
		d->size = dataLen;
	}
	return handle;
}

static aclError destroy_desc(const void *handle)
{
	struct object *o = object_find(handle, OBJ_BINARY_DESC);

	if (!o)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is no description of a binary", handle);
	object_kill(o);
	return ACL_SUCCESS;
}

aclError aclrtDestroyBinary(aclrtBinary binary)
{
	return LOCKED(destroy_desc(binary));
}

static aclError load_desc(const void *handle, aclrtBinHandle *out)
{
	struct object *o = object_find(handle, OBJ_BINARY_DESC);
	struct binary_desc *d = container_of(o, struct binary_desc, obj);
	struct context *ctx;
	aclError rc;

	if (!o)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is no description of a binary", handle);
	if (!d->size)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the binary is empty");
	rc = context_need(&ctx);
	return rc ? rc : load(binary_copy(d->data, d->size), d->size, NULL, ctx->dev, out);
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle)
{
	return LOCKED(load_desc(binary, binHandle));
}

static aclError unload(const void *handle)
{
	struct context *ctx;
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc && b->described)
		rc = context_need(&ctx);
	if (rc)
		return rc;
	while (!list_empty(&b->functions)) {
		struct function *f = list_first(&b->functions, struct function, link);

		list_del(&f->link);
		f->bin = NULL;
		object_kill(&f->obj);
	}
	for (int i = 0; i < MAX_DEVICES; i++)
		kept_drop(&b->code[i], device_get(i));
	object_kill(&b->obj);
	return ACL_SUCCESS;
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle)
{
	return LOCKED(unload(binHandle));
}

static aclError make_code(struct binary *b, struct device *dev)
{
	struct kept_memory *code = &b->code[dev->id];

	if ((b->described && b->described != dev) || kept_find(code, dev))
		return ACL_SUCCESS;
	if (!kept_make(code, dev, b->size))
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no room for the binary");
	memcpy(block_at(code->addr)->shadow, b->image, b->size);
	return ACL_SUCCESS;
}

aclError function_load(const struct function *f, struct device *dev)
{
	struct binary *b = f ? f->bin : NULL;

	return b && b->lazy ? make_code(b, dev) : ACL_SUCCESS;
}

/* On the current device. */
static aclError device_address(const void *handle, void **addr, size_t *size)
{
	struct device *dev;
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc)
		rc = put_on_device(b, &dev);
	if (!rc && !b->lazy)
		rc = make_code(b, dev);
	if (rc)
		return rc;
	*addr = kept_find(&b->code[dev->id], dev);
	*size = b->size;
	return ACL_SUCCESS;
}

aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle, void **binAddr, size_t *binSize)
{
	return LOCKED(device_address(binHandle, binAddr, binSize));
}

/* What is known of a kernel's parameters is known of those for the cores only. */
aclError function_not_cpu(const struct function *f)
{
	if (function_is_cpu(f))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s is a kernel for the CPU", f->name);
	return ACL_SUCCESS;
}

static struct function *find_named(struct binary *b, const char *name)
{
	struct function *f;

	list_for_each(f, &b->functions, link) if (!strcmp(f->name, name)) return f;
	return NULL;
}

static aclError named_function(struct binary *b, const char *name, aclrtFuncHandle *out)
{
	struct function *f = find_named(b, name);

	if (!f)
		f = function_new(b, name);
	if (!f)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a function");
	*out = object_handle(&f->obj);
	return ACL_SUCCESS;
}

/* Whatever is wrong has one code. */
static aclError get_function(const void *handle, const char *name, aclrtFuncHandle *out)
{
	struct device *dev;
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc)
		*out = NULL;
	if (!rc && b->registered && !find_named(b, name))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%s was not registered", name);
	if (!rc && put_on_device(b, &dev))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%s cannot be found without a device", name);
	return rc ? rc : named_function(b, name, out);
}

aclError aclrtBinaryGetFunction(
	const aclrtBinHandle binHandle, const char *kernelName, aclrtFuncHandle *funcHandle)
{
	return LOCKED(get_function(binHandle, kernelName, funcHandle));
}

/* Kernels for the CPU have names only. */
static aclError get_function_at(const void *handle, uint64_t entry, aclrtFuncHandle *out)
{
	char name[32];
	struct device *dev;
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc && b->cpu)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the binary was loaded for CPU kernels");
	if (!rc) {
		*out = NULL;
		rc = put_on_device(b, &dev);
	}
	snprintf(name, sizeof(name), "entry_%llu", (unsigned long long)entry);
	return rc ? rc : named_function(b, name, out);
}

aclError aclrtBinaryGetFunctionByEntry(
	aclrtBinHandle binHandle, uint64_t funcEntry, aclrtFuncHandle *funcHandle)
{
	return LOCKED(get_function_at(binHandle, funcEntry, funcHandle));
}

static aclError register_cpu(const void *handle, const char *kernel, aclrtFuncHandle *out)
{
	struct device *dev;
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (!rc)
		*out = NULL;
	if (!rc && !b->cpu)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the binary was not loaded for CPU kernels");
	if (!rc)
		rc = put_on_device(b, &dev);
	return rc ? rc : named_function(b, kernel, out);
}

aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName, const char *kernelName,
	aclrtFuncHandle *funcHandle)
{
	return LOCKED(register_cpu(handle, kernelName, funcHandle));
}

static aclError set_exception(const void *handle, aclrtOpExceptionCallback callback, void *data)
{
	struct binary *b;
	aclError rc = binary_find(handle, &b);

	if (rc)
		return rc;
	b->exception = callback;
	b->exception_data = data;
	return ACL_SUCCESS;
}

aclError aclrtBinarySetExceptionCallback(
	aclrtBinHandle binHandle, aclrtOpExceptionCallback callback, void *userData)
{
	return LOCKED(set_exception(binHandle, callback, userData));
}

static aclError function_name(const void *handle, uint32_t max, char *name)
{
	struct function *f;
	aclError rc = function_find(handle, &f);

	if (!rc && strlen(f->name) >= max)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the name does not fit into %u bytes", max);
	if (!rc)
		strcpy(name, f->name);
	return rc;
}

aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen, char *name)
{
	return LOCKED(function_name(funcHandle, maxLen, name));
}

static aclError function_binary(const void *handle, aclrtBinHandle *out)
{
	struct function *f;
	aclError rc = function_find(handle, &f);

	if (!rc && !f->bin)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the function is of no binary");
	if (!rc)
		*out = object_handle(&f->bin->obj);
	return rc;
}

aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle, aclrtBinHandle *binHandle)
{
	return LOCKED(function_binary(funcHandle, binHandle));
}

static aclError param_info(const void *func, size_t index, size_t *offset, size_t *size, size_t *count)
{
	const struct kernel_info *info;
	struct function *f;
	size_t at = 0;
	aclError rc = function_called(func, &f);

	if (!rc)
		rc = function_not_cpu(f);
	if (rc)
		return rc;
	info = kernel_info(f->name);
	if (!info || !info->described)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "nothing is known of the kernel's parameters");
	if (count) {
		*count = info->n_params;
		return ACL_SUCCESS;
	}
	if (index >= info->n_params)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the kernel has no parameter %zu", index);
	for (size_t i = 0; i <= index; i++) {
		at = ALIGN_UP(at, info->sizes[i] < 8 ? info->sizes[i] : 8);
		if (i < index)
			at += info->sizes[i];
	}
	if (offset)
		*offset = at;
	if (size)
		*size = info->sizes[index];
	return ACL_SUCCESS;
}

aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount)
{
	return LOCKED(param_info(func, 0, NULL, NULL, paramCount));
}

aclError aclrtFunctionGetParamInfo(
	const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
	return LOCKED(param_info(func, paramIndex, paramOffset, paramSize, NULL));
}
