/* SPDX-License-Identifier: Apache-2.0 */
/* gen/acl_rules.c: the rule table, one file a family in checks/rules/, sorted by id. Wrong words end the
 * generator. */
#include <glob.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "texts.h"

const char *emit_rules;

/* What an entry of a rule may have; the path is put in when it is read. */
static const char *const keys[] = {"id", "family", "tier", "severity", "default", "state", "yields", "rank",
	"waits_for", "relaxed", "apis", "elsewhere", "leaves_out", "title", "hint", "why", "reason", "source",
	"bad", "good", "path"};

static const char *member(json_t *rule, const char *key)
{
	const char *value = json_string_value(json_object_get(rule, key));

	return value ? value : "?";
}

static void __attribute__((noreturn, format(printf, 3, 4)))
refuse(json_t *rule, const char *key, const char *why, ...)
{
	va_list values;

	fprintf(stderr, "acl-gen: %s: rule \"%s\": %s: ", member(rule, "path"), member(rule, "id"), key);
	va_start(values, why);
	vfprintf(stderr, why, values);
	va_end(values);
	fputc('\n', stderr);
	exit(1);
}

struct word {
	const char *word, *constant;
};

/* of: the rule, or an object in its entry. */
static const char *constant_of(json_t *rule, json_t *of, const char *key, const struct word *words)
{
	const char *value = json_string_value(json_object_get(of, key));
	char allowed[128] = "";
	size_t n = 0;

	for (const struct word *w = words; value && w->word; w++)
		if (!strcmp(w->word, value))
			return w->constant;
	for (; words->word; words++)
		n += (size_t)snprintf(allowed + n, sizeof(allowed) - n, "%s%s", n ? ", " : "", words->word);
	refuse(rule, key, "%s, is one of %s", value ? value : "missing", allowed);
}

static const char *constant(json_t *rule, const char *key, const struct word *words)
{
	return constant_of(rule, rule, key, words);
}

static const struct word tiers[] = {{"mission", "ACL_TIER_MISSION"}, {"state", "ACL_TIER_STATE"},
	{"argument", "ACL_TIER_ARGUMENT"}, {"advice", "ACL_TIER_ADVICE"}, {"tool", "ACL_TIER_TOOL"}, {0}};
static const struct word severities[] = {{"error", "ACL_SEV_ERROR"}, {"warning", "ACL_SEV_WARNING"},
	{"perf", "ACL_SEV_PERF"}, {"portability", "ACL_SEV_PORTABILITY"}, {0}};
static const struct word relaxations[] = {{"warning", "ACL_SEV_WARNING"}, {"perf", "ACL_SEV_PERF"},
	{"portability", "ACL_SEV_PORTABILITY"}, {"off", "ACL_RELAXED_OFF"}, {0}};
static const struct word defaults[] = {
	{"on", "ACL_DEFAULT_ON"}, {"advice", "ACL_DEFAULT_ADVICE"}, {"off", "ACL_DEFAULT_OFF"}, {0}};
static const struct word states[] = {{"implemented", "ACL_RULE_IMPLEMENTED"}, {"planned", "ACL_RULE_PLANNED"},
	{"uncheckable", "ACL_RULE_UNCHECKABLE"}, {0}};
static const struct word engines[] = {
	{"order", "ACL_WAITS_FOR_ORDER"}, {"capture", "ACL_WAITS_FOR_CAPTURE"}, {0}};
static const struct word releases[] = {{"8.1", "ACL_CANN_8_1"}, {"8.5", "ACL_CANN_8_5"},
	{"9.0", "ACL_CANN_9_0"}, {"9.1", "ACL_CANN_9_1"}, {"9.2", "ACL_CANN_9_2"}, {0}};

static struct texts texts;

static void text(FILE *f, const char *name, const char *text)
{
	if (text)
		fprintf(f, "\t\t[%s] = %u,\n", name, texts_add(&texts, text));
}

static void string(FILE *f, const char *name, json_t *rule, const char *key)
{
	text(f, name, json_string_value(json_object_get(rule, key)));
}

/* In both languages. */
static void words(FILE *f, const char *name, json_t *rule, const char *key, bool required)
{
	json_t *t = json_object_get(rule, key);
	const char *en = json_string_value(json_object_get(t, "en")),
		   *zh = json_string_value(json_object_get(t, "zh"));
	char chinese[64];

	if ((required || t) && (!en || !zh))
		refuse(rule, key, "needs \"en\" and \"zh\"");
	snprintf(chinese, sizeof(chinese), "%s + ACL_LANG_ZH", name);
	text(f, name, en);
	text(f, chinese, zh);
}

