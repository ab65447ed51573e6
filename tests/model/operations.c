/* SPDX-License-Identifier: Apache-2.0 */
/* Every wrapped function has an operation, its arguments have roles, and both are found by table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "acl_api.h"
#include "aclcheck/model.h"

static void operations_list_their_functions(void **state)
{
	unsigned listed = 0;

	(void)state;
	for (unsigned op = 1; op < ACL_OP_COUNT; op++) {
		const struct acl_operation_info *info = &acl_operations[op];

		assert_true(info->n_apis);
		for (unsigned i = 0; i < info->n_apis; i++) {
			assert_int_equal(acl_apis[acl_operation_apis[info->first_api + i]].operation, op);
			assert_int_equal(acl_apis[acl_operation_apis[info->first_api + i]].operation_group,
				info->group);
			assert_true(!i || acl_operation_apis[info->first_api + i - 1] <
						  acl_operation_apis[info->first_api + i]);
		}
		listed += info->n_apis;
	}
	assert_int_equal(listed, acl_api_count);
}

static void groups_are_ranges_of_operations(void **state)
{
	unsigned next = 1, listed = 0;

	(void)state;
	for (unsigned g = 1; g < ACL_OP_GROUP_COUNT; g++) {
		const struct acl_operation_group_info *group = &acl_operation_groups[g];
		size_t n = strlen(group->name);

		assert_int_equal(group->first, next);
		assert_true(group->n_operations);
		for (unsigned i = 0; i < group->n_operations; i++, next++) {
			assert_int_equal(acl_operations[next].group, g);
			assert_memory_equal(acl_operations[next].name, group->name, n);
			assert_true(acl_operations[next].name[n] == '.' || !acl_operations[next].name[n]);
		}
		for (unsigned i = 0; i < group->n_apis; i++)
			assert_int_equal(acl_apis[acl_group_apis[group->first_api + i]].operation_group, g);
		listed += group->n_apis;
	}
	assert_int_equal(next, ACL_OP_COUNT);
	assert_int_equal(listed, acl_api_count);
}

static void each_parameter_has_one_role(void **state)
{
	(void)state;
	for (unsigned api = 0; api < acl_api_count; api++) {
		unsigned found = 0;

		assert_true(acl_apis[api].n_params <= ACL_MAX_PARAMS);
		for (unsigned r = 0; r < ACL_ROLE_COUNT; r++) {
			int p = acl_role_param(api, (enum acl_role)r);

			assert_int_equal(acl_arg_has(api, (enum acl_role)r), p >= 0);
			if (p < 0)
				continue;
			assert_true(p < acl_apis[api].n_params);
			assert_int_equal(acl_role_slots[api][r], acl_param_slots[api][p]);
			found++;
		}
		assert_int_equal(found, acl_apis[api].n_params);
	}
}

static void slots_agree_with_the_parameters(void **state)
{
	(void)state;
	for (unsigned api = 0; api < acl_api_count; api++)
		for (unsigned p = 0; p < acl_apis[api].n_params; p++) {
			const struct acl_param *param = &acl_params(&acl_apis[api])[p];
			unsigned slot = acl_param_slots[api][p], form = slot & ACL_ARG_FORM;

			assert_int_equal(slot & ~ACL_ARG_FORM, param->offset);
			assert_int_equal(form == ACL_ARG_BYTES, param->kind == ACL_KIND_STRUCT);
			if (form != ACL_ARG_BYTES)
				assert_int_equal(param->size, form == ACL_ARG_64 ? 8 : 4);
			if (param->kind == ACL_KIND_INT && param->size == 4)
				assert_int_equal(form, ACL_ARG_I32);
			if (param->kind == ACL_KIND_UINT && param->size == 4)
				assert_int_equal(form, ACL_ARG_U32);
		}
}

static void arguments_by_role(void **state)
{
	char to[8], from[8];
	struct acl_args_aclrtMemcpy2dAsync rows = {.dst = to, .src = from, .width = 3, .height = ~0ull};
	struct acl_args_aclrtMemset set = {.devPtr = to, .value = -2, .count = 7, .maxCount = 8};
	struct acl_args_aclrtMemsetD32 words = {.ptr = from, .value = 0xfffffffeu};

	(void)state;
	assert_ptr_equal(acl_arg_pointer(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_DST), to);
	assert_ptr_equal(acl_arg_pointer(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_SRC), from);
	assert_int_equal(acl_arg_value(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_WIDTH), 3);
	assert_true(acl_arg_value(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_HEIGHT) == ~0ull);
	assert_false(acl_arg_has(ACL_API_aclrtMemcpy2dAsync, ACL_ROLE_BYTES));
	assert_int_equal(acl_arg_value(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_BYTES), 0);
	assert_null(acl_arg_pointer(ACL_API_aclrtMemcpy2dAsync, &rows, ACL_ROLE_EVENT));
	assert_ptr_equal(acl_arg_pointer(ACL_API_aclrtMemset, &set, ACL_ROLE_DST), to);
	assert_int_equal(acl_arg_value(ACL_API_aclrtMemset, &set, ACL_ROLE_BYTES), 7);
	assert_int_equal(acl_arg_value(ACL_API_aclrtMemset, &set, ACL_ROLE_LIMIT), 8);
	assert_true(acl_arg_value(ACL_API_aclrtMemset, &set, ACL_ROLE_VALUE) == (uint64_t)-2);
	assert_true(acl_arg_value(ACL_API_aclrtMemsetD32, &words, ACL_ROLE_VALUE) == 0xfffffffeu);
	assert_false(acl_arg_has(ACL_API_aclrtMemset, ACL_ROLE_NONE));
}

static void a_structure_by_value_is_pointed_at(void **state)
{
	struct acl_args_aclrtIpcOpenEventHandle open = {0};

	(void)state;
	assert_ptr_equal(acl_arg_pointer(ACL_API_aclrtIpcOpenEventHandle, &open, ACL_ROLE_KEY), &open.handle);
	assert_int_equal(acl_arg_value(ACL_API_aclrtIpcOpenEventHandle, &open, ACL_ROLE_KEY), 0);
}

/* Variants do the same: what one of them does wrong, the others can do wrong. */
static void variants_share_an_operation(void **state)
{
	(void)state;
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpy].operation, ACL_OP_COPY_LINEAR);
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpyAsync].operation, ACL_OP_COPY_LINEAR);
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpyAsyncWithCondition].operation, ACL_OP_COPY_LINEAR);
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpyBatchAsyncV2].operation_group, ACL_OP_GROUP_COPY);
	assert_int_equal(acl_apis[ACL_API_aclrtStreamWaitEventWithTimeout].operation, ACL_OP_WAIT_EVENT);
	assert_int_equal(acl_apis[ACL_API_aclrtReduceAsync].operation, ACL_OP_REDUCE);
	assert_string_equal(acl_operations[ACL_OP_REDUCE].name, "reduce");
	assert_string_equal(acl_operation_groups[ACL_OP_GROUP_REDUCE].name, "reduce");
	assert_string_equal(acl_role_names[ACL_ROLE_DST], "dst");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_list_their_functions),
		cmocka_unit_test(groups_are_ranges_of_operations),
		cmocka_unit_test(each_parameter_has_one_role),
		cmocka_unit_test(slots_agree_with_the_parameters),
		cmocka_unit_test(arguments_by_role),
		cmocka_unit_test(a_structure_by_value_is_pointed_at),
		cmocka_unit_test(variants_share_an_operation),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
