/* SPDX-License-Identifier: Apache-2.0 */
/* Running kernels: registered host functions, or time that passes. */
#include "tools/softnpu/kernel/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/memory/memory.h"

struct known_kernel {
	struct list link;
	char *name;
	struct kernel_info info;
};

static struct list kernels = {&kernels, &kernels};

static struct known_kernel *kernel_find(const char *name)
{
	struct known_kernel *k;

	list_for_each(k, &kernels, link) if (!strcmp(k->name, name)) return k;
	return NULL;
}

static struct known_kernel *find_or_add(const char *name)
{
	struct known_kernel *k = kernel_find(name);

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k || !(k->name = strdup(name))) {
		free(k);
		return NULL;
	}
	list_add_tail(&kernels, &k->link);
	return k;
}

const struct kernel_info *kernel_info(const char *name)
{
	struct known_kernel *k = kernel_find(name);

	return k ? &k->info : NULL;
}

static aclError set_function(const char *name, softnpu_kernel fn)
{
	struct known_kernel *k = find_or_add(name);

	if (!k)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for kernel %s", name);
	k->info.fn = fn;
	return ACL_SUCCESS;
}

aclError softnpu_register_kernel(const char *name, softnpu_kernel fn)
{
	if (!name)
		return npu_err(ACL_ERROR_INVALID_PARAM, "name is NULL");
	return LOCKED(set_function(name, fn));
}

static aclError set_params(const char *name, const size_t *sizes, size_t n)
{
	struct known_kernel *k = find_or_add(name);

	if (!k)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for kernel %s", name);
	memcpy(k->info.sizes, sizes, n * sizeof(*sizes));
	k->info.n_params = n;
	k->info.described = true;
	return ACL_SUCCESS;
}

aclError softnpu_describe_kernel(const char *name, const size_t *param_sizes, size_t num_params)
{
	if (!name || (!param_sizes && num_params) || num_params > MAX_KERNEL_PARAMS)
		return npu_err(ACL_ERROR_INVALID_PARAM, "name or sizes NULL, or more than %u parameters",
			MAX_KERNEL_PARAMS);
	for (size_t i = 0; i < num_params; i++)
		if (!param_sizes[i] || param_sizes[i] > MAX_PARAM_BYTES)
			return npu_err(ACL_ERROR_INVALID_PARAM,
				"parameter %zu has %zu bytes, 1 to %u are possible", i, param_sizes[i],
				MAX_PARAM_BYTES);
	return LOCKED(set_params(name, param_sizes, num_params));
}

void *softnpu_memory(const void *address, size_t size)
{
	struct place p;

	npu_lock();
	p = place_of(address);
	npu_unlock();
	return p.loc == LOC_UNREGISTERED || size > p.room ? NULL : p.host;
}

/* --- the task -------------------------------------------------------------- */

struct kernel_op {
	struct op op;
	struct kernel_launch l; /* args, name and holders are copies */
	void *on_device; /* the arguments in device memory, once their address was given away */
};

static void pass_time(void)
{
	int64_t us = CFG(kernel_us);
	struct timespec ts = {us / 1000000, us % 1000000 * 1000};

	if (us)
		nanosleep(&ts, NULL);
}

/* Pointers to data behind the arguments: filled in where the copy lies now. The last one may begin in the
 * arguments' last byte. */
static void fill_holders(char *args, const struct kernel_launch *l)
{
	for (size_t i = 0; i < l->n_holders; i++) {
		void *data = args + l->holders[i].dataOffset;

		memcpy(args + l->holders[i].addrOffset, &data, sizeof(data));
	}
}

static aclError call(softnpu_kernel fn, const struct kernel_op *k, int device)
{
	const struct kernel_launch *l = &k->l;
	const void *given = __atomic_load_n(&k->on_device, __ATOMIC_ACQUIRE);
	softnpu_launch view = {
		.kernel = l->name, .args_size = l->args_size, .num_blocks = l->num_blocks, .device = device};
	char *args = malloc(l->args_size + sizeof(void *));
	aclError rc = ACL_SUCCESS;

	if (!args)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (l->device_args || given) {
		struct area a = {args, given ? given : l->args, l->args_size, l->args_size, l->args_size, 1};

		rc = copy_now(&a);
	} else {
		memcpy(args, l->args, l->args_size);
	}
	if (!rc)
		fill_holders(args, l);
	memcpy(view.grid, l->grid, sizeof(view.grid));
	memcpy(view.block, l->block, sizeof(view.block));
	view.args = args;
	if (!rc)
		fn(&view);
	free(args);
	return rc;
}

static aclError kernel_run(struct op *op, struct lane *lane)
{
	const struct kernel_op *k = container_of(op, struct kernel_op, op);
	const struct kernel_info *info;
	softnpu_kernel fn = k->l.fn;

	if (!fn) {
		npu_lock();
		info = kernel_info(k->l.name);
		fn = info ? info->fn : NULL;
		npu_unlock();
	}
	if (fn)
		return call(fn, k, lane->device);
	pass_time();
	return ACL_SUCCESS;
}

