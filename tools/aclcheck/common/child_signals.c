/* SPDX-License-Identifier: Apache-2.0 */
/* SIGCHLD as it was when the command was started. */
#include <signal.h>

#include "tools/aclcheck/common/command.h"

static bool ignored;

void child_signals_heed(void)
{
	struct sigaction old;

	ignored = !sigaction(SIGCHLD, NULL, &old) && old.sa_handler == SIG_IGN;
	if (ignored)
		signal(SIGCHLD, SIG_DFL);
}

void child_signals_restore(void)
{
	if (ignored)
		signal(SIGCHLD, SIG_IGN);
}
