/* SPDX-License-Identifier: Apache-2.0 */
/* What an error of a system call on files means, without the C library's catalogues: those allocate and lock.
 */
#ifndef INTERPOSE_ERRNO_TEXT_H
#define INTERPOSE_ERRNO_TEXT_H

const char *errno_text(int error);

#endif
