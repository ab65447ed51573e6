/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck summary: what a recording says in numbers. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

int cmd_summary(int argc, char **argv);

static const char help[] =
	"-j, --json\tJSON: times in ns, sizes in bytes\n"
	"-c, --count\tonly how many events there are\n"
	"-o, --output FILE\twrites there instead of to stdout\n"
	"\nReads all traces at or below each TRACE, in the order of time over all of them.\n"
	"\nTRACE@S adds S seconds to the times of a trace, of a host whose clock is behind: node2@-0.0015.\n"
	"\nExit codes: 0, also when events were lost (the text says so); 98 no AscendCL call in it; 99 not "
	"readable.\n";

static const struct option long_options[] = {
	{"json", no_argument, NULL, 'j'},
	{"count", optional_argument, NULL, 'c'},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int summary_put(const char *text, size_t size, const char *path)
{
	if (path)
		return whole_file(path, text, size) ? 0 : COMMAND_MISUSE;
	if (fwrite(text, 1, size, stdout) != size || fflush(stdout))
		return command_misuse("standard output: %s", strerror(errno));
	return 0;
}

static int print(const struct summary *s, bool json, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = need(open_memstream(&text, &size));
	int status = 0;
	bool ok = true;

	if (json)
		ok = summary_print_json(s, f);
	else
		summary_print_text(s, f);
	if (fclose(f) || !ok)
		status = command_misuse("out of memory");
	else
		status = summary_put(text, size, path);
	free(text);
	return status;
}

struct request {
	char **traces;
	unsigned n_traces;
	const char *path;
	bool json, count, count_calls;
};

static bool count_event(void *context, const bt_event *event, const bt_clock_snapshot *clock)
{
	uint64_t *n = context;

	(void)event;
	(void)clock;
	++*n;
	return true;
}

static int print_count(void *argument)
{
	const struct request *r = argument;
	char text[32];
	uint64_t n = 0;
	struct ctf_reader reader = {.context = &n, .event = count_event, .progress = true};

	if (!ctf_read(r->traces, r->n_traces, &reader))
		return COMMAND_MISUSE;
	snprintf(text, sizeof(text), "%" PRIu64 "\n", n);
	return summary_put(text, strlen(text), r->path);
}

static bool summary_collect_from(const struct request *r, struct summary *s)
{
	struct ctf_reader reader = {.context = s,
		.event = summary_event,
		.discarded = summary_discarded,
		.lost = summary_lost,
		.lacks = summary_lacks,
		.written = summary_written,
		.progress = true};

	if (!ctf_read(r->traces, r->n_traces, &reader))
		return false;
	summary_end(s);
	return true;
}

/* What reader_count() reads. */
static int print_calls(void *argument)
{
	const struct request *r = argument;
	struct summary *s = need(calloc(1, sizeof(*s)));
	char text[96];
	int status = COMMAND_MISUSE;

	if (summary_collect_from(r, s)) {
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 " %u\n", s->events, s->calls,
			summary_lacking_processes(s));
		status = summary_put(text, strlen(text), NULL);
	}
	summary_free(s);
	free(s);
	return status;
}

static int summarise(void *argument)
{
	const struct request *r = argument;
	struct summary *s = need(calloc(1, sizeof(*s)));
	int status = COMMAND_MISUSE;

	if (summary_collect_from(r, s)) {
		status = print(s, r->json, r->path);
		if (!status && !s->calls) {
			command_say("no AscendCL call in it: it is a trace of something else, or nothing was "
				    "called");
			status = COMMAND_INCONCLUSIVE;
		}
	}
	summary_free(s);
	free(s);
	return status;
}

int cmd_summary(int argc, char **argv)
{
	struct request r = {0};
	int c;

	while ((c = getopt_long(argc, argv, "jco:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'j':
			r.json = true;
			break;
		case 'c':
			r.count = true;
			/* For aclcheck trace. */
			r.count_calls = optarg && !strcmp(optarg, "calls");
			break;
		case 'o':
			r.path = optarg;
			break;
		case 'h':
			return command_help("summary", help);
		default:
			return command_bad_option(argv, optind, long_options);
		}
	}
	if (optind == argc)
		return command_misuse("summary: which trace? aclcheck summary TRACE...");
	r.traces = argv + optind;
	r.n_traces = (unsigned)(argc - optind);
	return isolated_run(r.count_calls ? print_calls
			    : r.count     ? print_count
					  : summarise,
		&r, r.n_traces == 1 ? r.traces[0] : "one of the traces");
}
