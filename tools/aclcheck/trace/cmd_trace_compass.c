/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck trace-compass: puts the analyses of tracepoints/tracecompass/ where Trace Compass finds them. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/aclcheck/common/command.h"

int cmd_trace_compass(int argc, char **argv);

/* Where a workspace keeps imported analyses. */
#define PLUGIN ".metadata/.plugins/org.eclipse.tracecompass.tmf.analysis.xml.core/xml_files"

EMBED(trace_compass_calls, "tracepoints/tracecompass/aclcheck-calls.xml");
EMBED(trace_compass_latency, "tracepoints/tracecompass/aclcheck-latency.xml");

static const struct {
	const char *name, *begin, *end;
} files[] = {
	{"aclcheck-calls.xml", trace_compass_calls, trace_compass_calls_end},
	{"aclcheck-latency.xml", trace_compass_latency, trace_compass_latency_end},
};

static const char help[] =
	"--install [DIR]\tinto the Trace Compass workspace DIR (default: ~/.tracecompass and "
	"~/.tracecompass-webapp, those that "
	"exist); a DIR that is not a workspace just gets the files, to be imported by hand\n"
	"\nThen start Trace Compass, open the trace, and unfold it in the Project Explorer:\n"
	"AscendCL calls\t> Flame Chart (call stack over time), Flame Graph, Function Durations\n"
	"AscendCL call times\t> Latency Table, Latency vs Time, Latency Statistics; field \"result\" = "
	"return code\n";

static bool make_path(const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = strchr(copy + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(copy, 0777) && errno != EEXIST)
			return false;
		*p = '/';
	}
	return !mkdir(copy, 0777) || errno == EEXIST;
}

static bool is_directory(const char *path)
{
	struct stat s;

	return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static char *join(const char *directory, const char *name)
{
	char *path = NULL;

	return need(asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path);
}

static bool install_files(const char *directory)
{
	bool ok = make_path(directory);

	if (!ok)
		command_say("%s: %s", directory, strerror(errno));
	for (unsigned i = 0; ok && i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = join(directory, files[i].name);

		ok = whole_file(path, files[i].begin, (size_t)(files[i].end - files[i].begin));
		if (ok)
			puts(path);
		free(path);
	}
	return ok;
}

static bool install(const char *directory)
{
	char *metadata = join(directory, ".metadata"), *plugin = join(directory, PLUGIN);
	bool ok = install_files(is_directory(metadata) ? plugin : directory);

	free(metadata);
	free(plugin);
	return ok;
}

static int install_everywhere(void)
{
	static const char *const places[] = {".tracecompass", ".tracecompass-webapp"};
	const char *home = getenv("HOME");
	char path[PATH_MAX];
	unsigned n = 0;

	for (unsigned i = 0; home && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", home, places[i]);
		if (!is_directory(path))
			continue;
		if (!install(path))
			return COMMAND_MISUSE;
		n++;
	}
	if (n)
		return 0;
	return command_misuse(
		"no Trace Compass workspace in %s: start Trace Compass once, or name one: --install DIR",
		home ? home : "the home directory");
}

int cmd_trace_compass(int argc, char **argv)
{
	static const struct option options[] = {
		{"install", no_argument, NULL, 'i'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	bool wanted = false;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("trace-compass", help);
		if (c != 'i')
			return command_bad_option(argv, optind, options);
		wanted = true;
	}
	if (!wanted)
		return command_misuse("trace-compass: say --install [DIR]");
	if (argc - optind > 1)
		return command_misuse("trace-compass: one workspace at a time");
	/* Files in a directory that no Trace Compass reads would help as little as none. */
	if (optind < argc && !is_directory(argv[optind]))
		return command_misuse(
			"%s: no such directory (expected a workspace of Trace Compass)", argv[optind]);
	if (optind < argc)
		return install(argv[optind]) ? 0 : COMMAND_MISUSE;
	return install_everywhere();
}
