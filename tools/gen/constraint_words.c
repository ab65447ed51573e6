/* SPDX-License-Identifier: Apache-2.0 */
#include "constraint_words.h"

#include <string.h>

/* What a term says as a need and as a condition; %1 is what it is about, %2 the value, %3 the end of a range.
 */
struct form {
	const char *op, *must, *is, *must_zh, *is_zh;
};

static const struct form forms[] = {
	{"EQ", "%1 must be %2", "%1 is %2", "%1 必须为 %2", "%1 为 %2"},
	{"NE", "%1 must not be %2", "%1 is not %2", "%1 不能为 %2", "%1 不为 %2"},
	{"LT", "%1 must be less than %2", "%1 is less than %2", "%1 必须小于 %2", "%1 小于 %2"},
	{"LE", "%1 must be at most %2", "%1 is at most %2", "%1 不能大于 %2", "%1 不大于 %2"},
	{"GT", "%1 must be more than %2", "%1 is more than %2", "%1 必须大于 %2", "%1 大于 %2"},
	{"GE", "%1 must be at least %2", "%1 is at least %2", "%1 不能小于 %2", "%1 不小于 %2"},
	{"IN", "%1 must be one of %2", "%1 is one of %2", "%1 必须为 %2 之一", "%1 为 %2 之一"},
	{"OUT", "%1 must be none of %2", "%1 is none of %2", "%1 不能为 %2 中的任何一个",
		"%1 不为 %2 中的任何一个"},
	{"ALIGN", "%1 must be a multiple of %2", "%1 is a multiple of %2", "%1 必须是 %2 的倍数",
		"%1 是 %2 的倍数"},
	{"ZERO", "%1 must be all zero", "%1 is all zero", "%1 必须全为 0", "%1 全为 0"},
};

static const struct form in_range = {"IN", "%1 must be between %2 and %3", "%1 is between %2 and %3",
	"%1 必须在 %2 到 %3 之间", "%1 在 %2 到 %3 之间"};
static const struct form out_of_range = {"OUT", "%1 must not be between %2 and %3",
	"%1 is not between %2 and %3", "%1 不能在 %2 到 %3 之间", "%1 不在 %2 到 %3 之间"};

static const struct form *form_of(const struct term_words *t)
{
	const char *op = t->op;
	unsigned i = 0;

	/* Of one value a list says no more than a comparison. */
	if (t->values == 1 && strstr(t->value, ".."))
		return strcmp(op, "IN") ? &out_of_range : &in_range;
	if (t->values == 1)
		op = strcmp(op, "IN") ? "NE" : "EQ";
	if (!strcmp(op, "SET"))
		op = "NE";
	while (strcmp(forms[i].op, op))
		i++;
	return &forms[i];
}

static void put_term(FILE *f, const struct term_words *t, const char *form)
{
	bool unset = !strcmp(t->op, "SET") || !strcmp(t->value, "0");
	const char *value = !unset ? t->value : t->pointer ? "NULL" : "0";
	const char *range = t->values == 1 ? strstr(value, "..") : NULL;

	for (; *form; form++) {
		if (*form != '%') {
			fputc(*form, f);
			continue;
		}
		switch (*++form) {
		case '1':
			fputs(t->about, f);
			break;
		case '2':
			fprintf(f, "%.*s", range ? (int)(range - value) : (int)strlen(value), value);
			break;
		default:
			fputs(range ? range + 2 : "", f);
		}
	}
}

void words_english(FILE *f, const struct term_words *terms, unsigned n, bool product)
{
	put_term(f, terms, form_of(terms)->must);
	if (product)
		fputs(" on this product", f);
	for (unsigned i = 1; i < n; i++) {
		fputs(i == 1 ? " when " : " and ", f);
		put_term(f, &terms[i], form_of(&terms[i])->is);
	}
	fputc('.', f);
}

void words_chinese(FILE *f, const struct term_words *terms, unsigned n, bool product)
{
	if (product)
		fputs("在该产品上，", f);
	for (unsigned i = 1; i < n; i++) {
		put_term(f, &terms[i], form_of(&terms[i])->is_zh);
		fputs(i + 1 < n ? "且 " : " 时，", f);
	}
	put_term(f, terms, form_of(terms)->must_zh);
	fputs("。", f);
}
