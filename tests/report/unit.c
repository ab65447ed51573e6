/* SPDX-License-Identifier: Apache-2.0 */
/* Units of the sinks: text, JSON, numbers, fingerprints, settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "interpose/common/argument_text.h"
#include "interpose/report/fingerprint.h"
#include "interpose/common/json_writer.h"
#include "interpose/common/sentences.h"
#include "interpose/common/settings_table.h"
#include "interpose/common/rule_switches.h"
#include "interpose/symbolize/code_symbol.h"
#include "tests/report/host.h"

static char buf[4096];
static struct text t;

static int fresh(void **state)
{
	(void)state;
	text_init(&t, buf, sizeof(buf));
	return 0;
}

static void numbers(void **state)
{
	(void)state;
	text_uint(&t, 0);
	text_char(&t, ' ');
	text_uint(&t, UINT64_MAX);
	text_char(&t, ' ');
	text_int(&t, INT64_MIN);
	text_char(&t, ' ');
	text_hex(&t, 0);
	text_char(&t, ' ');
	text_hex(&t, UINT64_MAX);
	assert_string_equal(buf, "0 18446744073709551615 -9223372036854775808 0x0 0xffffffffffffffff");
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {{0, "0 bytes"}, {1, "1 byte"}, {4096, "4096 bytes"}, {65536, "65536 bytes (64.0 KiB)"},
		{1572864, "1572864 bytes (1.5 MiB)"}, {UINT64_C(64) << 30, "68719476736 bytes (64.0 GiB)"},
		{UINT64_MAX, "18446744073709551615 bytes (15.9 EiB)"}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fresh(state);
		text_size(&t, rows[i].bytes);
		assert_string_equal(buf, rows[i].text);
	}
}

static void a_full_buffer_is_cut_and_says_so(void **state)
{
	char small[8];

	(void)state;
	text_init(&t, small, sizeof(small));
	text_str(&t, "1234567");
	assert_false(t.cut);
	text_char(&t, '8');
	assert_true(t.cut);
	assert_string_equal(small, "1234567");
}

static void unsafe_text_is_shown_as_bytes(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {{"plain", "plain"}, {"\033[31m", "\\x1b[31m"}, {"a\nb\tc\r", "a\\x0ab\\x09c\\x0d"},
		{"\xc3\xa9 \xe4\xb8\xad", "\xc3\xa9 \xe4\xb8\xad"}, {"\xff\xc3", "\\xff\\xc3"},
		{"\xc2\x9b", "\\xc2\\x9b"}, {"\xe2\x80\xae", "\\xe2\\x80\\xae"}, {"\xc0\xaf", "\\xc0\\xaf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
		{"\x7f", "\\x7f"}, {"::error::x", "\\x3a:error::x"}, {"a::b", "a::b"},
		{"x ##[y", "x \\x23#[y"}, {"##vso[", "\\x23#vso["}, {"## 3 ###", "## 3 ###"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fresh(state);
		text_safe(&t, rows[i].in, 100);
		assert_string_equal(buf, rows[i].out);
	}
}

static void utf8_is_valid_where_mbrtowc_says_so(void **state)
{
	uint32_t code;
	unsigned n;

	(void)state;
	/* Every code point, encoded by hand, comes back; surrogates do not. */
	for (uint32_t c = 1; c <= 0x10ffff; c += c < 0x1000 ? 1 : 37) {
		char s[4];

		n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
		for (unsigned i = n; i-- > 0;)
			s[i] = n == 1 ? (char)c
			       : i    ? (char)(0x80 | (c >> (6 * (n - 1 - i)) & 0x3f))
				      : (char)((0xf00u >> n & 0xf0) | c >> (6 * (n - 1)));
		if (c >= 0xd800 && c <= 0xdfff) {
			assert_int_equal(utf8_length(s, n, &code), 0);
			continue;
		}
		assert_int_equal(utf8_length(s, n, &code), n);
		assert_int_equal(code, c);
		assert_int_equal(utf8_length(s, n - 1, &code), 0);
	}
}

