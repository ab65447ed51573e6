/* SPDX-License-Identifier: Apache-2.0 */
/* aclcheck doctor: what of the tool works on this host, by trying it, and the remedy for what does not. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <acl/acl.h>

#include "aclcheck/model.h"
#include "interpose/common/preloadable.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/doctor.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/run/run.h"

#define SHOWN_MISSING 3
#define PROBE "--probe"

int cmd_doctor(int argc, char **argv);

/* remedy NULL: none is needed. */
void doctor_say(struct doctor *d, enum health health, const char *what, const char *state, const char *remedy)
{
	static const char *const words[] = {"ok", "lacks", "BAD"};

	printf("%-5s  %-18s  %s\n", words[health], in_language(what), in_language(state));
	if (remedy)
		printf("       %-18s  %s\n", "", in_language(remedy));
	if (health > d->worst)
		d->worst = health;
}

/* --- the probe: a program that opens the runtime -------------------------------------------- */

static void *open_runtime(void)
{
	const char *named = getenv("ACLCHECK_RUNTIME");
	void *handle = named && *named ? dlopen(named, RTLD_LAZY) : dlopen("libascendcl.so", RTLD_LAZY);

	return handle ? handle : dlopen("libacl_rt.so", RTLD_LAZY);
}

/* What says nothing of its version counts as the newest. */
static unsigned release_of(const char *version)
{
	int release = acl_cann_of(version);

	return release < 0 ? ACL_CANN_MAIN : (unsigned)release;
}

/* Some of those that the release should have, their number, and the number of later ones. */
static void print_missing(void *handle, unsigned release)
{
	unsigned missing = 0, newer = 0;

	for (unsigned api = 0; api < acl_api_count; api++) {
		if (dlsym(handle, acl_apis[api].name))
			continue;
		if (acl_apis[api].since > release)
			newer++;
		else if (missing++ < SHOWN_MISSING)
			printf("%s ", acl_apis[api].name);
	}
	printf("\n%u\n%u\n", missing, newer);
}

/* As a process of its own: what a runtime's constructors do is not ours. */
static int probe(void)
{
	aclError (*get)(aclCANNPackageName, aclCANNPackageVersion *);
	aclCANNPackageVersion version;
	void *handle = open_runtime();
	struct link_map *map;

	memset(&version, 0, sizeof(version));
	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return 1;
	*(void **)&get = dlsym(handle, "aclsysGetCANNVersion");
	if (!get || get(ACL_PKG_NAME_CANN, &version) != ACL_SUCCESS)
		version.version[0] = '\0';
	printf("%s\n%.*s\n", map->l_name, (int)sizeof(version.version) - 1, version.version);
	print_missing(handle, release_of(version.version));
	return 0;
}

