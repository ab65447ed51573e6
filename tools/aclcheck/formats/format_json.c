/* SPDX-License-Identifier: Apache-2.0 */
/* The report itself. */
#include "tools/aclcheck/formats/formats.h"

void print_json(FILE *to, const json_t *report)
{
	json_dumpf(report, to, JSON_INDENT(1) | JSON_ENCODE_ANY);
	fputc('\n', to);
}