static bool utf8_clean(const char *s)
{
	uint32_t code;

	while (*s) {
		unsigned n = utf8_length(s, strlen(s), &code);

		if (!n)
			return false;
		s += n;
	}
	return true;
}

/* Whatever bytes a string has, jansson reads back what was meant. */
static void any_string_is_valid_json(void **state)
{
	struct jout j;
	json_t *json;

	(void)state;
	srand(7);
	for (unsigned round = 0; round < 3000; round++) {
		char s[40];
		size_t n = (size_t)(rand() % 39);

		for (size_t i = 0; i < n; i++)
			s[i] = (char)(rand() % 3 ? 1 + rand() % 255 : "\"\\\n\033\xe2\x80\xa8</"[rand() % 9]);
		s[n] = '\0';
		fresh(NULL);
		jout_init(&j, &t);
		jout_object(&j, NULL);
		jout_string(&j, "s", s);
		jout_uint(&j, "u", UINT64_MAX);
		jout_int(&j, "i", INT64_MIN);
		jout_array(&j, "a");
		jout_bool(&j, NULL, true);
		jout_object(&j, NULL);
		jout_object_end(&j);
		jout_array_end(&j);
		jout_object_end(&j);
		json = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(json);
		/* What was well formed comes back as it was. */
		if (utf8_clean(s))
			assert_string_equal(json_string_value(json_object_get(json, "s")), s);
		json_decref(json);
	}
}

static void nested_commas(void **state)
{
	struct jout j;

	(void)state;
	jout_init(&j, &t);
	jout_array(&j, NULL);
	for (int i = 0; i < 2; i++) {
		jout_object(&j, NULL);
		jout_array(&j, "x");
		jout_array_end(&j);
		jout_hex(&j, "h", 255);
		jout_object_end(&j);
	}
	jout_array_end(&j);
	assert_string_equal(buf, "[{\"x\":[],\"h\":\"0xff\"},{\"x\":[],\"h\":\"0xff\"}]");
}

static const char *print_of(const char *rule, const char *const frames[], unsigned stripped)
{
	static char out[4][FINGERPRINT_SIZE];
	static unsigned n;
	struct fingerprint f;

	fingerprint_begin(&f, rule, "aclrtFree");
	for (; *frames; frames++)
		fingerprint_frame(&f, *frames, "/opt/lib/libx.so.1", (int)stripped);
	fingerprint_end(&f, out[++n % 4]);
	return out[n % 4];
}

static void fingerprints(void **state)
{
	static const char *const base[] = {"a", "b", NULL};
	static const char *const other[] = {"ab", NULL};
	static const char *const clone[] = {"a.isra.0", "b.constprop.1.cold", NULL};
	static const char *const seven[] = {"1", "2", "3", "4", "5", "6", "7", NULL};
	static const char *const six[] = {"1", "2", "3", "4", "5", "8", NULL};

	(void)state;
	assert_string_equal(print_of("r", base, 0), print_of("r", base, 0));
	assert_string_not_equal(print_of("r", base, 0), print_of("s", base, 0));
	assert_string_not_equal(print_of("r", base, 0), print_of("r", other, 0));
	assert_string_not_equal(print_of("r", base, 0), print_of("r", base, 1));
	assert_string_equal(print_of("r", base, 0), print_of("r", clone, 0));
	assert_string_equal(print_of("r", seven, 0), print_of("r", six, 0));
	/* Baselines of users depend on it: a change here needs a new report format. */
	assert_string_equal(print_of("r", base, 0), "ad50c5220b5c69aa");
}