/* An array of lines as one string. */
static void lines(FILE *f, const char *name, json_t *rule, const char *key)
{
	json_t *line;
	size_t i;
	char *all = NULL;
	size_t len = 0;
	FILE *mem;

	if (!json_object_get(rule, key))
		return;
	mem = open_memstream(&all, &len);
	json_array_foreach(json_object_get(rule, key), i, line)
		fprintf(mem, "%s%s", i ? "\n" : "", json_string_value(line));
	fclose(mem);
	text(f, name, all);
	free(all);
}

static bool function_named(const struct model *m, const char *name)
{
	for (unsigned i = 0; i < m->n_functions; i++)
		if (!strcmp(m->functions[i].name, name))
			return true;
	return false;
}

/* Names of functions as one string; each is one of the model, or ends in "*". */
static void apis(FILE *f, json_t *rule, const struct model *m)
{
	json_t *names = json_object_get(rule, "apis"), *name;
	char *all = NULL;
	size_t i, len = 0;
	FILE *mem = open_memstream(&all, &len);

	if (!json_array_size(names))
		refuse(rule, "apis", "missing");
	json_array_foreach(names, i, name)
	{
		const char *s = json_string_value(name);

		if (!s || (s[strlen(s) - 1] != '*' && !function_named(m, s)))
			refuse(rule, "apis", "%s is no function", s ? s : "what is no string");
		fprintf(mem, "%s%s", i ? " " : "", s);
	}
	fclose(mem);
	text(f, "RULE_APIS", all);
	free(all);
}

static const char *waits_for(json_t *rule, bool planned)
{
	if (!json_object_get(rule, "waits_for"))
		return "ACL_WAITS_FOR_NOTHING";
	if (!planned)
		refuse(rule, "waits_for", "is for planned rules only");
	return constant(rule, "waits_for", engines);
}

/* Which rule speaks when several apply, see acl_rule.rank: "yields": N, or "rank": N of one that always
 * speaks. */
static int rank(json_t *rule, const char *key)
{
	json_t *n = json_object_get(rule, key);

	if (!n)
		return 0;
	if (!json_is_integer(n) || json_integer_value(n) < 1 || json_integer_value(n) > 255)
		refuse(rule, key, "is a number from 1 to 255");
	if (json_object_get(rule, "yields") && json_object_get(rule, "rank"))
		refuse(rule, "rank", "stands beside \"yields\", which is one already");
	return (int)json_integer_value(n);
}

static size_t longest_id, longest_family;

static void print_rule(FILE *f, json_t *rule, size_t index)
{
	const char *id = json_string_value(json_object_get(rule, "id")),
		   *family = json_string_value(json_object_get(rule, "family"));
	json_t *relaxed = json_object_get(rule, "relaxed");
	const char *state = constant(rule, "state", states);

	fputs("\t{\n\t\t.id = ", f);
	print_name(f, id, &longest_id);
	fputs(",\n\t\t.family = ", f);
	print_name(f, family, &longest_family);
	fputs(",\n", f);
	fprintf(f, "\t\t.index = %zu,\n", index);
	fprintf(f, "\t\t.severity = %s,\n", constant(rule, "severity", severities));
	fprintf(f, "\t\t.tier = %s,\n", constant(rule, "tier", tiers));
	fprintf(f, "\t\t.dflt = %s,\n", constant(rule, "default", defaults));
	fprintf(f, "\t\t.state = %s,\n", state);
	fprintf(f, "\t\t.rank = %d,\n", rank(rule, "yields") + rank(rule, "rank"));
	fprintf(f, "\t\t.yields = %s,\n", json_object_get(rule, "yields") ? "true" : "false");
	fprintf(f, "\t\t.waits_for = %s,\n", waits_for(rule, !strcmp(state, "ACL_RULE_PLANNED")));
	fprintf(f, "\t\t.relaxed_since = %s,\n",
		relaxed ? constant_of(rule, relaxed, "since", releases) : "-1");
	fprintf(f, "\t\t.relaxed_to = %s,\n",
		relaxed ? constant_of(rule, relaxed, "to", relaxations) : "ACL_RELAXED_OFF");
	fputs("\t},\n", f);
}

static void print_texts_of(FILE *f, json_t *rule, const struct model *m)
{
	const char *id = json_string_value(json_object_get(rule, "id"));
	bool implemented = !strcmp(constant(rule, "state", states), "ACL_RULE_IMPLEMENTED");

	fprintf(f, "\t/* %s */\n\t{\n", id);
	words(f, "RULE_TITLE", rule, "title", true);
	words(f, "RULE_HINT", rule, "hint", implemented);
	words(f, "RULE_WHY", rule, "why", implemented);
	string(f, "RULE_SOURCE", rule, "source");
	lines(f, "RULE_BAD", rule, "bad");
	lines(f, "RULE_GOOD", rule, "good");
	string(f, "RULE_REASON", rule, "reason");
	apis(f, rule, m);
	fputs("\t},\n", f);
}

