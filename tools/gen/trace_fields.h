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
	bool error, host_class;
};

/*
 * Fields of all inputs, and of the outputs with the result, as arguments of
 * LTTNG_UST_TP_FIELDS; provider is the name the enums are declared under.
 */
void trace_inputs(FILE *f, const struct model *m, const struct function *fn, const char *provider,
	struct trace_enums *enums);
void trace_outputs(FILE *f, const struct model *m, const struct function *fn, const char *provider,
	struct trace_enums *enums);

/* Whether inputs or outputs are read through unverified pointers: then the event gets a copy. */
bool trace_opens_inputs(const struct function *fn);
bool trace_opens_outputs(const struct function *fn);

/* struct acl_open_NAME, and the statements that fill "copied" from "a". */
void trace_open_struct(FILE *f, const struct function *fn);
void trace_open_inputs(FILE *f, const struct function *fn);
void trace_open_outputs(FILE *f, const struct function *fn);

#endif
