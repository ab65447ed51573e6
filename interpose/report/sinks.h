/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where findings and calls go.  The life-cycle code calls these; the sinks
 * (terminal, journal, trace) are behind them.  None may raise, exit, or write
 * into a descriptor it did not open for this very record.
 */
#ifndef INTERPOSE_SINKS_H
#define INTERPOSE_SINKS_H

#include "checks/checks.h"

/* First acl call of this process (or of a forked child): start record of the journal. */
void sink_begin(void);

/* One finding, already decided to be shown; takes the stack if f->stack is 0. False: the run has ended. */
bool sink_finding(const struct acl_finding *f);

/* A fault was injected at a new place (number from injected_note()). */
void sink_injected(unsigned place);

/* Is the marked word of a call stack in this function ("name", may end in *), in this file ("copy.cpp"), on
 * this line ("copy.cpp#42")?  Waits for the symboliser. */
bool sink_place_is(uint64_t word, const char *where);

/* The process ends (exit, _exit, quick_exit, before exec): end record, summary, verdict. Idempotent. */
void sink_end(struct checks *c, enum checks_end kind);

/* An exec that sink_end announced did not happen: the run goes on. */
void sink_resume(void);

/* In the child after fork. */
void sink_forked(void);

#endif
