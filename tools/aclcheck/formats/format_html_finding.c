/* SPDX-License-Identifier: Apache-2.0 */
/* One finding on the HTML page: call, values, calls before, stack, the lives of its objects, hint. */
#include "tools/aclcheck/formats/format_html.h"

#include <string.h>

static void put_stack(FILE *to, const json_t *stack)
{
	const json_t *frame;
	size_t i;

	if (!json_array_size(stack))
		return;
	fputs("<ol class=\"m\">", to);
	json_array_foreach(stack, i, frame)
	{
		html_put(to, "<li>",
			*text_of(frame, "function") ? text_of(frame, "function") : text_of(frame, "address"),
			" <span class=\"d\">");
		if (*text_of(frame, "file")) {
			put_xml(to, text_of(frame, "file"));
			fprintf(to, ":%lld", number_of(frame, "line"));
		} else {
			html_put(to, "", text_of(frame, "module"), "+");
			put_xml(to, text_of(frame, "offset"));
		}
		fputs("</span></li>", to);
	}
	fputs("</ol>\n", to);
}

static void put_call(FILE *to, const json_t *finding)
{
	const json_t *value;
	const char *key;
	bool first = true;

	if (!*text_of(finding, "call"))
		return;
	html_put(to, "<pre>", text_of(finding, "call"), "(");
	json_object_foreach((json_t *)json_object_get(finding, "args"), key, value)
	{
		html_put(to, first ? "" : ", ", key, "=");
		html_value(to, value);
		first = false;
	}
	fputs(")", to);
	html_put_if(to, " <span class=\"error\">returned ", text_of(finding, "result"), "</span>");
	if (number_of(finding, "thread"))
		fprintf(to, "  <span class=\"d\">thread %lld%s</span>", number_of(finding, "thread"),
			number_of(finding, "callback_depth") ? ", inside a callback" : "");
	fputs("</pre>\n", to);
}

static void put_values(FILE *to, const json_t *values)
{
	const json_t *value;
	const char *key;

	if (!json_object_size(values))
		return;
	fputs("<table class=\"k\"><tbody>", to);
	json_object_foreach((json_t *)values, key, value)
	{
		html_put(to, "<tr><td class=\"d\">", key, "</td><td class=\"m\">");
		html_value(to, value);
		fputs("</td></tr>", to);
	}
	fputs("</tbody></table>\n", to);
}

static void put_moment(FILE *to, const char *what, const json_t *moment)
{
	if (!moment)
		return;
	fprintf(to, "<li>%s by <code>", what);
	put_xml(to, text_of(moment, "call"));
	fprintf(to, "</code> <span class=\"d\">on thread %lld</span>", number_of(moment, "thread"));
	put_stack(to, json_object_get(moment, "stack"));
	fputs("</li>", to);
}

static void put_object(FILE *to, const json_t *object)
{
	html_put(to, "<h3>", text_of(object, "role"), "</h3>\n");
	html_put(to, "<p>", text_of(object, "kind"), "");
	if (strcmp(text_of(object, "value"), "0x0") != 0)
		html_put_if(to, " <code>", text_of(object, "value"), "</code>");
	if (number_of(object, "size"))
		fprintf(to, ", %lld bytes", number_of(object, "size"));
	if (json_object_get(object, "device"))
		fprintf(to, ", device %lld", number_of(object, "device"));
	html_put_if(to, ", context <code>", text_of(object, "context"), "</code>");
	fputs("</p>", to);
	if (!json_object_get(object, "created") && !json_object_get(object, "last_used") &&
		!json_object_get(object, "destroyed"))
		return;
	fputs("<ul>", to);
	put_moment(to, "created", json_object_get(object, "created"));
	put_moment(to, "last used", json_object_get(object, "last_used"));
	put_moment(to, "destroyed", json_object_get(object, "destroyed"));
	fputs("</ul>\n", to);
}

