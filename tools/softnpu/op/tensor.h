/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors and executors of the operator library. */
#ifndef SOFTNPU_OP_TENSOR_H
#define SOFTNPU_OP_TENSOR_H

#include "aclnn/aclnn_base.h"
#include "tools/softnpu/softnpu.h"

#define MAX_DIMS 8u

enum {
	NN_OK = 0,
	NN_NULL = 161001,
	NN_INVALID = 161002,
	NN_RUNTIME = 361001,
	NN_INNER = 561000,
	NN_INNER_NULL = 561103 /* of what is done to an executor */
};

/* What a kernel needs to know; copied into its arguments. */
struct tensor_view {
	char *data; /* device address */
	int64_t offset; /* elements */
	aclDataType type;
	uint32_t n;
	int64_t dims[MAX_DIMS], strides[MAX_DIMS];
};

struct aclTensor {
	struct tensor_view view;
	aclFormat format;
	uint32_t n_storage;
	int64_t storage[MAX_DIMS];
};

struct aclScalar {
	aclDataType type;
	double value;
	int64_t integer;
};

#define MAX_OPERANDS 3u

/* Arguments of every operator's host kernel. */
struct op_args {
	struct tensor_view t[MAX_OPERANDS]; /* inputs, then the output */
	uint32_t n_tensors;
	double alpha, scalar;
	int64_t alpha_integer, scalar_integer;
};

struct aclOpExecutor {
	const char *name;
	softnpu_kernel kernel;
	bool repeatable;
	struct op_args args;
	const aclTensor *operands[MAX_OPERANDS]; /* only compared */
};

/* Bytes of an element, 0 = a type the library does not compute with. */
size_t element_size(aclDataType type);
double load_number(const char *at, aclDataType type);
void store_number(char *at, aclDataType type, double value);
/* Integers are computed as such: exact, wrapping. */
bool is_integer(aclDataType type);
int64_t load_integer(const char *at, aclDataType type);
void store_integer(char *at, aclDataType type, int64_t value);
/* An executor for these operands (NULL = absent); NULL without memory. */
aclOpExecutor *executor_new(const char *name, softnpu_kernel kernel);
void executor_add(aclOpExecutor *e, const aclTensor *t);
/* The second phase of every operator. */
aclnnStatus executor_run(aclOpExecutor *e, aclrtStream stream);
/* Bytes from data that the view may touch. */
size_t view_extent(const struct tensor_view *v);

#endif
