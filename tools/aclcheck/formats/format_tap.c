/* SPDX-License-Identifier: Apache-2.0 */
/* TAP 13, which all harnesses read, and 14: the verdict first, then each finding; diagnostics as YAML, every
 * string quoted as JSON does. */
#include "tools/aclcheck/formats/formats.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/common/text.h"

/* Descriptions end at an unescaped '#'. */
static void put_description(FILE *to, const char *s)
{
	char buf[4096];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_safe(&t, s, 1000);
	for (const char *c = buf; *c; c++) {
		if (*c == '#' || *c == '\\')
			fputc('\\', to);
		fputc(*c, to);
	}
}

static void put_yaml(FILE *to, const char *key, const json_t *value)
{
	char *text;

	if (!value)
		return;
	/* JSON with everything beyond ASCII escaped is YAML on one line; "##[" would be a command to some
	 * logs. */
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
	fprintf(to, "  %s: ", key);
	for (const char *c = text ? text : "null"; *c; c++) {
		if (c[0] == '#' && c[1] == '#')
			fputs("\\u0023", to);
		else
			fputc(*c, to);
	}
	fputc('\n', to);
	free(text);
}

static void tap_put_finding(FILE *to, const json_t *report, const json_t *finding, size_t number)
{
	static const char *const shown[] = {"severity", "rule", "call", "args", "detail", "values", "hint",
		"source", "fingerprint", "count", "ranks", "expected_by"};
	const json_t *frame = finding_frame(finding);
	bool failed = finding_failed(report, finding);
	const char *excuse = finding_status(finding);

	fprintf(to, "%s %zu - ", failed ? "not ok" : "ok", number);
	put_description(to, text_of(finding, "rule"));
	fputs(": ", to);
	put_description(to, text_of(finding, "title"));
	if (frame) {
		fputs(" at ", to);
		put_description(to, finding_place(finding));
	}
	/* A test that trips as it shall has passed. */
	if (!failed && !flag_of(finding, "expected")) {
		fputs(" # SKIP ", to);
		put_description(to, *excuse ? excuse : text_of(finding, "severity"));
	}
	fputs("\n  ---\n", to);
	for (unsigned i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		put_yaml(to, shown[i], json_object_get(finding, shown[i]));
	put_yaml(to, "at", frame);
	fputs("  ...\n", to);
}

static void tap_put_expectation(FILE *to, const json_t *expectation, size_t number)
{
	static const char *const shown[] = {"in", "rule", "fingerprint", "reason", "opened", "met", "place"};

	fprintf(to, "%s %zu - ", expectation_unmet(expectation) ? "not ok" : "ok", number);
	put_description(to, "expected ");
	put_description(to, expectation_rule(expectation));
	fputs(": ", to);
	put_description(to, text_of(expectation, "reason"));
	if (flag_of(expectation, "expired"))
		fputs(" # SKIP expired", to);
	fputs("\n  ---\n", to);
	for (unsigned i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		put_yaml(to, shown[i], json_object_get(expectation, shown[i]));
	fputs("  ...\n", to);
}

static void print_version(FILE *to, const json_t *report, int version)
{
	const json_t *findings = json_object_get(report, "findings"), *finding;
	const json_t *expectations = json_object_get(report, "expectations");
	size_t i, n = json_array_size(findings);

	fprintf(to, "TAP version %d\n1..%zu\n", version, n + json_array_size(expectations) + 1);
	fprintf(to, "%s 1 - verdict ", strcmp(text_of(report, "verdict"), "pass") ? "not ok" : "ok");
	put_description(to, text_of(report, "verdict"));
	fputs("\n  ---\n", to);
	put_yaml(to, "inconclusive", json_object_get(report, "inconclusive"));
	put_yaml(to, "totals", json_object_get(report, "totals"));
	fputs("  ...\n", to);
	json_array_foreach(findings, i, finding) tap_put_finding(to, report, finding, i + 2);
	json_array_foreach(expectations, i, finding) tap_put_expectation(to, finding, n + i + 2);
}

void print_tap(FILE *to, const json_t *report)
{
	print_version(to, report, 13);
}

void print_tap14(FILE *to, const json_t *report)
{
	print_version(to, report, 14);
}
