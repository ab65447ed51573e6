/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fstat, stat and lstat by system call: as functions they got a new version in
 * glibc 2.33, which would keep the library from loading on older systems.
 * On 64-bit x86 and Arm the kernel's structure is the C library's.
 */
#ifndef INTERPOSE_FILE_STATUS_H
#define INTERPOSE_FILE_STATUS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int filestat_fd(int fd, struct stat *st)
{
	return (int)syscall(SYS_fstat, fd, st);
}

static inline int filestat_path(const char *path, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

static inline int filestat_link(const char *path, struct stat *st)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

#endif
