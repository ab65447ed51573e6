/* SPDX-License-Identifier: Apache-2.0 */
/* Prints SETTINGS.md and the middle of softnpu(7) from settings.def. */
#include <stdio.h>
#include <string.h>

static const char introduction[] =
	"<!-- Printed by softnpu-print settings from settings.def; do not edit. -->\n"
	"# Settings of softnpu, the software runtime\n"
	"\n"
	"They are read once, at the first call of the process. Of a value that cannot be read, and of an "
	"unknown\n"
	"`SOFTNPU_…`, one line on stderr says so, and the default holds. Sizes take K, M, G or T. With "
	"nothing "
	"set the\n"
	"runtime writes nothing anywhere. `ASCEND_RT_VISIBLE_DEVICES` is read as CANN's runtime reads it: of "
	"these\n"
	"devices the process sees those that are listed, and what is set is about the devices of the "
	"machine.\n"
	"\n"
	"| variable | default | meaning |\n"
	"|---|---|---|\n";

static const char strict_api[] =
	"`softnpu/libascendcl.so` has every function of the newest release, whatever `SOFTNPU_CANN` says. A "
	"symbol table cannot change once a library is loaded, so the strict switch is which library is "
	"loaded: "
	"`softnpu/8.5/libascendcl.so` (8.1, 8.5, 9.0, 9.1, 9.2) lacks what that release lacks (dlsym answers "
	"NULL, "
	"a linked call fails to resolve) and its `SOFTNPU_CANN` defaults to that release. Put the directory "
	"into "
	"`LD_LIBRARY_PATH`.";

static const char *const differences[] = {
	"Devices use the host's addresses: `aclrtHostRegister` gives back the address it was "
	"given.",
	"Keys for other processes (memory, notifies, events) work among processes of one user on "
	"one machine, for those that the exporter lets import.",
	"A child of fork begins as a process that has made no call.",
	"The runtime's threads take no signals, the device's runtime has the program's mask there: a process "
	"whose main thread called `pthread_exit` and that has no other thread of its own is ended by "
	"SIGKILL only.",
	"Caches are coherent, nothing overflows, memory has no faults.",
	"A lost device (`SOFTNPU_LOST_DEVICE`) still answers what needs no device: memory, copies "
	"by the host, objects.",
	"A product decides as on the device: groups want `SOFTNPU_SOC=Ascend310P3`, cache "
	"barriers `Ascend310B1`, counting notifies `Ascend950PR`; elsewhere they answer 207000. "
	"SIMT kernels want `Ascend950PR`, too, and are refused with 107000 elsewhere.",
	"A reset or `aclrtDestroyContext` waits for its work; what nothing releases any more is "
	"dropped once nothing at all went on for a second. The device would wait for ever.",
	"Models in files, operators by name, queues, profiling and dumps (`aclmdlLoad…`, "
	"`aclop…`, `acltdt…`, `aclprof…`) link and answer 207000, NULL or 0. Wrong arguments "
	"of the first three are refused as published, mostly with 100000; buffers of queues "
	"answer 200006 as in every program on the host.",
	"Functions without a public implementation answer 207000: `aclrtTaskUpdateAsync` of a "
	"valid task, `aclrtMemMapSelectedLink`, repairs.",
};

static const struct {
	const char *env, *def, *help;
} settings[] = {
#define SETTING(field, env, kind, def, min, max, help) {env, def, help},
#include "tools/softnpu/core/settings.def"
#undef SETTING
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void print_settings(void)
{
	fputs(introduction, stdout);
	for (unsigned i = 0; i < COUNT(settings); i++)
		printf("| `%s` | %s%s%s | %s |\n", settings[i].env, *settings[i].def ? "`" : "",
			settings[i].def, *settings[i].def ? "`" : "", settings[i].help);
	printf("\n## Functions that a release lacks\n\n%s\n\n## What is different from a device\n\n",
		strict_api);
	for (unsigned i = 0; i < COUNT(differences); i++)
		printf("- %s\n", differences[i]);
}

/* Text of the manual page: without the marks of the other document, and no line begins with a request. */
static void print_roff(const char *text)
{
	for (; *text; text++)
		if (*text == '-' || *text == '\\')
			printf("\\%c", *text);
		else if (*text != '`')
			putchar(*text);
	putchar('\n');
}

/* The middle of softnpu(7). */
static void print_man(void)
{
	puts(".SH ENVIRONMENT");
	for (unsigned i = 0; i < COUNT(settings); i++) {
		printf(".TP\n.BR %s", settings[i].env);
		if (*settings[i].def)
			printf(" \" (\" %s )", settings[i].def);
		putchar('\n');
		print_roff(settings[i].help);
	}
	puts(".SH FUNCTIONS THAT A RELEASE LACKS");
	print_roff(strict_api);
	puts(".SH WHAT IS DIFFERENT FROM A DEVICE");
	for (unsigned i = 0; i < COUNT(differences); i++) {
		puts(".IP \\(bu 2");
		print_roff(differences[i]);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "settings"))
		print_settings();
	else if (argc == 2 && !strcmp(argv[1], "man"))
		print_man();
	else
		return fputs("usage: softnpu-print settings|man\n", stderr), 2;
	return 0;
}
