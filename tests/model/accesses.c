/* SPDX-License-Identifier: Apache-2.0 */
/* The memory behind the pointers of every call: complete, and enough to find the ranges of any call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "acl_api.h"
#include "aclcheck/model.h"

/* The access of a function through a parameter, of an extent. */
static const struct acl_access_info *access_of(unsigned api, const char *param, enum acl_extent extent)
{
	const struct acl_access_list *list = &acl_access_lists[api];

	for (unsigned i = list->first; i < list->end; i++)
		if (!strcmp(acl_params(&acl_apis[api])[acl_accesses[i].param].name, param) &&
			acl_accesses[i].extent == extent)
			return &acl_accesses[i];
	fail_msg("%s: no such access through %s", acl_apis[api].name, param);
	return NULL;
}

static uint64_t length_of(const struct acl_access_info *access, const void *args)
{
	uint64_t length = ~0ull;

	assert_true(acl_access_length(access, args, &length));
	return length;
}

/* Memory that may be a device's comes first, parameters ascend, and operands are slots of the function. */
static void lists_are_sound(void **state)
{
	(void)state;
	for (unsigned api = 0; api < acl_api_count; api++) {
		const struct acl_access_list *list = &acl_access_lists[api];

		assert_int_equal(list->first, api ? acl_access_lists[api - 1].end : 0);
		assert_true(list->first <= list->host && list->host <= list->end);
		for (unsigned i = list->first; i < list->end; i++) {
			const struct acl_access_info *a = &acl_accesses[i];

			assert_int_equal(a->memory == ACL_MEMORY_HOST, i >= list->host);
			assert_true(a->param < acl_apis[api].n_params);
			assert_int_equal(a->base, acl_param_slots[api][a->param]);
			assert_int_equal(a->base & ACL_ARG_FORM, ACL_ARG_64);
			assert_true(a->extent <= ACL_EXTENT_OPAQUE && a->access <= ACL_ACCESS_READWRITE);
			assert_int_equal(a->rows == ACL_ARG_NONE, a->pitch == ACL_ARG_NONE);
			assert_int_equal(a->extent == ACL_EXTENT_COUNTED, a->count_size != 0);
			if (a->extent == ACL_EXTENT_RANGE || a->extent == ACL_EXTENT_COUNTED)
				assert_true(a->unit);
			if (a->extent == ACL_EXTENT_AT_MOST)
				assert_int_not_equal(a->limit, ACL_ARG_NONE);
		}
	}
}

/* Each pointer that is no handle is the base of an access. */
static void no_pointer_without_an_access(void **state)
{
	(void)state;
	for (unsigned api = 0; api < acl_api_count; api++)
		for (unsigned p = 0; p < acl_apis[api].n_params; p++) {
			const struct acl_param *param = &acl_params(&acl_apis[api])[p];
			unsigned found = 0;

			for (unsigned i = acl_access_lists[api].first; i < acl_access_lists[api].end; i++)
				found += acl_accesses[i].param == p;
			if (!found != (param->kind != ACL_KIND_POINTER && param->kind != ACL_KIND_STRING))
				fail_msg("%s: %s has %u accesses", acl_apis[api].name, param->name, found);
		}
}

/* What is written through a pointer to const, or read through an output, is a slip of the model. */
static void directions_agree_with_the_types(void **state)
{
	(void)state;
	for (unsigned api = 0; api < acl_api_count; api++)
		for (unsigned i = acl_access_lists[api].first; i < acl_access_lists[api].end; i++) {
			const struct acl_access_info *a = &acl_accesses[i];
			const struct acl_param *p = &acl_params(&acl_apis[api])[a->param];

			if (a->extent == ACL_EXTENT_EACH || a->extent == ACL_EXTENT_SYMBOL)
				continue;
			if (!strncmp(acl_text(p->type), "const ", 6))
				assert_false(a->access & ACL_ACCESS_WRITE);
			if (p->dir == ACL_DIR_OUT && p->count < 0)
				assert_int_equal(a->access, ACL_ACCESS_WRITE);
		}
}

static void linear_copies(void **state)
{
	struct acl_args_aclrtMemcpyAsync a = {.count = 100, .destMax = 128};
	unsigned api = ACL_API_aclrtMemcpyAsync;
	const struct acl_access_info *dst = access_of(api, "dst", ACL_EXTENT_RANGE);
	const struct acl_access_info *src = access_of(api, "src", ACL_EXTENT_RANGE);

	(void)state;
	assert_int_equal(dst->access, ACL_ACCESS_WRITE);
	assert_int_equal(dst->memory, ACL_MEMORY_ANY);
	assert_int_equal(acl_slot_value(&a, dst->limit), 128);
	assert_int_equal(length_of(dst, &a), 100);
	assert_int_equal(src->access, ACL_ACCESS_READ);
	assert_int_equal(src->limit, ACL_ARG_NONE);
	assert_int_equal(length_of(src, &a), 100);
	assert_int_equal(acl_access_lists[api].end - acl_access_lists[api].first, 2);
}

