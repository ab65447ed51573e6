/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which report file is this process' own.  Several processes may be given one
 * path: the first to create PATH.part has it, the others write beside it with
 * their process id in the name.  What an earlier, unrelated run left behind is
 * replaced; what another process of this run wrote never is.
 */
#ifndef INTERPOSE_REPORT_LOCK_H
#define INTERPOSE_REPORT_LOCK_H

#include "interpose/common/output_file.h"

enum report_lock { REPORT_LOCK_TAKEN, REPORT_LOCK_FAILED };

/*
 * wanted: the absolute path, already expanded.  On success *journal is the
 * created, empty journal and report[] the path of the report to be.  On
 * failure errno says why.
 */
enum report_lock report_lock_take(
	const char *wanted, const char *job, struct out_file *journal, char report[OUT_PATH_MAX]);

/* Path of report with ".<number>" before its extension; used by readers too. */
bool report_path_variant(const char *wanted, unsigned long number, unsigned attempt, char out[OUT_PATH_MAX]);

#endif
