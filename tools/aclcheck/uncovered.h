/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes below that use a runtime without the checker.  Found in two ways:
 * by the notes of those that start them, which name every program that is
 * linked with a runtime; and by looking at what the processes have mapped, for
 * those that open one later.  Looking begins anew whenever a process opens a
 * runtime's file.
 */
#ifndef TOOLS_ACLCHECK_UNCOVERED_H
#define TOOLS_ACLCHECK_UNCOVERED_H

#include <stdbool.h>
#include <stddef.h>

struct uncovered;

/* directory: where the notes are ("*.children"). */
struct uncovered *uncovered_new(const char *directory);
void uncovered_free(struct uncovered *u);

/* To be polled for input; -1 = there is nothing to wait for. */
int uncovered_fd(const struct uncovered *u);
/* When it is due to look again, at the latest; seconds of CLOCK_MONOTONIC. */
double uncovered_due(const struct uncovered *u);
/* Looks if it is time, or something happened. */
void uncovered_look(struct uncovered *u);
/* The end: notes that were not read yet. What was found first, "" = nothing. */
const char *uncovered_found(struct uncovered *u);

#endif
