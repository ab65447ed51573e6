/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a command with fewer system calls: confined docker|kernel-4.19 COMMAND…
 * docker answers as the default seccomp profile does, with what its older versions refused as well
 * (reading another process's memory).  kernel-4.19 answers as if the calls of later kernels did
 * not exist, and memfd_create neither, which kernels may be built without.
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NEWEST_OF_4_19 423 /* all later calls have the same numbers on every machine, from here on */
#define NEWEST_POSSIBLE 511 /* those of x32 follow */

static const char *const refused_by_docker[] = {"acct", "add_key", "bpf", "clock_adjtime", "clock_settime",
	"delete_module", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "get_mempolicy",
	"init_module", "io_uring_enter", "io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp",
	"kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie", "mbind", "migrate_pages", "mount",
	"mount_setattr", "move_mount", "move_pages", "name_to_handle_at", "nfsservctl", "open_by_handle_at",
	"open_tree", "perf_event_open", "pivot_root", "process_vm_readv", "process_vm_writev", "ptrace",
	"quotactl", "reboot", "request_key", "set_mempolicy", "setdomainname", "sethostname", "setns",
	"settimeofday", "swapoff", "swapon", "sysfs", "syslog", "umount2", "unshare", "userfaultfd", "ustat",
	"vhangup"};

#define NEW_NAMESPACES 0x7e020000

static int refuse(scmp_filter_ctx filter, int call, int error)
{
	return call == __NR_SCMP_ERROR ? 0
				       : seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)error), call, 0);
}

static int add_docker(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(refused_by_docker) / sizeof(*refused_by_docker) && !rc; i++)
		rc = refuse(filter, seccomp_syscall_resolve_name(refused_by_docker[i]), EPERM);
	/* Its flags are in memory, where a filter cannot read them: glibc then takes clone. */
	if (!rc)
		rc = refuse(filter, SCMP_SYS(clone3), ENOSYS);
	for (unsigned long bit = 1; bit <= NEW_NAMESPACES && !rc; bit <<= 1)
		if (bit & NEW_NAMESPACES)
			rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, bit, bit));
	/* Without address randomisation, as debuggers ask for it. */
	if (!rc)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1,
			SCMP_A0(SCMP_CMP_EQ, 0x40000));
	return rc;
}

static int add_kernel_4_19(scmp_filter_ctx filter)
{
	int rc = refuse(filter, SCMP_SYS(memfd_create), ENOSYS);

	for (int call = NEWEST_OF_4_19 + 1; call <= NEWEST_POSSIBLE && !rc; call++)
		rc = refuse(filter, call, ENOSYS);
	return rc;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc;

	if (argc < 3 || !filter)
		return 99;
	rc = !strcmp(argv[1], "docker") ? add_docker(filter) : add_kernel_4_19(filter);
	if (!rc)
		rc = seccomp_load(filter);
	if (rc) {
		fprintf(stderr, "confined: no filter: %s\n", strerror(-rc));
		return 77;
	}
	seccomp_release(filter);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 99;
}
