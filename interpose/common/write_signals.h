/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing without the signals that writing may raise: SIGPIPE at a pipe
 * without reader, SIGXFSZ at the limit of file sizes.  The program did not write,
 * so it must not be hit: held back for this thread and taken away.
 */
#ifndef INTERPOSE_WRITE_SIGNALS_H
#define INTERPOSE_WRITE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct write_signals {
	sigset_t before, ours; /* ours: not pending before, so what is pending afterwards came from us */
};

/* False: nothing may be written. */
bool write_signals_hold(struct write_signals *q);
/* Keeps errno. */
void write_signals_release(struct write_signals *q);

#endif
