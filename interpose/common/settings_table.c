/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of settings_table.def as data, and what can be said of a word or value without reading anything.
 */
#include "interpose/common/settings_table.h"

#include <ctype.h>
#include <string.h>

#include "interpose/common/word_distance.h"

#define KIND_TEXT SETTING_TEXT
#define KIND_FILE SETTING_FILE
#define KIND_LIBRARY SETTING_LIBRARY
#define KIND_LOG SETTING_LOG_FILE
#define KIND_CHOICE SETTING_CHOICE
#define KIND_PRODUCT SETTING_PRODUCT
#define KIND_NUMBER SETTING_NUMBER
#define KIND_RULES SETTING_RULES_LIST
#define KIND_FAULTS SETTING_FAULTS_LIST

const struct setting_info setting_table[SETTING_COUNT] = {
#define SETTING(WORD, word, kind, argument, dflt, text)                                                      \
	[SETTING_##WORD] = {#word, KIND_##kind, argument, dflt, text},
#include "interpose/common/settings_table.def"
#undef SETTING
};

void setting_env_name(enum setting s, char *out)
{
	strcpy(out, "ACLCHECK_");
	out += strlen(out);
	for (const char *w = setting_table[s].word; *w; w++)
		*out++ = (char)toupper((unsigned char)*w);
	*out = '\0';
}

int setting_find(const char *word, size_t n)
{
	for (unsigned i = 0; i < SETTING_COUNT; i++)
		if (strlen(setting_table[i].word) == n && !strncasecmp(setting_table[i].word, word, n))
			return (int)i;
	return -1;
}

int setting_near(const char *word, size_t n)
{
	unsigned best = n < 5 ? 2 : 3;
	int found = -1;

	for (unsigned i = 0; i < SETTING_COUNT; i++) {
		unsigned d = word_distance(word, n, setting_table[i].word);

		if (d < best) {
			best = d;
			found = (int)i;
		}
	}
	return found;
}

static const char *check_choice(const char *choices, const char *value, int64_t *number)
{
	size_t n = strlen(value);
	int64_t index = 0;

	for (const char *c = choices;; c++, index++) {
		size_t m = strcspn(c, "|");

		if (m == n && !strncasecmp(c, value, n)) {
			*number = index;
			return NULL;
		}
		c += m;
		if (!*c)
			return "must be one of ";
	}
}

/* A product within its family: "B1", "PR", "PR_9599", or nothing. */
static bool names_variant(const char *s)
{
	const size_t most = 4;
	size_t n = 0;

	while (isalnum((unsigned char)s[n]))
		n++;
	if (n > most || s[n] != '_')
		return n <= most && !s[n];
	s += n + 1;
	n = strspn(s, "0123456789");
	return n && n <= most && !s[n];
}

/* A name of the product's family, and what stands behind it: "Ascend910B1", "Ascend950PR_9599",
 * "Ascend910_9392".
 */
static const char *check_product(const char *families, const char *value, int64_t *number)
{
	int64_t index = 0;

	*number = -1;
	for (const char *f = families; *f; f += *f == '|', index++) {
		size_t n = strcspn(f, "|");

		if (!strncmp(f, value, n) && names_variant(value + n))
			*number = index;
		f += n;
	}
	return *number < 0 ? "must begin with one of " : NULL;
}

static bool parse_number(const char *s, int64_t *out)
{
	int64_t v = 0;

	if (!*s)
		return false;
	for (; *s; s++) {
		if (!isdigit((unsigned char)*s) || v > 1000000000)
			return false;
		v = v * 10 + (*s - '0');
	}
	*out = v;
	return true;
}

static const char *check_number(const char *range, const char *value, int64_t *number)
{
	int64_t low = 0, high = 0;

	for (; isdigit((unsigned char)*range); range++)
		low = low * 10 + (*range - '0');
	for (range++; isdigit((unsigned char)*range); range++)
		high = high * 10 + (*range - '0');
	if (!parse_number(value, number) || *number < low || *number > high)
		return "must be a number in ";
	return NULL;
}

const char *setting_check(enum setting s, const char *value, int64_t *number)
{
	const struct setting_info *info = &setting_table[s];

	*number = -1;
	if (info->kind == SETTING_CHOICE)
		return check_choice(info->argument, value, number);
	if (info->kind == SETTING_PRODUCT && *value)
		return check_product(info->argument, value, number);
	if (info->kind == SETTING_NUMBER)
		return check_number(info->argument, value, number);
	return NULL;
}