static void rule_lists(void **state)
{
	uint8_t d[3] = {0};
	const char *bad;
	size_t n = 0;

	(void)state;
	assert_null(settings_rules("+perf, -copy", d, &n));
	assert_int_equal(d[0], 1 + ACL_DEFAULT_OFF);
	assert_int_equal(d[1], 1 + ACL_DEFAULT_ON);
	assert_int_equal(d[2], 0);
	assert_null(settings_rules("all=advice\n stream-*=off", d, &n));
	assert_int_equal(d[0], 1 + ACL_DEFAULT_ADVICE);
	assert_int_equal(d[2], 1 + ACL_DEFAULT_OFF);
	assert_null(settings_rules("", d, &n));
	assert_non_null(settings_rules("+", d, &n));
	assert_non_null(settings_rules("event-churn=sometimes", d, &n));
	assert_non_null(settings_rules("Event-churn", d, &n));
	bad = settings_rules("-perf,bogus,+perf", d, &n);
	assert_int_equal(n, 5);
	assert_memory_equal(bad, "bogus", n);
}

static void settings_words(void **state)
{
	int64_t v;
	char env[48];

	(void)state;
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		const struct setting_info *i = &setting_table[s];

		assert_int_equal(setting_find(i->word, strlen(i->word)), s);
		setting_env_name((enum setting)s, env);
		assert_int_equal(setting_find(env + 9, strlen(env + 9)), s);
		if (*i->dflt)
			assert_null(setting_check((enum setting)s, i->dflt, &v));
	}
	assert_int_equal(setting_near("reprot", 6), SETTING_REPORT);
	assert_int_equal(setting_near("colour", 6), -1);
	assert_null(setting_check(SETTING_TARGET_CANN, "9.1", &v));
	assert_int_equal(v - 2, ACL_CANN_9_1);
	for (int c = 0; c < ACL_CANN_COUNT; c++) {
		assert_null(setting_check(SETTING_TARGET_CANN, acl_cann_names[c], &v));
		assert_int_equal(v - 2, c);
	}
	assert_non_null(setting_check(SETTING_EXITCODE, "0", &v));
	assert_non_null(setting_check(SETTING_EXITCODE, "256", &v));
	assert_non_null(setting_check(SETTING_EXITCODE, "99999999999999999999", &v));
	assert_null(setting_check(SETTING_EXITCODE, "255", &v));
}

static void wild_pointers_are_not_followed(void **state)
{
	struct acl_args_aclInit args = {.configPath = (const char *)(uintptr_t)0x10};

	(void)state;
	decode_call(&t, ACL_API_aclInit, &args);
	assert_string_equal(buf, "aclInit(configPath=0x10)");
	fresh(NULL);
	args.configPath = "a\033b";
	decode_call(&t, ACL_API_aclInit, &args);
	assert_string_equal(buf, "aclInit(configPath=\"a\\x1bb\")");
}

/* Every function's arguments, all bits set: nothing overflows, nothing is followed. */
static void every_call_is_decoded(void **state)
{
	static unsigned char args[4096];
	struct jout j;
	json_t *json;

	(void)state;
	memset(args, 0xff, sizeof(args));
	for (unsigned api = 0; api < acl_api_count; api++) {
		assert_true(acl_apis[api].args_size <= sizeof(args));
		fresh(NULL);
		decode_call(&t, api, args);
		assert_false(t.cut);
		assert_non_null(strchr(buf, '('));
		fresh(NULL);
		jout_init(&j, &t);
		jout_object(&j, NULL);
		decode_call_json(&j, "args", api, args);
		jout_object_end(&j);
		json = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(json);
		assert_int_equal(json_object_size(json_object_get(json, "args")), acl_apis[api].n_params);
		json_decref(json);
	}
}

static void symbols(void **state)
{
	const struct symbol *s;

	(void)state;
	symbol_prepare(true);
	s = symbol_of((uint64_t)(uintptr_t)fingerprints + 1);
	assert_string_equal(s->function, "fingerprints");
	assert_non_null(strstr(s->file, "unit.c"));
	assert_true(s->line > 0);
	assert_false(symbol_is_outside(s));
	s = symbol_of((uint64_t)(uintptr_t)getenv + 4);
	assert_string_equal(s->function, "getenv");
	assert_true(symbol_is_outside(s));
	s = symbol_of(0x1234);
	assert_null(s->function);
	assert_null(s->module);
}