/* Several lines of one function, or of several programs. */
static void put_sites(FILE *to, const json_t *sites)
{
	const json_t *site;
	size_t i;

	if (json_array_size(sites) < 2)
		return;
	fputs("<h3>call sites</h3>\n<ul>", to);
	json_array_foreach(sites, i, site)
	{
		html_put(to, "<li class=\"m\">", frame_place(site), "");
		fprintf(to, " &times;%lld</li>", number_of(site, "count"));
	}
	fputs("</ul>\n", to);
}

/* How often the call at i is repeated from there on, result and all. */
static size_t repeats(const json_t *before, size_t i)
{
	size_t n = 1;

	while (i + n < json_array_size(before) &&
		json_equal(json_array_get(before, i), json_array_get(before, i + n)))
		n++;
	return n;
}

/* What the thread did before, failed calls marked. */
static void put_before(FILE *to, const json_t *finding)
{
	const json_t *before = json_object_get(finding, "before"), *call;

	if (!json_array_size(before))
		return;
	fputs("<h3>the thread's calls before</h3>\n<div class=\"strip m\">", to);
	for (size_t i = 0, n; i < json_array_size(before); i += n) {
		call = json_array_get(before, i);
		n = repeats(before, i);
		fprintf(to, "<span%s>", *text_of(call, "result") ? " class=\"error\"" : "");
		html_put(to, "", text_of(call, "call"), "");
		html_put_if(to, " ", text_of(call, "result"), "");
		if (n > 1)
			fprintf(to, " &times;%zu", n);
		fputs("</span><i>&rarr;</i>", to);
	}
	html_put(to, "<span class=\"here\">", *text_of(finding, "call") ? text_of(finding, "call") : "here",
		"</span></div>\n");
}

/* Parts of an enumeration, empty ones left out. */
static void put_part(FILE *to, bool *first, const char *before, const char *part)
{
	if (!*part)
		return;
	html_put(to, *first ? "" : ", ", before, "");
	put_xml(to, part);
	*first = false;
}

static void put_summary(FILE *to, const json_t *finding)
{
	char times[32] = "";
	bool first = true;

	if (number_of(finding, "count") > 1)
		snprintf(times, sizeof(times), "%lld times", number_of(finding, "count"));
	html_put(to, "<b class=\"s ", html_class(text_of(finding, "severity")), "\">");
	html_put(to, "", text_of(finding, "severity"), "</b> <code>");
	html_put(to, "", text_of(finding, "rule"), "</code> ");
	html_put(to, "", text_of(finding, "title"), " <span class=\"d\">");
	put_part(to, &first, "", finding_place(finding));
	put_part(to, &first, "", times);
	put_part(to, &first, "", finding_ranks(finding));
	put_part(to, &first, "", finding_status(finding));
	put_part(to, &first, "no longer demanded since CANN ", text_of(finding, "relaxed_since"));
	fputs("</span>", to);
}

void html_finding(FILE *to, const json_t *report, const json_t *finding, size_t number)
{
	const json_t *object;
	size_t i;

	fprintf(to, "<details id=\"f%zu\"%s><summary>", number,
		finding_failed(report, finding) ? " open" : "");
	put_summary(to, finding);
	fputs("</summary>\n", to);
	put_call(to, finding);
	html_put_if(to, "<p>", text_of(finding, "detail"), "</p>\n");
	put_values(to, json_object_get(finding, "values"));
	if (json_array_size(json_object_get(finding, "stack")))
		fputs("<h3>call stack</h3>\n", to);
	put_stack(to, json_object_get(finding, "stack"));
	put_sites(to, json_object_get(finding, "sites"));
	put_before(to, finding);
	json_array_foreach(json_object_get(finding, "objects"), i, object) put_object(to, object);
	html_put_if(to, "<p class=\"hint\"><b>How to fix it:</b> ", text_of(finding, "hint"), "</p>\n");
	html_put(to, "<p class=\"d\">", text_of(finding, "source"), "");
	html_put(to, " <span class=\"m\">[", text_of(finding, "fingerprint"), "]</span></p></details>\n");
}
