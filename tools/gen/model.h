/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API model (include/acl/api.json) in memory, as the printers see it.
 * Loading checks it: unknown keys, types, parameter references or releases
 * end the generator with the place and the reason.
 */
#ifndef GEN_MODEL_H
#define GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Strings of the model live as long as the process. */

enum type_kind { TYPE_ALIAS, TYPE_HANDLE, TYPE_OPAQUE, TYPE_ENUM, TYPE_STRUCT, TYPE_UNION, TYPE_CALLBACK };

struct header {
	const char
		*name; /* as included: relative to include/acl/, or to include/ when it begins with "aclnn" */
	const char **system, **includes, **macros; /* NULL-terminated */
};

struct constant {
	const char *name, *header, *since;
	long long value;
	const char *text; /* spelling in the header, or NULL */
	const char *string; /* string constant, or NULL */
	unsigned size; /* bytes, 4 unless said */
	bool is_unsigned, is_static; /* static const instead of a macro */
};

struct member {
	const char *name;
	long long value;
	const char *since, *until; /* NULL: like the enum */
};

struct field {
	const char *name; /* NULL: unnamed record */
	const char *type; /* "struct" or "union" for a record spelled in place */
	const char *tag; /* of a record spelled in place, or NULL */
	const char *since; /* NULL: like the record */
	unsigned offset; /* from the outermost record */
	unsigned dims[4], n_dims;
	struct field *fields;
	unsigned n_fields;
};

struct type {
	enum type_kind kind;
	const char *name, *header, *since;
	const char *handle; /* word of the object kind, or NULL */
	const char *type; /* ALIAS, HANDLE: what it names; CALLBACK: result */
	const char *tag; /* NULL: no tag */
	bool no_typedef;
	unsigned size, align;
	struct member *members;
	unsigned n_members;
	struct field *fields;
	unsigned n_fields;
	const char **params; /* CALLBACK: types, NULL-terminated */
	const char **cxx; /* members that only C++ sees, NULL-terminated */
};

/* A C spelling taken apart. */
struct typeref {
	const char *base; /* "aclrtStream", "uint32_t", "void" ... */
	const struct type *type; /* of base, or NULL for C's own */
	unsigned stars;
	bool is_const; /* the pointee when there is a star, else the value */
	const char *value; /* the spelling without const of the value itself */
};

struct param {
	const char *name, *type;
	const char *decl; /* declaration where "type name" is none */
	const char *dir; /* "in", "out", "inout" */
	const char *handle, *life, *access, *null; /* words of the model, or NULL */
	const char *role; /* what the argument is to the operation */
	int bytes, limit, count, user_data; /* parameter indexes, -1 */
	const char *memory, *extent; /* of the access; NULL: from the type */
	unsigned unit; /* "bytes" as a number, or 0 */
	int rows, pitch, offset; /* parameter indexes, -1 */
	const char *each, *each_memory; /* access of what the elements point to, or NULL */
	int each_bytes, each_limit; /* parameter indexes, -1: the arrays of sizes */
	bool list, callback;
	struct typeref ref;
};

/* What a call does: "group" or "group.leaf", an entry of section "operations". */
struct operation {
	const char *name, *group;
	const char **roles; /* that every function of it has, NULL-terminated */
	unsigned n_functions;
};

struct function {
	const char *name, *header, *since, *ret, *mode, *capture, *context, *ret_life;
	const char *older; /* last release with another parameter list, or NULL */
	const char **classes; /* NULL-terminated */
	bool wrap, deprecated, unlisted, variadic, weak;
	bool waits_for_unlock; /* while the process is locked for a snapshot */
	unsigned granule, spare; /* of what it allocates: bytes it is rounded up to, bytes added */
	struct operation *operation; /* of a wrapped function */
	const char *trait; /* what only its name says, or NULL */
	const struct json_t
		*differs; /* facts that are not as in the others that do the same, and why; or NULL */
	struct param *params;
	unsigned n_params;
	struct typeref ret_ref;
};

#define ANNOTATION_PREFIX "ACLCHECK_" /* of every annotation's name */

struct model {
	const char *path;
	const char **versions; /* NULL-terminated, oldest first */
	struct header *headers;
	struct constant *constants;
	struct type *types;
	struct function *functions; /* in the model's order */
	const struct function **wrapped; /* interposed ones, by strcmp */
	struct function *annotations; /* macros of aclcheck.h: name and parameters */
	const char **handles; /* words of the object kinds, NULL-terminated */
	struct operation *operations; /* those of a group stand together */
	const char **groups; /* of the operations, NULL-terminated */
	const char **role_words; /* that "role" may say, NULL-terminated */
	const char **traits; /* that "trait" may say, NULL-terminated */
	const char **roles; /* all that occur, by strcmp, NULL-terminated */
	unsigned n_headers, n_constants, n_types, n_functions, n_wrapped, n_annotations, n_handles,
		n_operations, n_groups, n_roles;
};

/* Ends the process with a message when the file cannot be read or makes no sense. */
struct model *model_load(const char *path);

/* The words of "class", by bit number of enum acl_class; NULL-terminated. */
extern const char *const model_class_words[];

const struct type *model_type(const struct model *m, const char *name);
struct typeref model_ref(const struct model *m, const char *spelling);

/* Is there memory behind the parameter that is the program's, neither a handle nor a function? */
bool is_accessed(const struct param *p);
/* Word of enum acl_extent, lower case; NULL when the model does not say. */
const char *access_extent(const struct function *f, const struct param *p);

/* "illegal-any-mode" -> "ILLEGAL_ANY_MODE", "8.1" -> "8_1"; in one of four static buffers. */
const char *upper(const char *word);

#endif
