/* SPDX-License-Identifier: Apache-2.0 */
/* Prints SETTINGS.md from settings.def. */
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
	"runtime writes nothing anywhere.\n"
	"\n"
	"| variable | default | meaning |\n"
	"|---|---|---|\n";

static const char strict_api[] =
	"\n"
	"## Functions that a release lacks\n"
	"\n"
	"`softnpu/libascendcl.so` has every function of the newest release, whatever `SOFTNPU_CANN` says. A "
	"symbol table\n"
	"cannot change once a library is loaded, so the strict switch is which library is loaded: "
	"`softnpu/8.5/libascendcl.so`\n"
	"(8.1, 8.5, 9.0, 9.1, 9.2) lacks what that release lacks (dlsym answers NULL, a linked call fails to "
	"resolve)\n"
	"and its `SOFTNPU_CANN` defaults to that release. Put the directory into `LD_LIBRARY_PATH`.\n"
	"\n"
	"## What is different from a device\n"
	"\n"
	"- Devices use the host's addresses: `aclrtHostRegister` gives back the address it was given.\n"
	"- Keys for other processes (memory, notifies, events) work among processes of one user on one "
	"machine.\n"
	"- A child of fork begins as a process that has made no call.\n"
	"- Caches are coherent, nothing overflows, memory has no faults.\n"
	"- A lost device (`SOFTNPU_LOST_DEVICE`) still answers what needs no device: memory, copies by the "
	"host, "
	"objects.\n"
	"- A product decides as on the device: groups want `SOFTNPU_SOC=Ascend310P3`, cache barriers "
	"`Ascend310B1`,\n"
	"  counting notifies `Ascend950PR`; elsewhere they answer 207000.\n"
	"- The runtime runs host functions itself: `aclrtProcessHostFunc` of a subscribed thread times out.\n"
	"- A reset or `aclrtDestroyContext` waits for its work; what nothing releases any more is dropped "
	"once nothing\n"
	"  at all went on for a second. The device would wait for ever.\n"
	"- Models in files, operators by name, queues, profiling and dumps (`aclmdlLoad…`, `aclop…`, "
	"`acltdt…`, "
	"`aclprof…`) link\n  and answer 207000, NULL or 0.\n"
	"- Functions without a public implementation answer 207000: `aclrtTaskUpdateAsync` of a valid task,\n"
	"  `aclrtMemMapSelectedLink`, atomic capabilities, addresses and attributes of kernels, repairs.\n";

static void print_settings(void)
{
	fputs(introduction, stdout);
#define SETTING(field, env, kind, def, min, max, help)                                                       \
	printf("| `%s` | %s%s%s | %s |\n", env, *(def) ? "`" : "", def, *(def) ? "`" : "", help);
#include "tools/softnpu/settings.def"
#undef SETTING
	fputs(strict_api, stdout);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "settings"))
		print_settings();
	else
		return fputs("usage: softnpu-print settings\n", stderr), 2;
	return 0;
}
