/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck.h - what libaclcheck.so offers to programs and debuggers.
 *
 * A program need not include or link anything to be checked:
 *	LD_PRELOAD=libaclcheck.so ./app
 */
#ifndef ACLCHECK_H
#define ACLCHECK_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called by the tool at each finding it shows, on the thread that made the
 * call, before the call is forwarded (or after it, for findings that need the
 * result).  Does nothing; made for `break aclcheck_break` in a debugger.
 */
void aclcheck_break(void);

/* Version of the loaded library, "0.1.0"; static storage. */
const char *aclcheck_version(void);

#ifdef __cplusplus
}
#endif

#endif