static void kernel_release(struct op *op)
{
	struct kernel_op *k = container_of(op, struct kernel_op, op);
	struct kernel_launch *l = &k->l;

	if (k->on_device && block_at(k->on_device))
		memory_delete(block_at(k->on_device));
	if (l->func)
		object_put(&l->func->obj);
	if (l->args_of)
		op_put(l->args_of);
	free((void *)l->name);
	free((void *)l->holders);
	if (!l->device_args)
		free((void *)l->args);
}

static void kernel_describe(const struct op *op, char *text, size_t size)
{
	const struct kernel_launch *l = &container_of(op, struct kernel_op, op)->l;

	snprintf(text, size, "\"kernel\": \"%s\", \"blocks\": %u, \"args_size\": %zu", l->name, l->num_blocks,
		l->args_size);
}

static const struct op_type kernel_type = {
	.name = "KERNEL",
	.run = kernel_run,
	.release = kernel_release,
	.describe = kernel_describe,
	.task_type = ACL_MODEL_RI_TASK_KERNEL,
	.may_block = true,
	.is_kernel = true,
};

/* In a model it is a task like any other. */
static const struct op_type cpu_kernel_type = {
	.name = "KERNEL_AICPU",
	.run = kernel_run,
	.release = kernel_release,
	.describe = kernel_describe,
	.may_block = true,
};

static void *kernel_text_copy(const void *from, size_t size)
{
	void *to = malloc(size + 1);

	if (to && size)
		memcpy(to, from, size);
	return to;
}

/* A task has 16 bits for its blocks. */
static void cut_blocks(struct kernel_launch *l)
{
	if (l->grid[0] == l->num_blocks)
		l->grid[0] = (uint16_t)l->grid[0];
	l->num_blocks = (uint16_t)l->num_blocks;
}

struct op *kernel_op_new(const struct kernel_launch *l)
{
	bool cpu = l->func && function_is_cpu(l->func);
	struct kernel_op *k = op_new(cpu ? &cpu_kernel_type : &kernel_type, sizeof(*k));

	if (!k)
		return NULL;
	k->l = *l;
	cut_blocks(&k->l);
	if (l->func)
		object_get(&l->func->obj);
	if (l->args_of)
		op_get(l->args_of);
	k->l.name = strdup(l->func ? l->func->name : l->name);
	k->l.holders = kernel_text_copy(l->holders, l->n_holders * sizeof(*l->holders));
	if (!l->device_args)
		k->l.args = kernel_text_copy(l->args, l->args_size);
	if (k->l.name && k->l.holders && (l->device_args || k->l.args))
		return &k->op;
	op_put(&k->op);
	return NULL;
}

bool kernel_op_launch(const struct op *op, struct kernel_launch *l)
{
	if (op->type != &kernel_type && op->type != &cpu_kernel_type)
		return false;
	*l = container_of(op, struct kernel_op, op)->l;
	return true;
}

const void *kernel_op_device_args(struct op *op, struct device *dev)
{
	struct kernel_op *k = container_of(op, struct kernel_op, op);
	struct block *b;

	if (k->l.device_args)
		return k->l.args;
	if (k->on_device || !k->l.args_size)
		return k->on_device;
	b = memory_new(BLOCK_DEVICE, dev, memory_rounded(k->l.args_size), k->l.args_size, ARENA_GRAIN);
	if (!b)
		return NULL;
	memcpy(b->shadow, k->l.args, k->l.args_size);
	__atomic_store_n(&k->on_device, b->addr, __ATOMIC_RELEASE);
	return b->addr;
}

struct op *kernel_op_giver(struct op *op, const void *address)
{
	const struct kernel_op *k = container_of(op, struct kernel_op, op);

	if (!op->type->is_kernel)
		return NULL;
	if (k->l.args_of)
		return k->l.args == address ? k->l.args_of : NULL;
	return address && k->on_device == address ? op : NULL;
}

aclError kernel_submit(const struct kernel_launch *l, aclrtStream stream)
{
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = function_check_device(l->func, s->ctx->dev);
	if (!rc)
		rc = function_load(l->func, s->ctx->dev);
	return rc ? rc : stream_submit(s, kernel_op_new(l));
}

aclError softnpu_launch_host(
	const char *name, softnpu_kernel fn, const void *args, size_t args_size, aclrtStream stream)
{
	struct kernel_launch l = {.name = name,
		.fn = fn,
		.args = args,
		.args_size = args_size,
		.num_blocks = 1,
		.grid = {1, 1, 1},
		.block = {1, 1, 1}};

	if (!name || !fn || (!args && args_size))
		return npu_err(ACL_ERROR_INVALID_PARAM, "name, fn or args is NULL");
	return LOCKED(kernel_submit(&l, stream));
}
