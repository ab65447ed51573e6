/* SPDX-License-Identifier: Apache-2.0 */
/* Holds back the signals of a write. */
#include "interpose/quiet.h"

#include <errno.h>
#include <time.h>

bool quiet_begin(struct quiet *q)
{
	static const int raised[] = {SIGPIPE, SIGXFSZ};
	sigset_t set, pending;

	sigemptyset(&set);
	sigemptyset(&q->ours);
	sigemptyset(&pending);
	sigpending(&pending);
	for (unsigned i = 0; i < sizeof(raised) / sizeof(*raised); i++) {
		sigaddset(&set, raised[i]);
		if (sigismember(&pending, raised[i]) != 1)
			sigaddset(&q->ours, raised[i]);
	}
	return !sigprocmask(SIG_BLOCK, &set, &q->before);
}

void quiet_end(struct quiet *q)
{
	static const struct timespec now;
	int saved = errno;

	while (sigtimedwait(&q->ours, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &q->before, NULL);
	errno = saved;
}
