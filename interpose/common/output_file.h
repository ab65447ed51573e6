/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files the tool writes in the program: no descriptor survives a call.  A file
 * is known by device and inode; when something else stands at its path it is
 * lost and nothing is written.
 */
#ifndef INTERPOSE_OUTPUT_FILE_H
#define INTERPOSE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define OUT_PATH_MAX 4352

struct out_file {
	char path[OUT_PATH_MAX];
	dev_t dev;
	ino_t ino;
	off_t size; /* written so far: inode numbers are reused at once, sizes hardly match too */
};

/* Creates a file that was not there (errno EEXIST else). */
bool out_file_create(struct out_file *f, const char *path, mode_t mode);
/* One write() at the end; false when the file is gone or the disk is full (errno says). */
bool out_file_append(struct out_file *f, const char *data, size_t size);

#endif
