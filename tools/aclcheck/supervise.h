/* SPDX-License-Identifier: Apache-2.0 */
/* Running the program as a child: signals pass through, time is limited, descendants are waited for. */
#ifndef TOOLS_ACLCHECK_SUPERVISE_H
#define TOOLS_ACLCHECK_SUPERVISE_H

#include <stdbool.h>

struct supervised {
	int status; /* of waitpid */
	bool timed_out;
	unsigned left; /* processes that outlived the program and were not waited for */
	int exec_error; /* errno of the failed exec, 0 = it ran */
};

struct uncovered;

/* timeout in seconds, 0 = none; u: to be looked for meanwhile, may be NULL. False: no child could be made. */
bool supervise(char **argv, unsigned timeout, struct uncovered *u, struct supervised *out);

#endif