static void rows_and_pitch(void **state)
{
	struct acl_args_aclrtMemcpy2d a = {.width = 10, .height = 4, .dpitch = 32, .spitch = 16};
	const struct acl_access_info *dst = access_of(ACL_API_aclrtMemcpy2d, "dst", ACL_EXTENT_RANGE);
	const struct acl_access_info *src = access_of(ACL_API_aclrtMemcpy2d, "src", ACL_EXTENT_RANGE);

	(void)state;
	assert_int_equal(length_of(dst, &a), 10);
	assert_int_equal(acl_slot_value(&a, dst->rows), 4);
	assert_int_equal(acl_slot_value(&a, dst->pitch), 32);
	assert_int_equal(acl_slot_value(&a, src->pitch), 16);
}

static void words_and_fixed_sizes(void **state)
{
	struct acl_args_aclrtMemsetD32 set = {.N = 5};
	struct acl_args_aclrtValueWrite write = {0};
	uint64_t length = 7;

	(void)state;
	assert_int_equal(length_of(access_of(ACL_API_aclrtMemsetD32, "ptr", ACL_EXTENT_RANGE), &set), 20);
	set.N = 1ull << 62;
	assert_false(
		acl_access_length(access_of(ACL_API_aclrtMemsetD32, "ptr", ACL_EXTENT_RANGE), &set, &length));
	assert_int_equal(length, 7);
	assert_int_equal(
		length_of(access_of(ACL_API_aclrtValueWrite, "devAddr", ACL_EXTENT_RANGE), &write), 8);
	assert_int_equal(
		access_of(ACL_API_aclrtValueWrite, "devAddr", ACL_EXTENT_RANGE)->memory, ACL_MEMORY_DEVICE);
}

/* The arrays themselves are read in host memory; their elements go anywhere. */
static void batches(void **state)
{
	size_t sizes[2] = {8, 16};
	struct acl_args_aclrtMemcpyBatchAsyncV2 a = {.sizes = sizes, .numBatches = 2};
	unsigned api = ACL_API_aclrtMemcpyBatchAsyncV2;
	const struct acl_access_info *each = access_of(api, "dsts", ACL_EXTENT_EACH);

	(void)state;
	assert_int_equal(each->access, ACL_ACCESS_WRITE);
	assert_int_equal(each->memory, ACL_MEMORY_ANY);
	assert_ptr_equal(acl_slot_pointer(&a, each->bytes), sizes);
	assert_int_equal(acl_slot_value(&a, each->count), 2);
	assert_int_equal(each->limit, acl_role_slots[api][ACL_ROLE_LIMITS]);
	assert_int_equal(access_of(api, "srcs", ACL_EXTENT_EACH)->access, ACL_ACCESS_READ);
	assert_int_equal(length_of(access_of(api, "dsts", ACL_EXTENT_RANGE), &a), 2 * sizeof(void *));
	assert_int_equal(access_of(ACL_API_aclrtCheckMemType, "addrList", ACL_EXTENT_EACH)->unit, 0);
}

static void symbols_and_indirect_addresses(void **state)
{
	struct acl_args_aclrtMemcpyToSymbol to = {.count = 3, .offset = 5};
	const struct acl_access_info *symbol =
		access_of(ACL_API_aclrtMemcpyToSymbol, "symbol", ACL_EXTENT_SYMBOL);
	const struct acl_access_info *dst =
		access_of(ACL_API_aclrtMemcpyAsyncWithOffset, "dst", ACL_EXTENT_INDIRECT);

	(void)state;
	assert_int_equal(symbol->access, ACL_ACCESS_WRITE);
	assert_int_equal(acl_slot_value(&to, symbol->offset), 5);
	assert_int_equal(length_of(symbol, &to), 3);
	assert_int_equal(
		dst->offset, acl_role_slots[ACL_API_aclrtMemcpyAsyncWithOffset][ACL_ROLE_DST_OFFSET]);
}

static void outputs_and_texts(void **state)
{
	struct acl_args_aclrtMalloc a = {0};
	const struct acl_access_info *streams;

	(void)state;
	assert_int_equal(
		length_of(access_of(ACL_API_aclrtMalloc, "devPtr", ACL_EXTENT_RANGE), &a), sizeof(void *));
	assert_int_equal(access_of(ACL_API_aclInit, "configPath", ACL_EXTENT_TEXT)->access, ACL_ACCESS_READ);
	assert_int_equal(
		access_of(ACL_API_aclmdlRIGetName, "name", ACL_EXTENT_AT_MOST)->access, ACL_ACCESS_WRITE);
	assert_int_equal(access_of(ACL_API_aclrtFree, "devPtr", ACL_EXTENT_ADDRESS)->access, ACL_ACCESS_NONE);
	assert_int_equal(
		access_of(ACL_API_aclrtHostRegister, "ptr", ACL_EXTENT_RANGE)->access, ACL_ACCESS_NONE);
	streams = access_of(ACL_API_aclmdlRIGetStreams, "streams", ACL_EXTENT_COUNTED);
	assert_int_equal(streams->count_size, sizeof(uint32_t));
	assert_int_equal(streams->unit, sizeof(aclrtStream));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sound),
		cmocka_unit_test(no_pointer_without_an_access),
		cmocka_unit_test(directions_agree_with_the_types),
		cmocka_unit_test(linear_copies),
		cmocka_unit_test(rows_and_pitch),
		cmocka_unit_test(words_and_fixed_sizes),
		cmocka_unit_test(batches),
		cmocka_unit_test(symbols_and_indirect_addresses),
		cmocka_unit_test(outputs_and_texts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
