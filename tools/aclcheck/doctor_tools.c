/* SPDX-License-Identifier: Apache-2.0 */
/* Recording, lines of source code, Python: what lacks here keeps no program from being checked. */
#include <errno.h>
#include <grp.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "interpose/common/preloadable.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/doctor.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/run/run.h"
#include "tools/aclcheck/trace/trace.h"

#define SHARED_MEMORY (16u << 20) /* what recording takes at least */
#define ROOT_DAEMON "/var/run/lttng/lttng-sessiond.pid"
#define GROUPS 256

static bool in_path(const char *name, char path[PATH_MAX])
{
	return program_find(name, path, PATH_MAX);
}

/* --- recording --------------------------------------------------------------- */

/* Of root, for all users; 0: none. */
static long root_daemon(void)
{
	FILE *f = fopen(ROOT_DAEMON, "re");
	long pid = 0;

	if (f && fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return pid > 0 && (!kill((pid_t)pid, 0) || errno == EPERM) ? pid : 0;
}

/* Who may talk to it. */
static bool in_tracing_group(void)
{
	const struct group *tracing = getgrnam("tracing");
	gid_t groups[GROUPS];
	int n = getgroups(GROUPS, groups);

	if (geteuid() == 0)
		return true;
	for (int i = 0; tracing && i < n; i++)
		if (groups[i] == tracing->gr_gid)
			return true;
	return false;
}

static void look_at_daemon(struct doctor *d)
{
	long pid = root_daemon();
	char text[128];

	if (!pid) {
		doctor_say(
			d, GOOD, "LTTng daemon", "none of root's runs: each recording starts its own", NULL);
		return;
	}
	if (in_tracing_group()) {
		snprintf(text, sizeof(text), "root's runs (process %ld): --shared uses it", pid);
		doctor_say(d, GOOD, "LTTng daemon", text, NULL);
		return;
	}
	snprintf(text, sizeof(text), "root's runs (process %ld), and you are not in the group tracing", pid);
	doctor_say(d, LACKS, "LTTng daemon", text,
		"--shared needs it (usermod -aG tracing USER); each recording starts its own");
}

static void look_at_shared_memory(struct doctor *d)
{
	struct statvfs shm;

	if (statvfs("/dev/shm", &shm) || (uint64_t)shm.f_bavail * shm.f_frsize < SHARED_MEMORY)
		doctor_say(d, LACKS, "/dev/shm", "less than 16 MiB are free there, which recording takes",
			"docker run --shm-size=256m");
	else
		doctor_say(d, GOOD, "/dev/shm", "there is room for recording", NULL);
}

void doctor_recording(struct doctor *d)
{
	static const char remedy[] = "install the package aclcheck-tracing, or lttng-tools and babeltrace2; "
				     "checking works without";
	char *provider = launch_find("libaclcheck-lttng.so"), path[PATH_MAX];
	const char *unread = reader_missing();

	if (!provider)
		doctor_say(d, LACKS, "recording", "libaclcheck-lttng.so is not beside the command", remedy);
	else if (!in_path("lttng-sessiond", path))
		doctor_say(d, LACKS, "recording", "there is no lttng-sessiond in PATH", remedy);
	else
		doctor_say(d, GOOD, "recording", "LTTng is there", NULL);
	if (unread)
		doctor_say(d, LACKS, "reading", "recordings cannot be read here", unread);
	else
		doctor_say(d, GOOD, "reading", "babeltrace2 is there", NULL);
	if (provider)
		look_at_daemon(d);
	free(provider);
	look_at_shared_memory(d);
}

/* --- lines of source code ---------------------------------------------------------- */

void doctor_symbols(struct doctor *d)
{
	if (missing_lines_possible())
		doctor_say(d, GOOD, "source lines", "libdw.so.1 is there", NULL);
	else
		doctor_say(d, LACKS, "source lines",
			"libdw.so.1 is not there: code with compressed or split debug information has none",
			"install libdw1 (elfutils-libs)");
}

/* --- Python ------------------------------------------------------------------------ */

EMBED(doctor_probe, "tools/aclcheck/doctor_probe.py");

/* The software runtime does for it, whatever the other programs use. */
static json_t *run_python(const struct doctor *d, const char *python)
{
	char report[PATH_MAX], output[PATH_MAX];
	char *argv[] = {(char *)"aclcheck", (char *)"run", (char *)"--softnpu", (char *)"--report", report,
		(char *)"--", (char *)python, (char *)"-c", (char *)doctor_probe, NULL};
	json_t *json;

	doctor_file(d, "python.json", report);
	doctor_file(d, "output", output);
	doctor_run(argv, output);
	json = json_load_file(report, 0, NULL);
	unlink(report);
	unlink(output);
	return json;
}

static void say_python(struct doctor *d, const char *path, const json_t *python)
{
	char text[PATH_MAX + 512];
	const char *why = text_of(python, "why_not");

	if (json_is_true(json_object_get(python, "frames"))) {
		snprintf(text, sizeof(text), "%s: frames of Python %s are read", path,
			text_of(python, "version"));
		doctor_say(d, GOOD, "python3", text, NULL);
		return;
	}
	snprintf(text, sizeof(text), "%s: its frames are not read%s%.400s", path, *why ? ": " : "",
		in_language(why));
	doctor_say(d, LACKS, "python3", text,
		"findings of Python programs have native frames only; CPython 3.7 to 3.13 are read");
}

void doctor_python(struct doctor *d)
{
	char path[PATH_MAX];
	const json_t *python;
	json_t *report;

	if (!in_path("python3", path)) {
		doctor_say(d, LACKS, "python3", "there is none in PATH", "only Python programs need it");
		return;
	}
	report = run_python(d, path);
	python = json_object_get(json_array_get(json_object_get(report, "processes"), 0), "python");
	if (python)
		say_python(d, path, python);
	else
		doctor_say(d, LACKS, "python3", path,
			"a program of it was not checked: the lines above, or 'aclcheck run --softnpu -- "
			"python3', say "
			"why");
	json_decref(report);
}
