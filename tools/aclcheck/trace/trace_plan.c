/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffer sizes: LTTng makes one ring per possible CPU in /dev/shm, whatever
 * the program uses.  All together get a quarter of what is free there, so that
 * a program's own shared memory (and a second recording) still fits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define SUB_BUFFERS 8
#define SMALLEST 4096u
#define LARGEST (8u << 20) /* larger ones only make the start slower */
/* Of a ring beside its sub-buffers and the one that is read, and of the description of all events. */
#define RING_MORE (24u << 10)
#define FACTS (256u << 10)
#define MOST (4ull << 30) /* of all together, unless asked for more */

/* "0-191": the highest number counts, holes are made rings for as well. */
static unsigned possible_cpus(void)
{
	const char *simulated = getenv("ACLCHECK_SIMULATE_CPUS");
	FILE *f = simulated ? NULL : fopen("/sys/devices/system/cpu/possible", "re");
	unsigned first = 0, last = 0, most = 0;
	char separator;

	if (simulated)
		return (unsigned)strtoul(simulated, NULL, 10);
	if (!f)
		return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	while (fscanf(f, "%u", &first) == 1) {
		last = first;
		if (fscanf(f, "-%u", &last) == 1 && last < first)
			last = first;
		most = last + 1 > most ? last + 1 : most;
		if (fscanf(f, "%c", &separator) != 1 || separator != ',')
			break;
	}
	fclose(f);
	return most ? most : (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

static uint64_t free_shm(void)
{
	const char *simulated = getenv("ACLCHECK_SIMULATE_SHM");
	struct statvfs s;

	if (simulated)
		return trace_size(simulated);
	if (statvfs("/dev/shm", &s))
		return 0;
	return (uint64_t)s.f_bavail * s.f_frsize;
}

/* LTTng itself finds out when the program calls for the first time, and records nothing then. */
static bool fits(const struct trace_plan *plan, char *why, size_t why_size)
{
	uint64_t all = plan->cpus * (plan->size * (plan->count + 1) + RING_MORE) + FACTS;

	if (all <= plan->shm)
		return true;
	snprintf(why, why_size,
		"/dev/shm has %s free, buffers of %u CPUs as large as that need %s: say less, or make it "
		"larger",
		bytes_text(plan->shm), plan->cpus, bytes_text(all));
	return false;
}

bool trace_plan(struct trace_plan *plan, uint64_t total, char *why, size_t why_size)
{
	const bool given = total;
	uint64_t ring;

	/* Its daemon then says that memory is short. */
	if (access("/proc/meminfo", R_OK)) {
		snprintf(why, why_size, "/proc/meminfo cannot be read, which LTTng needs: mount /proc");
		return false;
	}
	plan->cpus = possible_cpus();
	plan->shm = free_shm();
	if (!plan->cpus)
		plan->cpus = 1;
	if (!total)
		total = plan->shm / 4 < MOST ? plan->shm / 4 : MOST;
	ring = total / plan->cpus;
	plan->count = SUB_BUFFERS;
	while (plan->count > 2 && ring / plan->count < SMALLEST)
		plan->count /= 2;
	for (plan->size = SMALLEST; plan->size < LARGEST && plan->size * 2 * plan->count <= ring;)
		plan->size *= 2;
	if (plan->size * plan->count <= ring)
		return fits(plan, why, why_size);
	if (given)
		snprintf(why, why_size, "%s is too little for buffers of %u CPUs: %s needed in all",
			bytes_text(total), plan->cpus, bytes_text((uint64_t)plan->cpus * 2 * SMALLEST));
	else
		snprintf(why, why_size,
			"/dev/shm has %s free; a quarter of it is too little for buffers of %u CPUs "
			"(%s needed in all): make it larger, or say --buffers",
			bytes_text(plan->shm), plan->cpus, bytes_text((uint64_t)plan->cpus * 2 * SMALLEST));
	return false;
}

uint64_t trace_size(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	unsigned shift = 0;

	if (end == text || *text == '-')
		return 0;
	switch (*end) {
	case 'k':
	case 'K':
		shift = 10;
		break;
	case 'm':
	case 'M':
		shift = 20;
		break;
	case 'g':
	case 'G':
		shift = 30;
		break;
	}
	end += shift != 0;
	return *end || n > UINT64_MAX >> shift ? 0 : n << shift;
}
