/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of JSON objects: absent is the default, a wrong type ends the run
 * with the place and the reason.
 */
#ifndef GEN_READ_H
#define GEN_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What messages name: the file, and the entry that is being read. */
void read_model(const char *path);
void read_at(const char *name);

/* The list "name" of the model; entries are read from now on. */
json_t *read_list(json_t *root, const char *name, unsigned *n);

void read_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void *read_alloc(size_t n, size_t size);

/* NULL, false, otherwise, {NULL}: when the key is absent. */
const char *read_string(const json_t *o, const char *key);
bool read_flag(const json_t *o, const char *key);
long long read_number(const json_t *o, const char *key, long long otherwise);
const char **read_strings(const json_t *o, const char *key);

/* The key must be there. */
const char *read_needed(const json_t *o, const char *key);

/* Lists of words end with NULL. */
#define READ_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
bool read_among(const char *word, const char *const *words);
void read_one_of(const char *what, const char *word, const char *const *words);
void read_only_keys(const json_t *o, const char *const *keys);

#endif
