/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and roles of the model: loading and checking. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"
#include "read.h"

/* "copy", "count-notify": lower case words joined by '-'. */
static const char *after_word(const char *s)
{
	if (!islower((unsigned char)*s))
		return NULL;
	while (islower((unsigned char)*s) || isdigit((unsigned char)*s) ||
		(*s == '-' && isalnum((unsigned char)s[1])))
		s++;
	return s;
}

static void check_word(const char *what, const char *word)
{
	const char *end = after_word(word);

	if (!end || *end)
		read_fail("%s \"%s\" is not made of lower case letters, digits and '-'", what, word);
	if (!strcmp(word, "none") || !strcmp(word, "count"))
		read_fail("%s \"%s\" would be confused with the ends of its enum", what, word);
}

/* "group" or "group.leaf" -> group */
static const char *group_of(const char *operation)
{
	const char *end = after_word(operation);

	if (end && *end == '.' && after_word(end + 1) && !*after_word(end + 1))
		return strndup(operation, end - operation);
	if (end && !*end)
		return operation;
	read_fail("\"%s\" is neither \"group\" nor \"group.leaf\" of lower case letters, digits and '-'",
		operation);
}

/* The leaves of a group follow each other, so that a group is a range of enum acl_operation. */
static void enter_group(struct model *m, const char *group)
{
	if (m->n_groups && !strcmp(m->groups[m->n_groups - 1], group))
		return;
	if (read_among(group, m->groups))
		read_fail("the operations of group \"%s\" do not stand together", group);
	m->groups[m->n_groups++] = group;
}

static const char **load_words(json_t *root, const char *section, const char *what)
{
	const char **words;
	unsigned n;

	read_list(root, section, &n);
	words = read_strings(root, section);
	for (unsigned i = 0; i < n; i++)
		check_word(what, words[i]);
	return words;
}

void load_operations(struct model *m, json_t *root)
{
	json_t *a;

	m->role_words = load_words(root, "roles", "role");
	m->traits = load_words(root, "traits", "trait");
	a = read_list(root, "operations", &m->n_operations);
	m->operations = read_alloc(m->n_operations, sizeof(*m->operations));
	m->groups = read_alloc(m->n_operations + 1, sizeof(*m->groups));
	for (unsigned i = 0; i < m->n_operations; i++) {
		json_t *o = json_array_get(a, i);
		struct operation *op = &m->operations[i];

		read_only_keys(o, READ_WORDS("name", "roles"));
		read_at(op->name = read_needed(o, "name"));
		op->group = group_of(op->name);
		op->roles = read_strings(o, "roles");
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(m->operations[k].name, op->name))
				read_fail("stands there twice");
		enter_group(m, op->group);
	}
}

void load_function_operation(struct model *m, struct function *f, const json_t *o)
{
	const char *name = read_needed(o, "operation");

	group_of(name);
	for (unsigned i = 0; i < m->n_operations; i++)
		if (!strcmp(m->operations[i].name, name))
			f->operation = &m->operations[i];
	if (!f->operation)
		read_fail("unknown operation \"%s\" (not in \"operations\")", name);
	f->trait = read_string(o, "trait");
	if (f->trait && !read_among(f->trait, m->traits))
		read_fail("unknown trait \"%s\" (not in \"traits\")", f->trait);
}

/* "numBatches" -> "num-batches", "modelRIId" -> "model-ri-id" */
static const char *role_of_name(const char *name)
{
	char *role = read_alloc(2 * strlen(name) + 1, 1), *to = role;

	for (const char *s = name; *s; s++) {
		bool starts = isupper((unsigned char)*s) && s > name &&
			      (!isupper((unsigned char)s[-1]) || islower((unsigned char)s[1]));

		if (starts)
			*to++ = '-';
		*to++ = tolower((unsigned char)*s);
	}
	return role;
}

void load_param_role(const struct model *m, struct param *p, const json_t *o)
{
	p->role = read_string(o, "role");
	if (p->role && !read_among(p->role, m->role_words))
		read_fail("%s: unknown role \"%s\" (not in \"roles\")", p->name, p->role);
	if (!p->role)
		p->role = role_of_name(p->name);
	check_word("role", p->role);
}

static void one_parameter_per_role(const struct function *f)
{
	for (unsigned i = 0; i < f->n_params; i++)
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(f->params[i].role, f->params[k].role))
				read_fail("%s and %s both have the role \"%s\"", f->params[k].name,
					f->params[i].name, f->params[i].role);
}

static bool has_role(const struct function *f, const char *role)
{
	for (unsigned i = 0; i < f->n_params; i++)
		if (!strcmp(f->params[i].role, role))
			return true;
	return false;
}

static bool some_function_is(const struct model *m, const char *trait)
{
	for (unsigned i = 0; i < m->n_wrapped; i++)
		if (m->wrapped[i]->trait && !strcmp(m->wrapped[i]->trait, trait))
			return true;
	return false;
}

static void collect_roles(struct model *m, const struct function *f)
{
	for (unsigned i = 0; i < f->n_params; i++)
		if (!read_among(f->params[i].role, m->roles)) {
			m->roles = realloc(m->roles, (m->n_roles + 2) * sizeof(*m->roles));
			if (!m->roles)
				read_fail("out of memory");
			m->roles[m->n_roles++] = f->params[i].role;
			m->roles[m->n_roles] = NULL;
		}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_functions(struct model *m)
{
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		const struct function *f = m->wrapped[i];
		struct operation *op = f->operation;

		read_at(f->name);
		one_parameter_per_role(f);
		for (unsigned r = 0; op->roles[r]; r++)
			if (!has_role(f, op->roles[r]))
				read_fail("operation \"%s\" needs a parameter with the role \"%s\"", op->name,
					op->roles[r]);
		op->n_functions++;
		collect_roles(m, f);
	}
	qsort(m->roles, m->n_roles, sizeof(*m->roles), by_text);
}

void check_operations(struct model *m)
{
	m->roles = read_alloc(1, sizeof(*m->roles));
	check_functions(m);
	for (unsigned i = 0; i < m->n_operations; i++)
		if (!m->operations[i].n_functions)
			read_fail("no function does \"%s\" of \"operations\"", m->operations[i].name);
	for (unsigned i = 0; m->role_words[i]; i++)
		if (!read_among(m->role_words[i], m->roles))
			read_fail("no parameter has \"%s\" of \"roles\"", m->role_words[i]);
	for (unsigned i = 0; m->traits[i]; i++)
		if (!some_function_is(m, m->traits[i]))
			read_fail("no function is \"%s\" of \"traits\"", m->traits[i]);
}
