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
	char uncovered[256]; /* a process that used a runtime without the checker, "" = none was seen */
};

/* timeout in seconds, 0 = none. False: no child could be made. */
bool supervise(char **argv, unsigned timeout, struct supervised *out);

#endif
