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
#include <string.h>

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

/* "context": what the call needs of the thread's current context. */
enum acl_context_need {
	ACL_CONTEXT_NONE, /* nothing */
	ACL_CONTEXT_CURRENT, /* that there is one */
	ACL_CONTEXT_OWN /* that it is the one of the stream it is given */
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

/*
 * What a call does and what its arguments are to it: enum acl_operation
 * ("copy.linear" is ACL_OP_COPY_LINEAR), enum acl_operation_group ("copy" is
 * ACL_OP_GROUP_COPY), enum acl_role ("dst" is ACL_ROLE_DST) and enum acl_trait; generated.
 */
#include "acl_operations.h"

enum acl_life { ACL_LIFE_NONE, ACL_LIFE_USE, ACL_LIFE_CREATE, ACL_LIFE_DESTROY, ACL_LIFE_GET };
enum acl_dir { ACL_DIR_IN, ACL_DIR_OUT, ACL_DIR_INOUT };
/* What a call does with the memory behind a pointer; NONE: it is named, not touched. A set of bits. */
enum acl_access { ACL_ACCESS_NONE, ACL_ACCESS_READ, ACL_ACCESS_WRITE, ACL_ACCESS_READWRITE };

/*
 * No table here holds a pointer: it would have to be relocated in every process that loads the library. Names
 * stand in the entries themselves, other texts in acl_texts, tables are named by the number of their first
 * entry.
 */
#define ACL_API_NAME 48 /* bytes of a name, with its NUL */
#define ACL_PARAM_NAME 32
#define ACL_TYPE_NAME 40
#define ACL_WORD 40 /* of the model: an operation, a role, a kind of handle … */

/* What was put there by number; NULL for 0. */
extern const char acl_texts[];
static inline const char *acl_text(uint32_t at)
{
	return at ? acl_texts + at : NULL;
}

#define ACL_NONE (-1) /* "no such parameter / table entry" in the int16_t indexes below */

/* One parameter. All indexes are into the same function's params or into the tables of this header. */
struct acl_param {
	char name[ACL_PARAM_NAME];
	uint32_t type; /* acl_text(): its C spelling */
	uint16_t offset; /* of the value in struct acl_args_<function>, bytes */
	uint16_t size; /* of the value, bytes */
	uint8_t kind; /* enum acl_kind */
	uint8_t dir; /* enum acl_dir */
	uint8_t handle; /* enum acl_handle, ACL_HANDLE_NONE */
	uint8_t life; /* enum acl_life */
	uint8_t access; /* enum acl_access of the memory pointed to; all about it in acl_accesses[] */
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
	uint16_t role; /* enum acl_role */
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
	char name[ACL_API_NAME];
	uint32_t classes; /* enum acl_class bits */
	uint16_t first_param; /* acl_params() */
	uint16_t args_size; /* sizeof(struct acl_args_<function>) */
	uint16_t ret_size;
	uint8_t n_params;
	uint8_t ret_kind; /* enum acl_kind */
	uint8_t ret_handle; /* enum acl_handle */
	uint8_t ret_life; /* enum acl_life */
	uint8_t mode; /* enum acl_mode */
	uint8_t capture; /* enum acl_capture */
	uint8_t context; /* enum acl_context_need */
	uint8_t since; /* enum acl_cann */
	uint8_t operation_group; /* enum acl_operation_group */
	uint16_t operation; /* enum acl_operation */
	uint32_t granule,
		spare; /* of what it allocates: bytes that it is rounded up to, 0 = not; bytes added */
	uint8_t trait; /* enum acl_trait: what only its name says */
	bool waits_for_unlock; /* while the process is locked for a snapshot */
	bool deprecated;
	bool unlisted; /* exported by the runtime, in no public header */
};

/*
 * One operation, and one group of them.  The functions that do it, ascending, are n_apis entries of
 * acl_operation_apis[]; a group's are in acl_group_apis[].
 */
struct acl_operation_info {
	char name[ACL_WORD]; /* "copy.linear" */
	uint16_t first_api, n_apis;
	uint8_t group; /* enum acl_operation_group */
};

struct acl_operation_group_info {
	char name[ACL_WORD]; /* "copy" */
	uint16_t first_api, n_apis;
	uint16_t first, n_operations; /* its operations: a range of enum acl_operation */
};

#define ACL_MAX_PARAMS 16 /* no wrapped function has more */

/*
 * Where an argument lies in struct acl_args_<function> and how it becomes a
 * uint64_t, in one byte: its offset, a multiple of 4, plus one of these.
 */
enum acl_arg_slot {
	ACL_ARG_64, /* size_t, uint64_t, int64_t, pointer, handle */
	ACL_ARG_I32, /* extended with its sign */
	ACL_ARG_U32,
	ACL_ARG_BYTES, /* a structure by value */
	ACL_ARG_FORM = 3, /* mask */
	ACL_ARG_NONE = 0xff /* no such argument */
};

/* Whose memory an access goes to. */
enum acl_memory {
	ACL_MEMORY_HOST, /* the host's, whatever the program passes */
	ACL_MEMORY_DEVICE,
	ACL_MEMORY_ANY /* either: the other arguments or the address decide */
};

/* How far an access goes from its base; "bytes" means unit * bytes * count, operands that are none counting
 * as 1. */
enum acl_extent {
	ACL_EXTENT_RANGE, /* that many bytes; with rows: rows of them, pitch bytes from one to the next */
	ACL_EXTENT_AT_MOST, /* a buffer of limit bytes, of which as many are written as needed */
	ACL_EXTENT_AT_LEAST, /* that many bytes, perhaps more: another argument decides */
	ACL_EXTENT_TEXT, /* up to and with the NUL */
	ACL_EXTENT_COUNTED, /* as RANGE, but count points to the number, which has count_size bytes */
	ACL_EXTENT_EACH, /* base is an array of count pointers in host memory; entry i goes to bytes[i], of
			    limit[i] */
	ACL_EXTENT_SYMBOL, /* base stands for a variable of the device: that many bytes from offset in it */
	ACL_EXTENT_INDIRECT, /* base holds a pointer that the device reads when it executes: that many from
				offset */
	ACL_EXTENT_ADDRESS, /* none: the address alone is named (to free, to ask about, a reserved NULL) */
	ACL_EXTENT_OPAQUE /* not known outside the runtime: descriptors, argument arrays, user data */
};

/*
 * One access of a function. Operands are slots of struct acl_args_<function>
 * (acl_slot_value, acl_slot_pointer), ACL_ARG_NONE where there are none. All
 * values are the program's: read what they point to within bounds of your own.
 */
struct acl_access_info {
	uint8_t param; /* whose pointer it starts from */
	uint8_t access; /* enum acl_access */
	uint8_t memory; /* enum acl_memory */
	uint8_t extent; /* enum acl_extent */
	uint8_t base, offset; /* starts offset bytes behind base */
	uint8_t bytes, count, rows, pitch;
	uint8_t limit; /* declared size of the buffer, bytes */
	uint8_t count_size; /* of the number behind count, for COUNTED */
	uint32_t unit; /* bytes; 0 = not known, or EACH whose elements are addresses only */
};

/*
 * Which of acl_accesses[] a function has: those to memory that may be a
 * device's, then those to the host's. Of an async call the former happen when
 * its task executes, the latter before it returns.
 */
struct acl_access_list {
	uint16_t first, host, end;
};

struct acl_enum_value {
	int64_t value;
	uint32_t name; /* acl_text() */
	uint8_t since;
};

struct acl_enum {
	char name[ACL_TYPE_NAME];
	uint16_t first_value, n_values; /* acl_values(), ascending by value */
	uint8_t size;
	bool is_signed;
};

struct acl_field {
	uint32_t name; /* acl_text(): dotted for nested records */
	uint16_t offset, size; /* bytes; size of one element */
	uint16_t count; /* array elements, 1 otherwise */
	uint8_t kind; /* enum acl_kind */
	bool in_union; /* overlaps another field */
	int16_t enum_index;
	int16_t struct_index; /* of an array's element or of a pointee */
	uint8_t handle; /* enum acl_handle */
};

struct acl_struct {
	char name[ACL_TYPE_NAME];
	uint16_t first_field, n_fields; /* acl_fields() */
	uint16_t size;
};

/* Tables; acl_apis is indexed by enum acl_api and sorted by strcmp of name. */
extern const struct acl_api_info acl_apis[]; /* by enum acl_api, and behind these by enum acl_annotation */
extern const unsigned acl_api_count;
extern const unsigned acl_named_count; /* with the annotations */
extern const struct acl_param acl_all_params[];
extern const struct acl_enum acl_enums[];
extern const struct acl_enum_value acl_enum_values[];
extern const unsigned acl_enum_count;
extern const struct acl_enum_value acl_errors[]; /* ACL_SUCCESS and ACL_ERROR_*, ascending by value */
extern const unsigned acl_error_count;
extern const struct acl_struct acl_structs[];
extern const struct acl_field acl_all_fields[];
extern const unsigned acl_struct_count;
extern const char acl_handle_names[][ACL_WORD]; /* by enum acl_handle: "stream", ... */
extern const struct acl_operation_info acl_operations[]; /* by enum acl_operation */
extern const struct acl_operation_group_info acl_operation_groups[]; /* by enum acl_operation_group */
extern const uint16_t acl_operation_apis[], acl_group_apis[]; /* enum acl_api */
extern const char acl_role_names[][ACL_WORD]; /* by enum acl_role: "dst", ... */
extern const uint8_t
	acl_role_slots[][ACL_ROLE_COUNT]; /* by enum acl_api and enum acl_role: enum acl_arg_slot */
extern const struct acl_access_info acl_accesses[];
extern const struct acl_access_list acl_access_lists[]; /* by enum acl_api */
extern const uint8_t acl_param_slots[][ACL_MAX_PARAMS]; /* by enum acl_api and parameter: enum acl_arg_slot */
extern const char acl_class_names[][ACL_WORD]; /* by bit number */
extern const char acl_cann_names[][ACL_WORD]; /* by enum acl_cann: "8.1", ... "main" */

static inline const struct acl_param *acl_params(const struct acl_api_info *info)
{
	return &acl_all_params[info->first_param];
}

static inline const struct acl_enum_value *acl_values(const struct acl_enum *e)
{
	return &acl_enum_values[e->first_value];
}

static inline const struct acl_field *acl_fields(const struct acl_struct *s)
{
	return &acl_all_fields[s->first_field];
}

/*
 * Whether a result other than 0 is an answer and no failure: what was queried is not there or not over, a
 * flag is set, the end is reached.
 */
bool acl_result_is_answer(unsigned api, int64_t code);

/* Whether the capture goes on when aclmdlRICaptureEnd returned that. */
bool acl_capture_goes_on(int64_t code);
/* Name of a function or annotation, NULL of anything else. */
static inline const char *acl_call_name(unsigned api)
{
	return api < acl_named_count ? acl_apis[api].name : NULL;
}

/* The newest release of the model that is not newer than a version ("9.1.0", "8.5.RC1"), or -1. */
int acl_cann_of(const char *version);

/* enum acl_api of a function name, or -1. Binary search, no allocation, async-signal-safe. */
int acl_api_find(const char *name);

/*
 * Arguments by role. args is the call's struct acl_args_<function>; api and
 * role are in range.  Nothing is read but args and one byte of a table.
 */

/* What a slot of args holds, as a number: extended as C extends it; 0 for a structure and for none. */
static inline uint64_t acl_slot_value(const void *args, unsigned slot)
{
	const char *at = (const char *)args + (slot & ~ACL_ARG_FORM);
	uint64_t wide;
	uint32_t narrow;

	if ((slot & ACL_ARG_FORM) == ACL_ARG_64) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	if ((slot & ACL_ARG_FORM) == ACL_ARG_BYTES)
		return 0;
	memcpy(&narrow, at, sizeof(narrow));
	return (slot & ACL_ARG_FORM) == ACL_ARG_I32 ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
}

/* The pointer or handle in a slot, or where in args its structure lies; NULL for none and for a 32-bit
 * number. */
static inline const void *acl_slot_pointer(const void *args, unsigned slot)
{
	const char *at = (const char *)args + (slot & ~ACL_ARG_FORM);
	const void *pointer;

	if ((slot & ACL_ARG_FORM) == ACL_ARG_64) {
		memcpy(&pointer, at, sizeof(pointer));
		return pointer;
	}
	return (slot & ACL_ARG_FORM) == ACL_ARG_BYTES && slot != ACL_ARG_NONE ? at : NULL;
}

/* Writes a number, pointer or handle into a slot; nothing for a structure and for none. */
static inline void acl_slot_set(void *args, unsigned slot, uint64_t value)
{
	char *at = (char *)args + (slot & ~ACL_ARG_FORM);
	uint32_t narrow = (uint32_t)value;

	if ((slot & ACL_ARG_FORM) == ACL_ARG_64)
		memcpy(at, &value, sizeof(value));
	else if ((slot & ACL_ARG_FORM) != ACL_ARG_BYTES)
		memcpy(at, &narrow, sizeof(narrow));
}

static inline bool acl_api_is(unsigned api, enum acl_trait trait)
{
	return acl_apis[api].trait == trait;
}

/* Has the function an argument of this role? */
static inline bool acl_arg_has(unsigned api, enum acl_role role)
{
	return acl_role_slots[api][role] != ACL_ARG_NONE;
}

static inline uint64_t acl_arg_value(unsigned api, const void *args, enum acl_role role)
{
	return acl_slot_value(args, acl_role_slots[api][role]);
}

static inline const void *acl_arg_pointer(unsigned api, const void *args, enum acl_role role)
{
	return acl_slot_pointer(args, acl_role_slots[api][role]);
}

/* unit * bytes * count of an access, *length left alone and false when that is no 64-bit number. Not for
 * EACH, COUNTED. */
static inline bool acl_access_length(const struct acl_access_info *access, const void *args, uint64_t *length)
{
	uint64_t n = access->unit;

	if (access->bytes != ACL_ARG_NONE &&
		__builtin_mul_overflow(n, acl_slot_value(args, access->bytes), &n))
		return false;
	if (access->count != ACL_ARG_NONE &&
		__builtin_mul_overflow(n, acl_slot_value(args, access->count), &n))
		return false;
	*length = n;
	return true;
}

/* The parameter of a role, or -1: for messages, it looks through all of them. */
int acl_role_param(unsigned api, enum acl_role role);

/* Name of an ACL_ERROR_* / ACL_SUCCESS value ("ACL_ERROR_RT_PARAM_INVALID"), or NULL. */
const char *acl_error_name(int64_t code);

/* Name of an enum value, or NULL when the enum has none of that value. */
const char *acl_enum_name(int enum_index, int64_t value);

#endif
