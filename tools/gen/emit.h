/* SPDX-License-Identifier: Apache-2.0 */
/* Output files of the generator, and the list of printers. */
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include <stdio.h>

#include "model.h"

/* Root of the output tree ("build"). */
extern const char *emit_root;
/* List of the libc functions that interpose/ exports besides, or NULL. */
extern const char *emit_hooks;
/* The directory of the templates of analyses for Trace Compass, or NULL. */
extern const char *emit_compass;
/* The directory of the rules' families, checks/rules. */
extern const char *emit_rules;

/*
 * Opens root/path for writing and says on top what it is and where it came
 * from, as a C comment; emit_open_plain leaves that to the caller.  The text
 * is kept in memory until emit_close, which replaces the file only when its
 * content changed, so that nothing is compiled again for nothing.
 */
FILE *emit_open(const struct model *m, const char *path, const char *topic);
FILE *emit_open_plain(const char *path);
void emit_close(FILE *f);

/* "type name", with the star at the name. */
void emit_decl(FILE *f, const char *type, const char *name);
/* "aclrtStream stream, int flag" or "void". */
void emit_params(FILE *f, const struct function *fn);
/* "a.stream, a.flag" with prefix "a." */
void emit_args(FILE *f, const struct function *fn, const char *prefix);
/* "return type name(parameters)" */
void emit_prototype(FILE *f, const struct function *fn, const char *name);
/* #include of every header that declares a wrapped function. */
void emit_api_includes(FILE *f, const struct model *m);
/* A value to return when the real function is missing: 207000, NULL or 0. */
const char *missing_result(const struct function *fn);
/* Which package of CANN a header is of, each with a library of its own: the runtime, operators, media. */
enum package { PACKAGE_RUNTIME, PACKAGE_OPERATORS, PACKAGE_MEDIA };
enum package package_of(const char *header);

/* Tail of the enum acl_kind constant of a value ("UINT", "HANDLE" ...); has the compiler a sign for the enum?
 */
const char *value_kind(const struct typeref *r);
bool enum_is_signed(const struct type *t);

/* Where an argument lies, as enum acl_arg_slot; the width of its type is left to the compiler. Macros first.
 */
void emit_slot_macros(FILE *f);
void emit_slot(FILE *f, const struct function *fn, const struct param *p);

/* A printer writes one output (or one family of files) from the model. */
void print_headers(const struct model *m);
void print_args(const struct model *m);
void print_operations(const struct model *m);
void print_accesses(const struct model *m);
void print_tables(const struct model *m);
void print_layout_test(const struct model *m);
void print_wrappers(const struct model *m);
void print_export_map(const struct model *m);
void print_softnpu_default(const struct model *m);
void print_softnpu_entry(const struct model *m);
void print_softnpu_exports(const struct model *m);
void print_recorder(const struct model *m);
void print_invoke(const struct model *m);
void print_tracepoints(const struct model *m);
void print_constraints(const struct model *m);
void print_rules(const struct model *m);
void print_cann_check(const struct model *m);
void print_compass(const struct model *m);

#endif