struct sentence {
	const char *english, *chinese;
};

static const struct sentence sentence_table[] = {
#define SENTENCE(english, chinese) {english, chinese},
#include "interpose/common/sentences.def"
#undef SENTENCE
};

/* Values that are in no table; of two that nothing parts the second is empty. */
static const char *value_of(char kind, unsigned i)
{
	static const char *const numbers[] = {"7", "12", "345", "6", "89", "10", "11", "13", "14"};
	static const char *const names[] = {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9"};

	return kind == 's' ? names[i] : kind ? numbers[i] : "";
}

/* The sentence as a finding has it, and as it should be read. */
static void example_of(const struct sentence *s, char *english, char *chinese)
{
	const char *parted = NULL, *percent;
	char kinds[9] = "";
	unsigned n = 0;

	for (const char *p = s->english; *p; p++) {
		if (*p != '%') {
			*english++ = *p;
			continue;
		}
		percent = p;
		p += 1 + strspn(p + 1, ".0123456789lz");
		kinds[n] = n && parted == percent ? '\0' : *p;
		english = stpcpy(english, value_of(kinds[n], n));
		parted = p + 1;
		n++;
	}
	*english = '\0';
	for (const char *p = s->chinese; *p; p++) {
		if (*p == '%') {
			p++;
			chinese = stpcpy(chinese, value_of(kinds[*p - '1'], (unsigned)(*p - '1')));
		} else {
			*chinese++ = *p;
		}
	}
	*chinese = '\0';
}

static void sentences_are_recognised(void **state)
{
	char english[1024], chinese[1024];
	const struct sentence *of;

	for (unsigned i = 0; i < sizeof(sentence_table) / sizeof(*sentence_table); i++) {
		of = &sentence_table[i];
		example_of(of, english, chinese);
		fresh(state);
		sentences_put(&t, english, sizeof(english), ACL_LANG_ZH);
		assert_string_equal(buf, chinese);
		fresh(state);
		sentences_put(&t, english, sizeof(english), ACL_LANG_EN);
		assert_string_equal(buf, english);
	}
}

static void sentences_in_sentences(void **state)
{
	static const struct sentence rows[] = {
		{"src 0xabc is 12 bytes past a 64-byte boundary: src 0xabc is in the heap; so is dst, by 3: "
		 "dst 0x1 is in "
		 "memory of unknown origin",
			"src 0xabc 超出 64 字节边界 12 字节：src 0xabc 位于堆；dst 也超出 3 字节：dst 0x1 "
			"位于来源未知的内存"},
		{"This stream was destroyed before.", "该流之前已被销毁。"},
		{"aclrtX returned 5 (in the heap)", "aclrtX 返回 5 (位于堆)"},
		{"Not of the table: 100% %s.", "Not of the table: 100% %s."},
		{"The stream is being captured.\x1b[31m", "该流正在被捕获。\\x1b[31m"},
		{"", ""},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		fresh(state);
		sentences_put(&t, rows[i].english, 1024, ACL_LANG_ZH);
		assert_string_equal(buf, rows[i].chinese);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(numbers, fresh),
		cmocka_unit_test(sizes),
		cmocka_unit_test(a_full_buffer_is_cut_and_says_so),
		cmocka_unit_test(unsafe_text_is_shown_as_bytes),
		cmocka_unit_test(utf8_is_valid_where_mbrtowc_says_so),
		cmocka_unit_test(any_string_is_valid_json),
		cmocka_unit_test_setup(nested_commas, fresh),
		cmocka_unit_test(fingerprints),
		cmocka_unit_test(rule_lists),
		cmocka_unit_test(settings_words),
		cmocka_unit_test_setup(wild_pointers_are_not_followed, fresh),
		cmocka_unit_test(every_call_is_decoded),
		cmocka_unit_test(symbols),
		cmocka_unit_test(sentences_are_recognised),
		cmocka_unit_test(sentences_in_sentences),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
