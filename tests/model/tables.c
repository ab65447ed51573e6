/* SPDX-License-Identifier: Apache-2.0 */
/* The model's tables and look-ups hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "acl_api.h"
#include "aclcheck/model.h"
#include "checks/engine/call_record.h"

static const struct acl_param *param(const char *function, const char *name)
{
	const struct acl_api_info *api = &acl_apis[acl_api_find(function)];

	for (unsigned i = 0; i < api->n_params; i++)
		if (!strcmp(acl_params(api)[i].name, name))
			return &acl_params(api)[i];
	fail_msg("%s has no parameter %s", function, name);
	return NULL;
}

static void find_meets_every_name(void **state)
{
	(void)state;
	assert_int_equal(acl_api_count, ACL_API_COUNT);
	for (unsigned i = 0; i < acl_api_count; i++) {
		assert_int_equal(acl_api_find(acl_apis[i].name), i);
		if (i)
			assert_true(strcmp(acl_apis[i - 1].name, acl_apis[i].name) < 0);
	}
	assert_int_equal(acl_api_find("aclrtMemcpyAsync"), ACL_API_aclrtMemcpyAsync);
	assert_int_equal(acl_api_find(""), -1);
	assert_int_equal(acl_api_find("aclrtMemcpyAsyn"), -1);
	assert_int_equal(acl_api_find("zzz"), -1);
}

static void releases_of_versions(void **state)
{
	(void)state;
	for (int i = 0; i < ACL_CANN_MAIN; i++)
		assert_int_equal(acl_cann_of(acl_cann_names[i]), i);
	assert_int_equal(acl_cann_of("8.5.RC1"), ACL_CANN_8_5);
	assert_int_equal(acl_cann_of("8.4.9"), ACL_CANN_8_1);
	assert_int_equal(acl_cann_of("9.0.0.alpha002"), ACL_CANN_9_0);
	assert_int_equal(acl_cann_of("9"), ACL_CANN_9_0);
	assert_int_equal(acl_cann_of("99.1"), ACL_CANN_MAIN - 1);
	assert_int_equal(acl_cann_of("7.3.0"), -1);
	assert_int_equal(acl_cann_of("main"), -1);
	assert_int_equal(acl_cann_of(""), -1);
}

static void error_and_enum_names(void **state)
{
	(void)state;
	assert_string_equal(acl_error_name(0), "ACL_SUCCESS");
	assert_string_equal(acl_error_name(107000), "ACL_ERROR_RT_PARAM_INVALID");
	assert_string_equal(acl_error_name(207000), "ACL_ERROR_RT_FEATURE_NOT_SUPPORT");
	assert_null(acl_error_name(1));
	assert_null(acl_error_name(-1));
	assert_string_equal(
		acl_enum_name(param("aclrtMemcpy", "kind")->enum_index, 1), "ACL_MEMCPY_HOST_TO_DEVICE");
	assert_null(acl_enum_name(param("aclrtMemcpy", "kind")->enum_index, 99));
	assert_null(acl_enum_name(-1, 0));
	assert_null(acl_enum_name(acl_enum_count, 0));
	for (unsigned i = 0; i < acl_enum_count; i++)
		for (unsigned v = 1; v < acl_enums[i].n_values; v++)
			assert_true(
				acl_values(&acl_enums[i])[v - 1].value <= acl_values(&acl_enums[i])[v].value);
}

/* Indexes point to parameters, offsets lie inside, kinds have what they need. */
static void parameters_are_sound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < acl_api_count; i++) {
		const struct acl_api_info *api = &acl_apis[i];

		assert_true(api->n_params <= ACL_CALL_PARAMS);
		assert_true(api->classes);
		for (unsigned n = 0; n < api->n_params; n++) {
			const struct acl_param *p = &acl_params(api)[n];

			assert_true(p->offset + p->size <= api->args_size);
			assert_in_range(p->bytes + 1, 0, api->n_params);
			assert_in_range(p->limit + 1, 0, api->n_params);
			assert_in_range(p->count + 1, 0, api->n_params);
			assert_in_range(p->user_data + 1, 0, api->n_params);
			if (p->kind == ACL_KIND_ENUM)
				assert_in_range(p->enum_index, 0, acl_enum_count - 1);
			if (p->kind == ACL_KIND_STRUCT)
				assert_in_range(p->struct_index, 0, acl_struct_count - 1);
			assert_int_equal(!p->handle, !p->life);
			if (p->handle)
				assert_true(p->handle < ACL_HANDLE_COUNT);
		}
	}
}

/* A sample of the facts that checks and replay live on. */
static void what_the_model_says(void **state)
{
	const struct acl_param *p = param("aclrtMemcpyAsync", "dst");

	(void)state;
	assert_int_equal(p->access, ACL_ACCESS_WRITE);
	assert_string_equal(acl_params(&acl_apis[ACL_API_aclrtMemcpyAsync])[p->bytes].name, "count");
	assert_string_equal(acl_params(&acl_apis[ACL_API_aclrtMemcpyAsync])[p->limit].name, "destMax");
	p = param("aclrtMemcpyAsync", "stream");
	assert_int_equal(p->kind, ACL_KIND_HANDLE);
	assert_int_equal(p->handle, ACL_HANDLE_STREAM);
	assert_int_equal(p->null_meaning, ACL_NULL_DEFAULT);
	assert_int_equal(param("aclrtDestroyStream", "stream")->life, ACL_LIFE_DESTROY);
	assert_int_equal(param("aclrtDestroyStream", "stream")->null_meaning, ACL_NULL_REQUIRED);
	p = param("aclrtCreateStream", "stream");
	assert_int_equal(p->kind, ACL_KIND_POINTER);
	assert_int_equal(p->pointee_kind, ACL_KIND_HANDLE);
	assert_int_equal(p->life, ACL_LIFE_CREATE);
	p = param("aclrtCreateStreamV2", "handle");
	assert_int_equal(p->kind, ACL_KIND_HANDLE);
	assert_int_equal(p->handle, ACL_HANDLE_STREAM_CONFIG);
	assert_int_equal(
		acl_apis[ACL_API_aclrtCreateStreamConfigHandle].ret_handle, ACL_HANDLE_STREAM_CONFIG);
	assert_int_equal(acl_apis[ACL_API_aclrtCreateStreamConfigHandle].ret_life, ACL_LIFE_CREATE);
	p = param("aclrtLaunchCallback", "fn");
	assert_int_equal(p->kind, ACL_KIND_CALLBACK);
	assert_string_equal(
		acl_params(&acl_apis[ACL_API_aclrtLaunchCallback])[p->user_data].name, "userData");
	assert_int_equal(param("aclInit", "configPath")->kind, ACL_KIND_STRING);
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpy].mode, ACL_MODE_BLOCKING);
	assert_int_equal(acl_apis[ACL_API_aclrtMemcpy].ret_kind, ACL_KIND_ERROR);
	assert_true(acl_apis[ACL_API_aclrtSetDeviceWithoutTsdVXX].unlisted);
}

static void records_are_sound(void **state)
{
	(void)state;
	for (unsigned i = 0; i < acl_struct_count; i++)
		for (unsigned n = 0; n < acl_structs[i].n_fields; n++) {
			const struct acl_field *f = &acl_fields(&acl_structs[i])[n];

			assert_true(f->count && f->offset + f->size * f->count <= acl_structs[i].size);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find_meets_every_name),
		cmocka_unit_test(releases_of_versions),
		cmocka_unit_test(error_and_enum_names),
		cmocka_unit_test(parameters_are_sound),
		cmocka_unit_test(what_the_model_says),
		cmocka_unit_test(records_are_sound),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
