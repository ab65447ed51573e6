/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that passes pointers which lead nowhere to a runtime that refuses every
 * call: what crashes is the tool.  WILD_POINTERS WAY:
 *
 *	calls		every function, all pointers wild, numbers small and large
 *	forbidden	the same where process_vm_readv is not allowed
 *	stack		arguments on the stack, where no system call may read them
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl_api.h"
#include "aclcheck/model.h"

#define WILD_BYTES ((size_t)64 << 20)
#define DEVICE ((void *)0x120000000000)
#define HOST ((void *)0x7e0000000000)

int64_t test_invoke(unsigned api, const void *args);

static char *wild;

/* --- system calls -------------------------------------------------------------------------- */

/* From here on a system call ends so; with a first argument, only where it is that. */
static void forbid(unsigned number, const uint32_t *first, uint32_t end)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first ? *first : 0, 0, first ? 1 : 0),
		BPF_STMT(BPF_RET | BPF_K, end),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		puts("skip");
		_exit(0);
	}
}

/* --- calls ----------------------------------------------------------------------------------- */

static void fill(unsigned char *args, unsigned api, uint64_t number)
{
	const struct acl_api_info *info = &acl_apis[api];
	void *nowhere = wild + WILD_BYTES / 2;

	memset(args, 0, info->args_size);
	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		unsigned char *at = args + p->offset;

		if (p->kind == ACL_KIND_POINTER || p->kind == ACL_KIND_STRING)
			memcpy(at, &nowhere, sizeof(nowhere));
		else if (p->kind == ACL_KIND_INT || p->kind == ACL_KIND_UINT)
			memcpy(at, &number, p->size);
		else if (p->kind == ACL_KIND_STRUCT)
			for (size_t k = 0; k + sizeof(nowhere) <= p->size; k += sizeof(nowhere))
				memcpy(at + k, &nowhere, sizeof(nowhere));
	}
}

/* What ends the process, or waits, is not called. */
static bool left_out(unsigned api)
{
	return api == ACL_API_aclFinalize || api == ACL_API_aclFinalizeReference;
}

static int every_call(void)
{
	static const uint64_t numbers[] = {1, 3, UINT64_C(1) << 40};
	unsigned char args[512];

	wild = mmap(NULL, WILD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (wild == MAP_FAILED)
		return 1;
	aclInit(NULL);
	for (unsigned n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
		for (unsigned api = 0; api < acl_api_count; api++) {
			if (left_out(api))
				continue;
			fill(args, api, numbers[n]);
			/* Its name stays where it is when the call does not come back. */
			fprintf(stderr, "%s\n", acl_apis[api].name);
			test_invoke(api, args);
		}
	return 0;
}

/* --- arguments on the stack -------------------------------------------------------------------- */

/* On a runtime whose bodies are empty: where memory lies is what the program says. */
static void plain_calls(void)
{
	aclrtLaunchKernelAttr attr = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE};
	aclrtLaunchKernelCfg config = {&attr, 1};
	aclrtMemcpyBatchAttr batch = {.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
	void *dsts[40], *srcs[40], *arguments[4] = {0};
	size_t sizes[40], fail = 0, index = 0;

	for (unsigned i = 0; i < 40; i++) {
		dsts[i] = (char *)DEVICE + i * 4096;
		srcs[i] = (char *)HOST + i * 4096;
		sizes[i] = 64;
	}
	aclrtLaunchKernelV2((aclrtFuncHandle)&attr, 1, arguments, sizeof(arguments), &config, NULL);
	aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 40, &batch, &index, 1, &fail);
}

static int on_the_stack(void)
{
	static const uint32_t ask = UINT32_MAX; /* no way of setting a signal mask */
	void *device = DEVICE, *host = HOST;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&host, 1 << 20);
	plain_calls();
	forbid(SYS_process_vm_readv, NULL, SECCOMP_RET_KILL_PROCESS);
	forbid(SYS_rt_sigprocmask, &ask, SECCOMP_RET_KILL_PROCESS);
	plain_calls();
	/* The end of the process, and its report, is another matter. */
	if (write(1, "done\n", 5) == 5)
		syscall(SYS_exit_group, 0);
	return 1;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (!strcmp(way, "stack"))
		return on_the_stack();
	if (!strcmp(way, "forbidden"))
		forbid(SYS_process_vm_readv, NULL, SECCOMP_RET_ERRNO | EPERM);
	return every_call();
}
