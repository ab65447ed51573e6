/* SPDX-License-Identifier: Apache-2.0 */
/* Holds back the signals of a write. */
#include "interpose/common/write_signals.h"

#include <errno.h>
#include <time.h>

bool write_signals_hold(struct write_signals *q)
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

void write_signals_release(struct write_signals *q)
{
	static const struct timespec now;
	int saved = errno;

	while (sigtimedwait(&q->ours, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &q->before, NULL);
	errno = saved;
}
