/* SPDX-License-Identifier: Apache-2.0 */
/* Host, rank and job of this process, from what launchers leave in the environment. */
#include "interpose/config/job_identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/host_name.h"
#include "interpose/common/run_socket.h"
#include "interpose/common/tool_open.h"
#include "interpose/config/run_settings.h"

/*
 * Open MPI, PMIx, MPICH and Intel MPI, Cray PALS, MVAPICH2, Slurm, torchrun, HCCL.  A launcher
 * of the torchrun kind is the innermost one: under it the others' variables are those of the node.
 */
static const char *const rank_variable[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID",
	"MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK", "RANK_ID"};
/* How many there are, from the same launcher; NULL: it does not say. */
static const char *const size_variable[] = {"OMPI_COMM_WORLD_SIZE", NULL, "PMI_SIZE", NULL,
	"MV2_COMM_WORLD_SIZE", "SLURM_NTASKS", "WORLD_SIZE", "RANK_SIZE"};
#define TORCHRUN 6

static int rank_of(const char *s)
{
	int v = 0;

	if (!s || !*s)
		return -1;
	for (; *s; s++) {
		if (!isdigit((unsigned char)*s) || v > 100000000)
			return -1;
		v = v * 10 + (*s - '0');
	}
	return v;
}

/* The launcher by which the process has a rank: its place in the tables, -1 = none. */
static int launcher(void)
{
	if (getauxval(AT_SECURE))
		return -1;
	if (getenv("LOCAL_RANK") && rank_of(getenv(rank_variable[TORCHRUN])) >= 0)
		return TORCHRUN;
	for (unsigned i = 0; i < sizeof(rank_variable) / sizeof(*rank_variable); i++)
		if (rank_of(getenv(rank_variable[i])) >= 0)
			return (int)i;
	return -1;
}

int identity_rank(void)
{
	int i = launcher();

	return i < 0 ? -1 : rank_of(getenv(rank_variable[i]));
}

int identity_ranks(void)
{
	int i = launcher(), n = i < 0 || !size_variable[i] ? -1 : rank_of(getenv(size_variable[i]));

	return n > 0 ? n : 0;
}

uint32_t identity_pid(void)
{
	return (uint32_t)getpid();
}

uint32_t identity_ppid(void)
{
	return (uint32_t)getppid();
}

int64_t identity_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec;
}

const char *identity_host(void)
{
	return host_name();
}

void identity_job(struct text *t)
{
	const char *job = settings_text(SETTING_JOB);
	/* A forked child that leaves them (daemon) is of the same run. Both are 0 where the kernel cannot
	 * name them: the process was put into a container whose processes do not see those that started it.
	 */
	static uint64_t session, group;
	static bool known;

	if (*job) {
		text_str(t, job);
		return;
	}
	if (!known) {
		group = (uint64_t)getpgid(0);
		session = (uint64_t)getsid(0);
		known = true;
	}
	text_fmt(t, "%s:%u:%u", identity_host(), session, group);
}

/* "run-4711-x7Yz" of aclcheck run: its process id, 0 for any other job. */
static long run_process(const char *job)
{
	return strncmp(job, RUN_JOB, strlen(RUN_JOB)) ? 0 : strtol(job + strlen(RUN_JOB), NULL, 10);
}

void identity_tag(struct text *t)
{
	long run = run_process(settings_text(SETTING_JOB));
	int rank = identity_rank();

	if (rank >= 0)
		text_fmt(t, "[rank %u] ", (uint64_t)(unsigned)rank);
	else if (run && getppid() != run)
		text_fmt(t, "[pid %u] ", (uint64_t)(unsigned)getpid());
}

void identity_expand(struct text *t, const char *pattern)
{
	int rank = identity_rank();

	for (; *pattern; pattern++) {
		if (*pattern != '%') {
			text_char(t, *pattern);
			continue;
		}
		switch (pattern[1]) {
		case 'p':
			text_uint(t, (uint64_t)getpid());
			break;
		case 'h':
			text_str(t, identity_host());
			break;
		case 'r':
			text_uint(t, rank >= 0 ? (uint64_t)rank : (uint64_t)getpid());
			break;
		case '%':
			text_char(t, '%');
			break;
		default:
			text_char(t, '%');
			continue;
		}
		pattern++;
	}
}

size_t identity_argv(char *out, size_t cap)
{
	int fd = tool_open("/proc/self/cmdline", O_RDONLY, 0);
	ssize_t n = 0;

	if (fd < 0)
		return 0;
	n = read(fd, out, cap);
	close(fd);
	return n > 0 ? (size_t)n : 0;
}
