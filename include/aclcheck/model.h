/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API model as tables: what include/acl/api.json says of every wrapped
 * function, in the form the library, the command and the tests read.  The
 * tables themselves (acl_apis, acl_enums ...) are generated into
 * build/gen/acl_model.c; the argument structs and enum acl_api into
 * build/gen/acl_api.h.
 */
#ifndef ACLCHECK_MODEL_H
#define ACLCHECK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CANN releases the model distinguishes, oldest first ("main" = after 9.2). */
enum acl_cann {
	ACL_CANN_8_1,
	ACL_CANN_8_5,
	ACL_CANN_9_0,
	ACL_CANN_9_1,
	ACL_CANN_9_2,
	ACL_CANN_MAIN,
	ACL_CANN_COUNT
};

/* What a call occupies: used to filter traces and to bind rules. One bit per word of "class" in the model. */
enum acl_class {
	ACL_CLASS_MEMORY = 1u << 0,
	ACL_CLASS_COPY = 1u << 1,
	ACL_CLASS_STREAM = 1u << 2,
	ACL_CLASS_EVENT = 1u << 3,
	ACL_CLASS_CONTEXT = 1u << 4,
	ACL_CLASS_DEVICE = 1u << 5,
	ACL_CLASS_CAPTURE = 1u << 6,
	ACL_CLASS_MODEL = 1u << 7,
	ACL_CLASS_NOTIFY = 1u << 8,
	ACL_CLASS_LABEL = 1u << 9,
	ACL_CLASS_KERNEL = 1u << 10,
	ACL_CLASS_CALLBACK = 1u << 11,
	ACL_CLASS_SYNC = 1u << 12,
	ACL_CLASS_INIT = 1u << 13,
	ACL_CLASS_VERSION = 1u << 14,
	ACL_CLASS_IPC = 1u << 15,
	ACL_CLASS_SNAPSHOT = 1u << 16,
	ACL_CLASS_CONFIG = 1u << 17,
	ACL_CLASS_MISC = 1u << 18
};

/* "mode": does the call return before its work is done? */
enum acl_mode { ACL_MODE_IMMEDIATE, ACL_MODE_BLOCKING, ACL_MODE_ASYNC };

/* "capture": what the call does while a stream capture is open (words as in the model, '-' -> '_'). */
enum acl_capture {
	ACL_CAPTURE_UNKNOWN,
	ACL_CAPTURE_CAPTURED,
	ACL_CAPTURE_LEGAL_NOT_CAPTURED,
	ACL_CAPTURE_ILLEGAL_ANY_MODE,
	ACL_CAPTURE_ILLEGAL_GLOBAL_OR_THREAD_LOCAL,
	ACL_CAPTURE_ILLEGAL_ON_CAPTURED_STREAM_ONLY,
	ACL_CAPTURE_CONFIG_INEFFECTIVE
};

/* How a value is stored and shown. */
enum acl_kind {
	ACL_KIND_VOID, /* no value (return type void) */
	ACL_KIND_INT, /* signed integer of size bytes */
	ACL_KIND_UINT, /* unsigned integer of size bytes */
	ACL_KIND_BOOL,
	ACL_KIND_ENUM, /* integer of size bytes; names in acl_enums[enum_index] */
	ACL_KIND_ERROR, /* aclError; names in acl_error_name() */
	ACL_KIND_HANDLE, /* opaque handle; handle says which */
	ACL_KIND_POINTER, /* any other pointer */
	ACL_KIND_STRING, /* const char * that is NUL terminated input or result */
	ACL_KIND_STRUCT, /* struct by value of size bytes; struct_index */
	ACL_KIND_FLOAT,
	ACL_KIND_CALLBACK /* function pointer called back by the runtime */
};

/* Object kinds, one per "handle" word of the model; the enum is generated. */
#include "acl_handles.h"

enum acl_life { ACL_LIFE_NONE, ACL_LIFE_USE, ACL_LIFE_CREATE, ACL_LIFE_DESTROY, ACL_LIFE_GET };
enum acl_dir { ACL_DIR_IN, ACL_DIR_OUT, ACL_DIR_INOUT };
enum acl_access { ACL_ACCESS_NONE, ACL_ACCESS_READ, ACL_ACCESS_WRITE };

#define ACL_NONE (-1) /* "no such parameter / table entry" in the int16_t indexes below */