/* argv ended by NULL; output of it to a file. The exit code, -1: it did not run. */
int doctor_run(char *const *argv, const char *output)
{
	posix_spawn_file_actions_t files;
	int status, error;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, 1, 2);
	error = posix_spawn(&pid, launch_self(), &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (error || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void doctor_file(const struct doctor *d, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%s", d->directory, name);
}

/* --- the runtime, and the checker in front of it ------------------------------------------------ */

static void line_of(FILE *f, char *out, size_t size)
{
	if (!fgets(out, (int)size, f))
		*out = '\0';
	out[strcspn(out, "\n")] = '\0';
}

static void say_runtime(struct doctor *d, FILE *f)
{
	char path[PATH_MAX], version[256], names[512], missing[32], newer[32], text[PATH_MAX + 320];

	line_of(f, path, sizeof(path));
	line_of(f, version, sizeof(version));
	line_of(f, names, sizeof(names));
	line_of(f, missing, sizeof(missing));
	line_of(f, newer, sizeof(newer));
	snprintf(text, sizeof(text), "%s, CANN %s", path, *version ? version : "?");
	doctor_say(d, GOOD, "runtime", text, NULL);
	if (strcmp(missing, "0") != 0) {
		snprintf(text, sizeof(text), "%s are not in it: %s...", missing, names);
		doctor_say(d, LACKS, "its functions", text,
			"programs that call them get 'feature not supported'; is it a whole installation, "
			"not its "
			"stubs?");
	} else if (strcmp(newer, "0") != 0) {
		snprintf(text, sizeof(text), "it has all of its release; of later ones %s are not in it",
			newer);
		doctor_say(d, GOOD, "its functions", text, NULL);
	} else {
		doctor_say(d, GOOD, "its functions", "it has all that are known", NULL);
	}
}

static bool look_at_runtime(struct doctor *d)
{
	char *argv[] = {(char *)"aclcheck", (char *)"doctor", (char *)PROBE, NULL}, path[PATH_MAX];
	bool found;
	FILE *f;

	doctor_file(d, "probe", path);
	found = doctor_run(argv, path) == 0;
	f = found ? fopen(path, "re") : NULL;
	if (f) {
		say_runtime(d, f);
		fclose(f);
	} else {
		doctor_say(d, BAD, "runtime", "no libascendcl.so and no libacl_rt.so can be opened",
			"source CANN's set_env.sh, set ACLCHECK_RUNTIME=FILE, or try 'aclcheck doctor "
			"--softnpu'");
	}
	unlink(path);
	return f != NULL;
}

/* As the probe's process took it, from whichever source; the report leaves the default out. */
static void say_target(struct doctor *d, const json_t *report)
{
	const json_t *process = json_array_get(json_object_get(report, "processes"), 0);
	const char *target = text_of(json_object_get(process, "settings"), "target_cann");
	bool strictest = !*target || !strcmp(target, "documents");
	char text[64];

	snprintf(text, sizeof(text), "target_cann=%s", strictest ? "documents" : target);
	doctor_say(d, GOOD, "target release", text,
		strictest
			? "the strictest reading of all releases; ACLCHECK_TARGET_CANN=auto takes the loaded "
			  "runtime's"
			: NULL);
}

static void say_verdict(struct doctor *d, const json_t *report, const char *program)
{
	const json_t *doubt = json_array_get(json_object_get(report, "inconclusive"), 0);
	char text[2048];

	if (!doubt) {
		snprintf(text, sizeof(text), "%s was checked, calls: %lld", program,
			(long long)number_of(report, "calls"));
		doctor_say(d, GOOD, "checker", text, NULL);
		say_target(d, report);
		return;
	}
	snprintf(text, sizeof(text), "%s: %.900s", text_of(doubt, "reason"),
		in_language(text_of(doubt, "text")));
	doctor_say(d, BAD, "checker", text, "tools/aclcheck/README.md explains the reasons of inconclusive");
}

/* By running a program that calls the runtime: preload, settings of the environment, report. */
static void look_at_checker(struct doctor *d)
{
	char report[PATH_MAX], output[PATH_MAX];
	char *argv[10] = {(char *)"aclcheck", (char *)"run"};
	unsigned n = 2;
	json_t *json;

	doctor_file(d, "report.json", report);
	doctor_file(d, "output", output);
	if (d->softnpu)
		argv[n++] = (char *)d->softnpu;
	argv[n++] = (char *)"--report";
	argv[n++] = report;
	argv[n++] = (char *)"--";
	argv[n++] = (char *)launch_self();
	argv[n++] = (char *)"doctor";
	argv[n++] = (char *)PROBE;
	doctor_run(argv, output);
	json = json_load_file(report, 0, NULL);
	if (json)
		say_verdict(d, json, "a probe");
	else
		doctor_say(d, BAD, "checker", "a probe could not be run under it",
			"'aclcheck run -- /bin/true' says why");
	json_decref(json);
	unlink(report);
	unlink(output);
}

/* --- what else stands in the process, and how it is watched ------------------------------------------- */

static void look_at_preloads(struct doctor *d)
{
	const char *list = getenv("LD_PRELOAD");
	char text[1024];

	if (!access("/etc/ld.so.preload", R_OK))
		doctor_say(d, LACKS, "other preloads", "/etc/ld.so.preload puts libraries into every process",
			"what they wrap of dlsym, malloc or exec comes before or behind the checker");
	if (!list || !*list) {
		doctor_say(d, GOOD, "other preloads", "none in LD_PRELOAD", NULL);
		return;
	}
	snprintf(text, sizeof(text), "LD_PRELOAD has %.900s", list);
	doctor_say(d, GOOD, "other preloads", text, "the checker is put in front of them");
}

static void look_at_records(struct doctor *d)
{
	struct process_records *r = process_records_open(getpid());

	if (r)
		doctor_say(d, GOOD, "processes", "the kernel's records are permitted: none is missed", NULL);
	else
		doctor_say(d, LACKS, "processes",
			"the kernel's records are not permitted: programs without the checker "
			"are found by notes",
			"kernel.perf_event_paranoid=2 or less, and perf_event_open in the container's "
			"seccomp "
			"profile");
	if (r)
		process_records_close(r);
}

static void look_at_report(struct doctor *d)
{
	const char *report = getenv("ACLCHECK_REPORT");
	char directory[PATH_MAX], text[PATH_MAX + 64], *slash;

	if (!report || !*report || strchr(report, '%'))
		return;
	snprintf(directory, sizeof(directory), "%s", report);
	slash = strrchr(directory, '/');
	if (slash)
		slash[slash == directory] = '\0';
	snprintf(text, sizeof(text), "ACLCHECK_REPORT=%s", report);
	if (access(slash ? directory : ".", W_OK))
		doctor_say(d, BAD, "report", text, "its directory is not there, or may not be written to");
	else
		doctor_say(d, GOOD, "report", text, NULL);
}

static void look_at_program(struct doctor *d, const char *program)
{
	const char *refusal = launch_refusal(program);
	char path[PATH_MAX], runtime[64] = "", text[PATH_MAX + 128];
	const char *libraries = getenv("LD_LIBRARY_PATH");

	if (refusal) {
		doctor_say(d, BAD, "program", refusal,
			"link it dynamically with the GNU C library, without set-user-ID");
		return;
	}
	if (!program_find(program, path, sizeof(path)))
		return;
	switch (runtime_dependency(path, libraries ? libraries : "", runtime, sizeof(runtime))) {
	case RUNTIME_NEEDED:
		snprintf(text, sizeof(text), "%s is linked with %s", path, runtime);
		break;
	case RUNTIME_MAY_BE_OPENED:
		snprintf(text, sizeof(text), "%s can open %s itself", path, runtime);
		break;
	default:
		snprintf(text, sizeof(text), "%s can be preloaded", path);
	}
	doctor_say(d, GOOD, "program", text, NULL);
}

/* --- the command --------------------------------------------------------------------------------- */

static int examine(struct doctor *d, const char *program)
{
	snprintf(d->directory, sizeof(d->directory), "%.4000s/aclcheck-doctor-XXXXXX", temporary_directory());
	if (!mkdtemp(d->directory))
		return command_misuse("%s: %s", d->directory, strerror(errno));
	if (look_at_runtime(d))
		look_at_checker(d);
	if (program)
		look_at_program(d, program);
	look_at_preloads(d);
	look_at_records(d);
	look_at_report(d);
	doctor_recording(d);
	doctor_symbols(d);
	doctor_python(d);
	rmdir(d->directory);
	return d->worst == BAD ? COMMAND_FAIL : COMMAND_PASS;
}

/* For this process too: it looks where the program will. False after an error was said. */
static bool use_softnpu(struct doctor *d, const char *devices, char option[32])
{
	snprintf(option, 32, "--softnpu%s%.16s", devices ? "=" : "", devices ? devices : "");
	d->softnpu = option;
	return launch_softnpu(devices, NULL);
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{"softnpu", optional_argument, NULL, 'n'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct doctor d = {.worst = GOOD};
	char softnpu[32];
	int c;

	if (argc == 2 && !strcmp(argv[1], PROBE))
		return probe();
	while ((c = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (c == 'h')
			return command_help("doctor",
				"--softnpu[=N]\tlook at the software runtime instead of CANN's\n"
				"\nTries what the checker needs on this host, and names the remedy for what "
				"lacks. "
				"With a program, whether it can be checked.\n"
				"\nExit codes: 0 programs can be checked, 97 they cannot, 99 misuse. What "
				"only "
				"recording or Python needs makes none.\n");
		if (c != 'n')
			return command_bad_option(argv, optind, options);
		if (!use_softnpu(&d, optarg, softnpu))
			return COMMAND_MISUSE;
	}
	return examine(&d, argv[optind]);
}
