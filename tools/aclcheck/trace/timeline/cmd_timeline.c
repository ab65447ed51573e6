/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck timeline: a recording as a page for a browser, and for other programs that draw timelines. */
#include <string.h>

#include "tools/aclcheck/trace/timeline/timeline.h"

int cmd_timeline(int argc, char **argv);

static const char help[] =
	"-o, --output FILE\tone self-contained HTML page, for a browser\n"
	"-c, --chrome FILE\tChrome's trace event format, for Perfetto, chrome://tracing and MindStudio "
	"Insight\n"
	"\nReads all traces at or below each TRACE. A process has a lane for each thread and for each "
	"stream, "
	"arrows from the record of an event or notify to the wait for it, captures, findings, and the memory "
	"in use. Lanes of streams show when the host put work there, not when the device did it.\n"
	"\nTRACE@S adds S seconds to the times of a trace, of a host whose clock is behind: node2@-0.0015.\n"
	"\nExit codes: 0, also when events were lost (one line says so); 98 no AscendCL call in it; 99 not "
	"readable.\n";

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"chrome", required_argument, NULL, 'c'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

struct request {
	char **traces;
	unsigned n_traces;
	const char *page, *chrome; /* where to, NULL = not wanted */
};

static bool write_file(
	const struct timeline *t, const char *path, void (*print)(const struct timeline *t, FILE *out))
{
	struct whole_file file;
	FILE *f = path ? whole_file_begin(&file, path) : NULL;

	if (!f)
		return !path;
	print(t, f);
	return whole_file_end(&file);
}

static void say_incomplete(const struct summary *s)
{
	if (summary_has_gaps(s))
		command_say("events were lost: the timeline has gaps");
	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (s->lacks >> i & 1)
			command_say("%s", in_language(recording_lack_text(i)));
}

static int draw(void *argument)
{
	const struct request *r = argument;
	struct timeline *t = need(calloc(1, sizeof(*t)));
	int status = COMMAND_MISUSE;

	if (timeline_read(t, r->traces, r->n_traces)) {
		if (t->summary.calls) {
			status = write_file(t, r->page, timeline_print_html) &&
						 write_file(t, r->chrome, timeline_print_chrome)
					 ? 0
					 : COMMAND_MISUSE;
			if (!status)
				say_incomplete(&t->summary);
		} else {
			command_say("no AscendCL call in it: it is a trace of something else, or nothing was "
				    "called");
			status = COMMAND_INCONCLUSIVE;
		}
	}
	timeline_free(t);
	free(t);
	return status;
}

int cmd_timeline(int argc, char **argv)
{
	struct request r = {0};
	int c;

	while ((c = getopt_long(argc, argv, "o:c:h", long_options, NULL)) != -1) {
		switch (c) {
		case 'o':
			r.page = optarg;
			break;
		case 'c':
			r.chrome = optarg;
			break;
		case 'h':
			return command_help("timeline", help);
		default:
			return command_bad_option(argv, optind, long_options);
		}
	}
	if ((!r.page && !r.chrome) || optind == argc)
		return command_misuse("timeline: which trace, and where to? aclcheck timeline -o FILE.html "
				      "TRACE...");
	r.traces = argv + optind;
	r.n_traces = (unsigned)(argc - optind);
	return isolated_run(draw, &r, r.n_traces == 1 ? r.traces[0] : "one of the traces");
}
