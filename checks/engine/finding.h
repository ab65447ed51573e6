/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding: one broken rule at one call, with what a reader needs to believe
 * and fix it.  Built on the stack by checks/, handed to the sink by pointer,
 * valid only during that call.  Numbers and addresses here are raw; sinks
 * decode and escape.
 */
#ifndef CHECKS_FINDING_H
#define CHECKS_FINDING_H

#include <stdint.h>

#include "checks/engine/call_record.h"
#include "checks/engine/rule_table.h"

enum acl_value_form {
	ACL_VALUE_UINT,
	ACL_VALUE_INT,
	ACL_VALUE_ADDRESS,
	ACL_VALUE_BYTES, /* a size: shown with unit */
	ACL_VALUE_ENUM, /* enum_index says which */
	ACL_VALUE_ERROR, /* aclError */
	ACL_VALUE_TEXT, /* static or event-lifetime string; may be program-controlled: sinks escape */
	ACL_VALUE_API /* enum acl_api */
};

/* One exact value that broke the rule: "src offset = 12 bytes". */
struct acl_value {
	const char *name;
	uint8_t form; /* enum acl_value_form */
	int16_t enum_index;
	union {
		uint64_t u;
		int64_t i;
		const char *s;
	};
};

/* Where something happened to an object. */
struct acl_call_site {
	uint32_t stack; /* interned stack, 0 = none kept */
	uint32_t tid;
	uint64_t caller; /* return address, 0 = it never happened */
	uint16_t api; /* enum acl_api */
};

/* History of an object that plays a part in the finding. */
struct acl_object_history {
	const char *role; /* "source memory", "stream" … */
	uint8_t handle; /* enum acl_handle, ACL_HANDLE_NONE for memory */
	const char *kind; /* "device memory", "stream", "event" … */
	const char *name; /* that the program gave it, NULL = none */
	uint64_t value; /* handle value or base address */
	uint64_t size; /* bytes, memory only */
	uint64_t serial; /* distinguishes generations of the same value */
	int32_t device; /* -1 = unknown */
	uint64_t context; /* handle, 0 = unknown */
	struct acl_call_site created, last_used, destroyed;
};

#define ACL_FINDING_VALUES 8
#define ACL_FINDING_OBJECTS 4

struct acl_finding {
	const struct acl_rule *rule;
	const char *title; /* of the rule, in English */
	uint8_t severity; /* enum acl_severity after target_cann and configuration */
	bool advice; /* printed apart, never fails a gate */
	bool secondary; /* a consequence: cause names the finding that explains it */
	bool explains; /* secondary, and says how the finding that cause names came about */
	bool relaxed; /* a newer CANN than the strict default no longer asks for it */
	bool at_leave; /* checked after its call; false when there is none */
	uint64_t cause; /* serial of the explaining finding, 0 = none */
	uint64_t serial; /* 1, 2 … of findings shown or not in this process */
	uint16_t output_of; /* 1 + enum acl_api of the call that failed and whose output is used; 0 = none */
	uint64_t repeat; /* how often this site has broken this rule, this time included */
	const struct acl_call_record *event; /* NULL for findings of the whole process */
	struct acl_call_site at; /* without an event: the earlier call that is wrong, where it is known */
	uint32_t stack; /* taken by the sink when 0 */
	const char *detail; /* one plain sentence: what exactly is wrong here, with the values; or NULL */
	unsigned n_values, n_objects;
	struct acl_value values[ACL_FINDING_VALUES];
	struct acl_object_history objects[ACL_FINDING_OBJECTS];
};

#endif
