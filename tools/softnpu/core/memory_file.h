/* SPDX-License-Identifier: Apache-2.0 */
/* A file without a name, of which memory is mapped: several times, and by other processes. */
#ifndef SOFTNPU_MEMORY_FILE_H
#define SOFTNPU_MEMORY_FILE_H

/* Empty, closed on exec; -1 where there is no place for one. The name is for /proc only. */
int memory_file(const char *name);

#endif
