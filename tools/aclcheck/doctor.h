/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of "aclcheck doctor". */
#ifndef ACLCHECK_DOCTOR_H
#define ACLCHECK_DOCTOR_H

#include <limits.h>

enum health { GOOD, LACKS, BAD };

struct doctor {
	enum health worst;
	const char *softnpu; /* "--softnpu…", NULL = the runtime that is found */
	char directory[PATH_MAX]; /* of files for a moment */
};

/* One line, and the remedy, NULL = none is needed. */
void doctor_say(
	struct doctor *d, enum health health, const char *what, const char *state, const char *remedy);
/* A file in the directory. */
void doctor_file(const struct doctor *d, const char *name, char path[PATH_MAX]);
/* This command with an argv ended by NULL; output of it to a file. The exit code, -1: it did not run. */
int doctor_run(char *const *argv, const char *output);

/* --- doctor_tools.c: what only some uses need ------------------------------ */

void doctor_recording(struct doctor *d);
void doctor_symbols(struct doctor *d);
void doctor_python(struct doctor *d);

#endif