/* gen/acl_rule_numbers.h: the rules as numbers, for generated tables. */
static void print_numbers(const struct model *m, json_t *rules)
{
	FILE *f = emit_open(m, "gen/acl_rule_numbers.h", "the positions of rules in acl_rules");
	json_t *rule;
	size_t i;

	fputs("#ifndef GEN_ACL_RULE_NUMBERS_H\n#define GEN_ACL_RULE_NUMBERS_H\n\nenum acl_rule_number {\n",
		f);
	json_array_foreach(rules, i, rule)
		fprintf(f, "\tACL_RULE_NUMBER_%s,\n", upper(json_string_value(json_object_get(rule, "id"))));
	fputs("};\n\n#endif\n", f);
	emit_close(f);
}

static void keys_known(json_t *rule)
{
	json_t *value;
	const char *key;

	json_object_foreach(rule, key, value)
	{
		size_t i = 0;

		while (i < sizeof(keys) / sizeof(keys[0]) && strcmp(keys[i], key))
			i++;
		if (i == sizeof(keys) / sizeof(keys[0]))
			refuse(rule, key, "is no member of a rule");
	}
}

/* The rules of a file, which has the name of their family, are put to the others. */
static void family_load(json_t *all, const char *path)
{
	const char *name = strrchr(path, '/') + 1, *before = "";
	size_t length = strlen(name) - strlen(".json"), i;
	json_error_t error;
	json_t *rules = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *rule;

	if (!json_is_array(rules)) {
		fprintf(stderr, "acl-gen: %s:%d: %s\n", path, error.line, error.text);
		exit(1);
	}
	json_array_foreach(rules, i, rule)
	{
		const char *id = json_string_value(json_object_get(rule, "id")),
			   *family = member(rule, "family");

		json_object_set_new(rule, "path", json_string(path));
		if (!id || strcmp(before, id) >= 0)
			refuse(rule, "id", "missing, twice, or not in the order of strcmp");
		if (strlen(family) != length || strncmp(family, name, length) != 0)
			refuse(rule, "family", "is not the name of its file");
		keys_known(rule);
		before = id;
	}
	json_array_extend(all, rules);
	json_decref(rules);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(json_string_value(json_object_get(*(json_t *const *)a, "id")),
		json_string_value(json_object_get(*(json_t *const *)b, "id")));
}

/* All families below the directory emit_rules, sorted by id. */
static json_t *rules_load(void)
{
	json_t *all = json_array(), *sorted = json_array(), **list;
	char pattern[4096];
	glob_t files;
	size_t n;

	snprintf(pattern, sizeof(pattern), "%s/*/*.json", emit_rules);
	if (glob(pattern, 0, NULL, &files)) {
		fprintf(stderr, "acl-gen: %s: no rules\n", pattern);
		exit(1);
	}
	for (size_t i = 0; i < files.gl_pathc; i++)
		family_load(all, files.gl_pathv[i]);
	globfree(&files);
	n = json_array_size(all);
	list = calloc(n + 1, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		list[i] = json_array_get(all, i);
	qsort(list, n, sizeof(*list), by_id);
	for (size_t i = 0; i < n; i++)
		json_array_append(sorted, list[i]);
	free(list);
	json_decref(all);
	return sorted;
}

void print_rules(const struct model *m)
{
	json_t *rules = emit_rules ? rules_load() : NULL, *rule;
	const char *before = "";
	FILE *f;
	size_t i;

	if (!emit_rules)
		return;
	f = emit_open_plain("gen/acl_rules.c");
	fprintf(f,
		"/* SPDX-License-Identifier: Apache-2.0 */\n"
		"/* Generated from %s by tools/gen, do not edit: the rule table. */\n"
		"#include \"aclcheck/model.h\"\n#include \"checks/engine/rule_table.h\"\n\n"
		"const struct acl_rule acl_rules[] = {\n",
		emit_rules);
	json_array_foreach(rules, i, rule)
	{
		const char *id = json_string_value(json_object_get(rule, "id"));

		if (strcmp(before, id) >= 0)
			refuse(rule, "id", "is in two families");
		before = id;
		print_rule(f, rule, i);
	}
	fprintf(f, "};\nconst unsigned acl_rule_count = %zu;\n", i);
	print_room(f, longest_id, "ACL_RULE_ID");
	print_room(f, longest_family, "ACL_RULE_FAMILY");
	fputs("\nconst uint32_t acl_rule_text_at[][RULE_TEXTS] = {\n", f);
	json_array_foreach(rules, i, rule) print_texts_of(f, rule, m);
	fputs("};\n", f);
	texts_print(&texts, f, "acl_rule_texts");
	emit_close(f);
	print_numbers(m, rules);
	json_decref(rules);
}