/* One parameter. All indexes are into the same function's params or into the tables of this header. */
struct acl_param {
	const char *name;
	const char *type; /* C spelling */
	uint16_t offset; /* of the value in struct acl_args_<function>, bytes */
	uint16_t size; /* of the value, bytes */
	uint8_t kind; /* enum acl_kind */
	uint8_t dir; /* enum acl_dir */
	uint8_t handle; /* enum acl_handle, ACL_HANDLE_NONE */
	uint8_t life; /* enum acl_life */
	uint8_t access; /* enum acl_access of the memory pointed to; NONE with bytes: the range is named, not
			   touched */
	uint8_t pointee_kind; /* for POINTER: enum acl_kind of what it points to, ACL_KIND_VOID when unknown
			       */
	uint16_t pointee_size; /* bytes, 0 = unknown */
	int16_t bytes; /* parameter holding the byte count behind this pointer */
	int16_t limit; /* parameter holding the declared size of that buffer */
	int16_t count; /* parameter holding (or, when a pointer, pointing to) the element count of this array
			*/
	int16_t user_data; /* for CALLBACK: parameter passed to it */
	int16_t enum_index; /* into acl_enums, of the value or of the pointee */
	int16_t struct_index; /* into acl_structs, of the value or of the pointee */
	uint8_t null_meaning; /* enum acl_null */
};

/* "null" in the model: what NULL (or 0) means for a pointer or handle parameter. */
enum acl_null {
	ACL_NULL_UNKNOWN, /* the model does not say: stay silent */
	ACL_NULL_REQUIRED, /* must not be NULL */
	ACL_NULL_ALLOWED, /* NULL = not wanted */
	ACL_NULL_DEFAULT, /* NULL = the default object (default stream ...) */
	ACL_NULL_ONLY /* reserved: must be NULL */
};

/* One function. */
struct acl_api_info {
	const char *name;
	const char *ret_type;
	const struct acl_param *params;
	uint32_t classes; /* enum acl_class bits */
	uint16_t args_size; /* sizeof(struct acl_args_<function>) */
	uint16_t ret_size;
	uint8_t n_params;
	uint8_t ret_kind; /* enum acl_kind */
	uint8_t ret_handle; /* enum acl_handle */
	uint8_t ret_life; /* enum acl_life */
	uint8_t mode; /* enum acl_mode */
	uint8_t capture; /* enum acl_capture */
	uint8_t since; /* enum acl_cann */
	bool deprecated;
	bool unlisted; /* exported by the runtime, in no public header */
};

struct acl_enum_value {
	const char *name;
	int64_t value;
	uint8_t since;
};

struct acl_enum {
	const char *name;
	const struct acl_enum_value *values; /* ascending by value */
	uint16_t n_values;
	uint8_t size;
	bool is_signed;
};

struct acl_field {
	const char *name; /* dotted for nested records */
	const char *type;
	uint16_t offset, size; /* bytes; size of one element */
	uint16_t count; /* array elements, 1 otherwise */
	uint8_t kind; /* enum acl_kind */
	bool in_union; /* overlaps another field */
	int16_t enum_index;
	int16_t struct_index; /* of an array's element or of a pointee */
	uint8_t handle; /* enum acl_handle */
};

struct acl_struct {
	const char *name;
	const struct acl_field *fields;
	uint16_t n_fields;
	uint16_t size;
};

/* Tables; acl_apis is indexed by enum acl_api and sorted by strcmp of name. */
extern const struct acl_api_info acl_apis[];
extern const unsigned acl_api_count;
extern const struct acl_enum acl_enums[];
extern const unsigned acl_enum_count;
extern const struct acl_enum_value acl_errors[]; /* ACL_SUCCESS and ACL_ERROR_*, ascending by value */
extern const unsigned acl_error_count;
extern const struct acl_struct acl_structs[];
extern const unsigned acl_struct_count;
extern const char *const acl_handle_names[]; /* by enum acl_handle: "stream", ... */
extern const char *const acl_class_names[]; /* by bit number */
extern const char *const acl_cann_names[]; /* by enum acl_cann: "8.1", ... "main" */

/* enum acl_api of a function name, or -1. Binary search, no allocation, async-signal-safe. */
int acl_api_find(const char *name);

/* Name of an ACL_ERROR_* / ACL_SUCCESS value ("ACL_ERROR_RT_PARAM_INVALID"), or NULL. */
const char *acl_error_name(int64_t code);

/* Name of an enum value, or NULL when the enum has none of that value. */
const char *acl_enum_name(int enum_index, int64_t value);

#endif
