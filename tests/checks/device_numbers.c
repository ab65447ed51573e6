/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of devices that there are not, in every function of the model that takes one. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define NO_DEVICE_OF_THIS_NUMBER 107001

/* Functions whose number no rule checks, and why. */
static const struct exception {
	unsigned api;
	const char *reason;
} exceptions[] = {
	{ACL_API_aclrtGetDevice, "it is the answer"},
	{ACL_API_aclrtDeviceGetByPCIBusId, "it is the answer"},
	{ACL_API_aclrtDevicePeerAccessStatus, "may answer that there is no access"},
};

static bool excepted(unsigned api)
{
	for (unsigned i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		if (exceptions[i].api == api)
			return true;
	return false;
}

/* What they refuse may be their other arguments; a repair comes behind the questions about the fault. */
static bool may_refuse_more(unsigned api)
{
	return api == ACL_API_aclrtGetMemUsageInfo || api == ACL_API_aclrtHostMemMapCapabilities ||
	       api == ACL_API_aclrtRepairError;
}

static const enum acl_role roles[] = {ACL_ROLE_DEVICE, ACL_ROLE_PEER_DEVICE};
#define ROLES (sizeof(roles) / sizeof(roles[0]))

static bool takes_a_device(unsigned api)
{
	return acl_arg_has(api, ACL_ROLE_DEVICE);
}

/* Two devices there are, as the program knows or does not. */
static struct fixture *with_two_devices(bool counted)
{
	struct fixture *fixture = fixture_ready(DOCUMENTS);
	uint32_t two = 2;

	if (counted)
		CALL(fixture, aclrtGetDeviceCount, 0, .count = &two);
	silent(fixture);
	return fixture;
}

/* The call with this device in one of its arguments, nothing that it could write to missing. */
static void call_with(struct fixture *fixture, unsigned api, enum acl_role role, int device, int64_t result)
{
	static char memory[4096] __attribute__((aligned(64)));
	char args[512] = {0};
	const struct acl_param *params = acl_params(&acl_apis[api]);

	memset(memory, 0, sizeof(memory));
	if (acl_arg_has(api, ACL_ROLE_LIMIT))
		acl_slot_set(args, acl_role_slots[api][ACL_ROLE_LIMIT], sizeof(memory));
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (params[i].size == sizeof(void *) && params[i].kind == ACL_KIND_POINTER &&
			params[i].null_meaning != ACL_NULL_ONLY)
			memcpy(args + params[i].offset, &(void *){memory}, sizeof(void *));
	acl_slot_set(args, acl_role_slots[api][role], (uint64_t)device);
	fixture_call(fixture, api, args, result, __LINE__);
}

/* Whether a finding is about the number. */
static bool is_reported(const struct fixture *fixture)
{
	for (unsigned i = 0; i < fixture->n_found; i++)
		if (!strncmp(fixture->found[i].what, "device-id-out-of-range:", 23) ||
			!strncmp(fixture->found[i].what, "mem-query-null-args:", 20))
			return true;
	return false;
}

/* 1 if it is reported and should not be, or the other way round. */
static unsigned number_beyond(unsigned api, enum acl_role role, int device, bool wanted)
{
	struct fixture *fixture = with_two_devices(true);
	bool reported;

	call_with(fixture, api, role, device, device == 1 ? 0 : NO_DEVICE_OF_THIS_NUMBER);
	reported = is_reported(fixture);
	fixture_free(fixture);
	if (reported == wanted)
		return 0;
	print_message("%s(%s = %d) %s\n", acl_apis[api].name, acl_role_names[role], device,
		wanted ? "is not reported" : "is reported");
	return 1;
}

/* The first number that is too high is a finding, and one below 0; the last that is not is none. */
static void numbers_beyond_the_count(void **state)
{
	unsigned wrong = 0, n = 0;

	(void)state;
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		for (unsigned role = 0; role < ROLES; role++) {
			if (!acl_arg_has(api, roles[role]))
				continue;
			wrong += number_beyond(api, roles[role], 1, false);
			wrong += number_beyond(api, roles[role], 2, !excepted(api));
			wrong += number_beyond(api, roles[role], -1, !excepted(api));
			n++;
		}
	assert_int_equal(wrong, 0);
	assert_true(n > 30);
}

/* How many there are was never asked: the runtime says it, when it refuses the number and for no other
 * reason. */
static void numbers_the_runtime_refuses(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		for (unsigned i = 0; takes_a_device(api) && i < 2; i++) {
			struct fixture *fixture = with_two_devices(false);
			bool wanted = !i && !excepted(api) && !may_refuse_more(api);

			call_with(fixture, api, ACL_ROLE_DEVICE, 2, i ? 507899 : NO_DEVICE_OF_THIS_NUMBER);
			if (is_reported(fixture) != wanted) {
				print_message("%s, %s %s\n", acl_apis[api].name,
					i ? "other error" : "refused",
					wanted ? "is not reported" : "is reported");
				wrong++;
			}
			fixture_free(fixture);
		}
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_beyond_the_count),
		cmocka_unit_test(numbers_the_runtime_refuses),
	};

	fixture_counts_only();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("numbers of devices", tests, NULL, NULL);
}
