/* SPDX-License-Identifier: Apache-2.0 */
/* What an event of the trace provider records of a function: the fields of its entry and of its exit. */
#ifndef GEN_TRACE_FIELDS_H
#define GEN_TRACE_FIELDS_H

#include "emit.h"

/*
 * Names that fields of calls use beside those of parameters; a parameter of
 * that name would make two fields of one name.
 */
#define TRACE_PREFIX "call_"

/* Enums whose names the fields printed so far refer to; one flag per type of the model. */
struct trace_enums {
	bool *used;
};

/* Fields of all inputs, and of the outputs with the result: one macro of tracepoints/fields.h a line. */
void trace_inputs(FILE *f, const struct model *m, const struct function *fn, struct trace_enums *enums);
void trace_outputs(FILE *f, const struct model *m, const struct function *fn, struct trace_enums *enums);

/* Whether fields of inputs are those of a copy: struct acl_open_NAME, "copied", filled from "a". */
bool trace_copies(const struct function *fn);
void trace_print_copies(FILE *f, const struct function *fn);
void trace_print_copying(FILE *f, const struct function *fn);

#endif
