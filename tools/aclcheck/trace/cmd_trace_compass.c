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

#include "interpose/common/file_status.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/compass_workspace.h"

int cmd_trace_compass(int argc, char **argv);

/* Made from tracepoints/tracecompass/, and found where generated headers are. */
EMBED(trace_compass_blocked, "tracecompass/aclcheck-blocked.xml");
EMBED(trace_compass_calls, "tracecompass/aclcheck-calls.xml");
EMBED(trace_compass_findings, "tracecompass/aclcheck-findings.xml");
EMBED(trace_compass_latency, "tracecompass/aclcheck-latency.xml");
EMBED(trace_compass_memory, "tracecompass/aclcheck-memory.xml");
EMBED(trace_compass_streams, "tracecompass/aclcheck-streams.xml");

static const struct {
	const char *name, *begin, *end;
} files[] = {
	{"aclcheck-blocked.xml", trace_compass_blocked, trace_compass_blocked_end},
	{"aclcheck-calls.xml", trace_compass_calls, trace_compass_calls_end},
	{"aclcheck-findings.xml", trace_compass_findings, trace_compass_findings_end},
	{"aclcheck-latency.xml", trace_compass_latency, trace_compass_latency_end},
	{"aclcheck-memory.xml", trace_compass_memory, trace_compass_memory_end},
	{"aclcheck-streams.xml", trace_compass_streams, trace_compass_streams_end},
};

#define N_FILES (sizeof(files) / sizeof(files[0]))

static const char help[] =
	"--install [DIR]\tinto the Trace Compass workspace DIR (default: ~/.tracecompass and "
	"~/.tracecompass-webapp, those that "
	"exist); a DIR that is not a workspace just gets the files, to be imported by hand\n"
	"\nThen start Trace Compass, open the trace, and unfold it in the Project Explorer:\n"
	"AscendCL streams\t> streams as the host knew them; captures; Latency Table: waits, captures, "
	"executions\n"
	"AscendCL host blocked\t> in which call, for which stream; Latency Statistics: by place in the code\n"
	"AscendCL memory in use\t> by device and kind\n"
	"AscendCL findings\t> a row for each thread; Latency Table: all of them\n"
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

	return !filestat_path(path, &s) && S_ISDIR(s.st_mode);
}

static char *compass_join(const char *directory, const char *name)
{
	char *path = NULL;

	return need(asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path);
}

static bool install_files(const char *directory)
{
	bool ok = make_path(directory);

	if (!ok)
		command_say("%s: %s", directory, strerror(errno));
	for (unsigned i = 0; ok && i < N_FILES; i++) {
		char *path = compass_join(directory, files[i].name);

		ok = whole_file(path, files[i].begin, (size_t)(files[i].end - files[i].begin));
		if (ok)
			puts(path);
		free(path);
	}
	return ok;
}

static bool enable_files(const char *workspace)
{
	char *settings = compass_join(workspace, COMPASS_SETTINGS),
	     *preferences = compass_join(workspace, COMPASS_PREFERENCES);
	const char *names[N_FILES];
	bool ok = make_path(settings);

	for (unsigned i = 0; i < N_FILES; i++)
		names[i] = files[i].name;
	if (!ok)
		command_say("%s: %s", settings, strerror(errno));
	ok = ok && compass_enable(preferences, names, N_FILES);
	if (ok)
		puts(preferences);
	free(settings);
	free(preferences);
	return ok;
}

/* A Trace Compass that runs would neither see the files nor keep the preferences: it writes its own at its
 * end. */
static bool install_into_workspace(const char *workspace)
{
	pid_t pid = compass_running(workspace);
	char *xml;
	bool ok;

	if (pid) {
		command_say(
			"%s: Trace Compass has it open (process %ld): close it first", workspace, (long)pid);
		return false;
	}
	xml = compass_join(workspace, COMPASS_XML);
	ok = install_files(xml) && enable_files(workspace);
	free(xml);
	return ok;
}

static bool install(const char *directory)
{
	char *metadata = compass_join(directory, COMPASS_METADATA);
	bool workspace = is_directory(metadata);

	free(metadata);
	return workspace ? install_into_workspace(directory) : install_files(directory);
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
