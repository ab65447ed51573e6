/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels: functions of loaded binaries, and launching them. */
#ifndef SOFTNPU_KERNEL_H
#define SOFTNPU_KERNEL_H

#include "tools/softnpu/softnpu.h"
#include "tools/softnpu/sync/stream.h"

#define MAX_KERNEL_PARAMS 128u
#define MAX_PARAM_BYTES 65536u /* of one that is described */

struct binary {
	struct object obj;
	struct list functions;
	struct device *described; /* loaded from a description, for this device; NULL: in the other ways */
	void *image; /* copy of the data */
	size_t size;
	bool cpu; /* loaded with the CPU kernel option */
	bool registered; /* data for the CPU: has no functions but those that were registered */
	bool lazy; /* loaded by the first use of a function on a device */
	unsigned on[MAX_DEVICES]; /* releases of the device + 1 when it was copied there; 0: it was not */
	struct kept_memory code[MAX_DEVICES];
	aclrtOpExceptionCallback exception;
	void *exception_data;
};

struct function {
	struct object obj;
	struct list link; /* of its binary */
	struct binary *bin; /* NULL when made from a symbol */
	char *name;
};

aclError function_find(const void *handle, struct function **f);
/* For the CPU of the device, not for its cores. */
static inline bool function_is_cpu(const struct function *f)
{
	return f->bin && f->bin->cpu;
}

/* 107017, which is no last error, where the binary was never copied or went with its device. */
aclError function_check_device(const struct function *f, const struct device *dev);
/* Its code is asked for there: one that is loaded late is loaded. */
aclError function_load(const struct function *f, struct device *dev);
/* 207000 when it is one for the CPU. */
aclError function_not_cpu(const struct function *f);
/* Is it the handle of a loaded binary with kernels for the cores? */
aclError binary_check_core(const void *handle);
struct function *function_new(struct binary *bin, const char *name);

/* What is known of a kernel's name. */
struct kernel_info {
	softnpu_kernel fn;
	bool described; /* the parameters are known, were there none */
	size_t n_params;
	size_t sizes[MAX_KERNEL_PARAMS];
};

/* NULL when nothing is known. */
const struct kernel_info *kernel_info(const char *name);
/* Function that stands behind a host symbol; made at first use. */
struct function *function_of_symbol(const void *symbol);
/* A host symbol or a handle: symbols are of a context's device, and come first. */
aclError function_called(const void *func, struct function **f);

/* What a launch may set and its task keeps. */
struct kernel_attributes {
	uint8_t schem_mode;
	bool dump;
	uint32_t ubuf; /* bytes */
	uint64_t timeout_us; /* 0: none of its own, UINT64_MAX: never */
};

struct kernel_launch {
	struct function *func; /* NULL: fn */
	const char *name;
	softnpu_kernel fn;
	const void *args; /* in host memory unless device_args */
	size_t args_size;
	bool device_args; /* args are read from device memory when the kernel runs */
	uint32_t num_blocks, grid[3], block[3];
	const aclrtPlaceHolderInfo *holders; /* pointers to be filled in */
	size_t n_holders;
	struct kernel_attributes attributes;
	struct op *args_of; /* the operation that the arguments were given away for, and which goes later */
};

/* Queues the kernel; copies what l points to. */
aclError kernel_submit(const struct kernel_launch *l, aclrtStream stream);
struct op *kernel_op_new(const struct kernel_launch *l);
/* The kernel operation behind op, or NULL: its function and arguments. */
bool kernel_op_launch(const struct op *op, struct kernel_launch *l);
/* Where the arguments of a kernel operation lie on the device, from where they are read from now on. NULL: no
 * room, or none. */
const void *kernel_op_device_args(struct op *op, struct device *dev);
/* The kernel operation that the address was given away for, if it is this one or one whose arguments it has;
 * else NULL. */
struct op *kernel_op_giver(struct op *op, const void *address);
aclError kernel_check_config(const aclrtLaunchKernelCfg *cfg);
/* What a configuration, or none, sets; the values are not checked. */
aclError kernel_configure(struct kernel_attributes *to, const aclrtLaunchKernelCfg *cfg);

/* Whether it draws random numbers (random.c). */
bool random_is(const struct op *op);

#endif
