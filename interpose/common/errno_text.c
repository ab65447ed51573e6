/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that opening, reading, writing and renaming give. */
#include "interpose/common/errno_text.h"

#include <errno.h>
#include <stddef.h>

const char *errno_text(int error)
{
	static const struct {
		int error;
		const char *text;
	} known[] = {
		{EPERM, "Operation not permitted"},
		{ENOENT, "No such file or directory"},
		{EIO, "Input/output error"},
		{ENXIO, "No such device or address"},
		{EBADF, "Bad file descriptor"},
		{EAGAIN, "Resource temporarily unavailable"},
		{ENOMEM, "Cannot allocate memory"},
		{EACCES, "Permission denied"},
		{EBUSY, "Device or resource busy"},
		{EEXIST, "File exists"},
		{EXDEV, "Invalid cross-device link"},
		{ENODEV, "No such device"},
		{ENOTDIR, "Not a directory"},
		{EISDIR, "Is a directory"},
		{EINVAL, "Invalid argument"},
		{ENFILE, "Too many open files in system"},
		{EMFILE, "Too many open files"},
		{ETXTBSY, "Text file busy"},
		{EFBIG, "File too large"},
		{ENOSPC, "No space left on device"},
		{ESPIPE, "Illegal seek"},
		{EROFS, "Read-only file system"},
		{EPIPE, "Broken pipe"},
		{ENAMETOOLONG, "File name too long"},
		{ELOOP, "Too many levels of symbolic links"},
		{ESTALE, "Stale file handle"},
		{EDQUOT, "Disk quota exceeded"},
		{EOVERFLOW, "Value too large for defined data type"},
		{ENOTSUP, "Operation not supported"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].error == error)
			return known[i].text;
	return "the system gave an error without a name here";
}
