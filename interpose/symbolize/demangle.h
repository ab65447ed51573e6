/* SPDX-License-Identifier: Apache-2.0 */
/* C++ names as their language writes them. */
#ifndef INTERPOSE_DEMANGLE_H
#define INTERPOSE_DEMANGLE_H

/* The name itself when it is none of C++, too long, or there is no memory; else a string that stays. */
const char *demangle(const char *name);

#endif
