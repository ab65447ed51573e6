/* SPDX-License-Identifier: Apache-2.0 */
/* libopapi: aclnnMatmul. */
#include "tensor.h"

#include <string.h>

#include "aclnnop/aclnn_matmul.h"

/* A matrix out of a batch: rows and columns with their strides; vectors get a dimension of one. */
struct matrix {
	const struct tensor_view *v;
	char *data;
	uint32_t batch_dims;
	int64_t rows, cols, row_stride, col_stride;
};

static struct matrix matrix_of(const struct tensor_view *v, bool left)
{
	struct matrix m = {.v = v};

	if (v->n == 1) {
		m.rows = left ? 1 : v->dims[0];
		m.cols = left ? v->dims[0] : 1;
		m.row_stride = left ? 0 : v->strides[0];
		m.col_stride = left ? v->strides[0] : 0;
		return m;
	}
	m.batch_dims = v->n - 2;
	m.rows = v->dims[v->n - 2];
	m.cols = v->dims[v->n - 1];
	m.row_stride = v->strides[v->n - 2];
	m.col_stride = v->strides[v->n - 1];
	return m;
}

/* Elements before the matrix that belongs to one of the output's batch. */
static int64_t batch_offset(const struct matrix *m, const int64_t *index, uint32_t n_index)
{
	int64_t first = m->v->offset;

	for (uint32_t i = 0; i < m->batch_dims; i++)
		if (m->v->dims[i] != 1)
			first += index[n_index - m->batch_dims + i] * m->v->strides[i];
	return first;
}

static const char *at(const struct matrix *m, int64_t base, int64_t row, int64_t col)
{
	int64_t element = base + row * m->row_stride + col * m->col_stride;

	return m->data + element * (int64_t)element_size(m->v->type);
}

/* One element of the product: row of a times column of b. */
static void product(const struct matrix *a, const char *row, const struct matrix *b, const char *col,
	char *to, aclDataType type)
{
	int64_t a_step = a->col_stride * (int64_t)element_size(a->v->type);
	int64_t b_step = b->row_stride * (int64_t)element_size(b->v->type);
	bool integers = is_integer(type) && is_integer(a->v->type);
	uint64_t integer_sum = 0;
	double sum = 0;

	for (int64_t k = 0; k < a->cols; k++, row += a_step, col += b_step) {
		if (integers)
			integer_sum += (uint64_t)load_integer(row, a->v->type) *
				       (uint64_t)load_integer(col, b->v->type);
		else
			sum += load_number(row, a->v->type) * load_number(col, b->v->type);
	}
	if (integers)
		store_integer(to, type, (int64_t)integer_sum);
	else
		store_number(to, type, sum);
}

/* Where element (row, col) of the output lies; vectors lack one or both dimensions. */
static int64_t output_element(const struct op_args *args, int64_t base, int64_t row, int64_t col)
{
	const struct tensor_view *out = &args->t[2];
	uint32_t last = out->n;

	if (args->t[1].n > 1)
		base += col * out->strides[--last];
	if (args->t[0].n > 1)
		base += row * out->strides[--last];
	return base;
}

static void multiply(const struct op_args *args, const struct matrix *a, const struct matrix *b, char *out,
	const int64_t *index, uint32_t n_index)
{
	struct matrix o = {.v = &args->t[2], .batch_dims = n_index};
	int64_t a_base = batch_offset(a, index, n_index), b_base = batch_offset(b, index, n_index);
	int64_t o_base = batch_offset(&o, index, n_index);
	aclDataType type = args->t[2].type;

	for (int64_t row = 0; row < a->rows; row++)
		for (int64_t col = 0; col < b->cols; col++)
			product(a, at(a, a_base, row, 0), b, at(b, b_base, 0, col),
				out + output_element(args, o_base, row, col) * (int64_t)element_size(type),
				type);
}

static void matmul_kernel(const softnpu_launch *launch)
{
	const struct op_args *args = launch->args;
	struct matrix a = matrix_of(&args->t[0], true), b = matrix_of(&args->t[1], false);
	uint32_t n_index = a.batch_dims > b.batch_dims ? a.batch_dims : b.batch_dims;
	int64_t index[MAX_DIMS] = {0};
	char *out = softnpu_memory(args->t[2].data, view_extent(&args->t[2]));
	uint32_t i;

	a.data = softnpu_memory(args->t[0].data, view_extent(&args->t[0]));
	b.data = softnpu_memory(args->t[1].data, view_extent(&args->t[1]));
	if (!a.data || !b.data || !out)
		return;
	do {
		multiply(args, &a, &b, out, index, n_index);
		for (i = n_index; i > 0; i--) {
			if (++index[i - 1] < args->t[2].dims[i - 1])
				break;
			index[i - 1] = 0;
		}
	} while (i);
}

static bool batch_fits(const struct matrix *m, const struct tensor_view *out, uint32_t n_index)
{
	for (uint32_t i = 0; i < m->batch_dims; i++)
		if (m->v->dims[i] != 1 && m->v->dims[i] != out->dims[n_index - m->batch_dims + i])
			return false;
	return true;
}

static bool shapes_fit(
	const struct tensor_view *x, const struct tensor_view *y, const struct tensor_view *out)
{
	struct matrix a = matrix_of(x, true), b = matrix_of(y, false);
	uint32_t n_index = a.batch_dims > b.batch_dims ? a.batch_dims : b.batch_dims;
	uint32_t dim = n_index;

	if (!x->n || !y->n || a.cols != b.rows || out->n != n_index + (x->n > 1) + (y->n > 1))
		return false;
	if (x->n > 1 && out->dims[dim++] != a.rows)
		return false;
	if (y->n > 1 && out->dims[dim] != b.cols)
		return false;
	return batch_fits(&a, out, n_index) && batch_fits(&b, out, n_index);
}

aclnnStatus aclnnMatmulGetWorkspaceSize(const aclTensor *self, const aclTensor *mat2, aclTensor *out,
	int8_t cubeMathType, uint64_t *workspaceSize, aclOpExecutor **executor)
{
	aclOpExecutor *e;

	if (!self || !mat2 || !out || !workspaceSize || !executor)
		return NN_NULL;
	if (cubeMathType < 0 || cubeMathType > 3 || !element_size(self->view.type) ||
		self->view.type != mat2->view.type || !element_size(out->view.type) ||
		!shapes_fit(&self->view, &mat2->view, &out->view))
		return NN_INVALID;
	e = executor_new("aclnnMatmul", matmul_kernel);
	if (!e)
		return NN_INNER;
	executor_add(e, self);
	executor_add(e, mat2);
	executor_add(e, out);
	*workspaceSize = 0;
	*executor = e;
	return NN_OK;
}

aclnnStatus aclnnMatmul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
	(void)workspace;
	(void)workspaceSize;
	return executor_run(executor, stream);
}
