/* SPDX-License-Identifier: Apache-2.0 */
/* The section of the HTML page that says what the tool itself took of the run. */
#include "tools/aclcheck/formats/format_html.h"

#include <string.h>

static void put_size(FILE *to, double bytes)
{
	static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	unsigned u = 0;

	while (bytes >= 1024 && u < 4) {
		bytes /= 1024;
		u++;
	}
	fprintf(to, u ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
}

static void put_row(FILE *to, const char *name, json_int_t us, const char *what)
{
	fprintf(to, "<tr><td>%s</td><td class=\"n\">%.1f ms</td><td class=\"d\">%s</td></tr>\n", name,
		(double)us / 1000, what);
}

static void put_calls(FILE *to, const json_t *cost, json_int_t calls)
{
	json_int_t samples = number_of(cost, "samples");
	double each = samples > 0 ? (double)number_of(cost, "samples_ns") / (double)samples : 0;

	if (samples < 1) {
		fprintf(to, "<tr><td>calls</td><td class=\"n\">not known</td><td class=\"d\">too few to be "
			    "timed: one in about 256 is</td></tr>\n");
		return;
	}
	fprintf(to,
		"<tr><td>a call, on average</td><td class=\"n\">%.0f ns</td><td class=\"d\">of %lld timed "
		"ones, "
		"before and after the real call; %lld more took 0.1 ms and longer, as threads were "
		"interrupted or "
		"reported a finding</td></tr>\n",
		each, samples, number_of(cost, "interrupted"));
	fprintf(to,
		"<tr><td>all calls</td><td class=\"n\">%.1f ms</td><td class=\"d\">estimated: %lld times "
		"that, "
		"over all threads</td></tr>\n",
		each * (double)calls / 1e6, calls);
}

/* Doubts that say something went by unseen or was not kept; each has its line at the top of the page. */
static void put_losses(FILE *to, const json_t *doubts)
{
	static const char *const losses[] = {"calls-unseen", "events-lost", "table-full", "report-lost",
		"report-unreadable", "process-killed", "bypass", "other-runtime", "child-not-covered"};
	const json_t *doubt;
	unsigned n = 0;
	size_t i;

	fputs("<tr><td>losses</td><td class=\"n\">", to);
	json_array_foreach(doubts, i, doubt)
	{
		for (unsigned k = 0; k < sizeof(losses) / sizeof(*losses); k++)
			if (!strcmp(losses[k], text_of(doubt, "reason")))
				html_put(to, n++ ? ", " : "", losses[k], "");
	}
	fputs(n ? "</td><td class=\"d\">listed at the top</td></tr>\n"
		: "none</td><td class=\"d\">no call, event, process or finding known to be "
		  "missed</td></tr>\n",
		to);
}

void html_cost(FILE *to, const json_t *report)
{
	size_t processes = json_array_size(json_object_get(report, "processes"));
	const json_t *cost = json_object_get(report, "cost");

	if (!json_object_size(cost))
		return;
	fputs("<h2>Cost of the tool</h2>\n<div class=\"t\"><table class=\"k\"><tbody>\n", to);
	put_calls(to, cost, number_of(report, "calls"));
	put_row(to, "opening", number_of(cost, "open_us"), "settings, libraries, tables");
	put_row(to, "findings", number_of(cost, "findings_us"), "call stacks, symbols, log and journal");
	put_row(to, "the end", number_of(cost, "finish_us"),
		"leaks and balances, before the report is written");
	fputs("<tr><td>memory</td><td class=\"n\">", to);
	put_size(to, (double)number_of(cost, "memory_used"));
	fputs("</td><td class=\"d\">in use at the end, of ", to);
	put_size(to, (double)number_of(cost, "memory_mapped"));
	fputs(" of address space</td></tr>\n", to);
	put_losses(to, json_object_get(report, "inconclusive"));
	fprintf(to,
		"</tbody></table></div>\n<p class=\"d\">Wall-clock time inside the library, over %zu %s. "
		"Not in it: the writing of the report, a recorder that runs beside it, and caches that the "
		"program finds colder.</p>\n",
		processes, processes == 1 ? "process" : "processes");
}
