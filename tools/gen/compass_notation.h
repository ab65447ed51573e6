/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms of XML in the templates of analyses for Trace Compass. */
#ifndef GEN_COMPASS_NOTATION_H
#define GEN_COMPASS_NOTATION_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the XML of a line that is a statement; false: it is none.  What cannot be read ends the process. */
bool compass_statement(FILE *out, const char *line);

#endif
