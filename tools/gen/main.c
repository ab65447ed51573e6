/* SPDX-License-Identifier: Apache-2.0 */
/* acl-gen MODEL OUTDIR RULES [HOOKS [COMPASS]]: prints everything that is made from the API model and the
 * rule table.
 */
#include <stdlib.h>

#include "emit.h"

/* A new output is a function here and a file of its own beside this one. */
static void (*const printers[])(const struct model *) = {
	print_headers,
	print_args,
	print_operations,
	print_accesses,
	print_tables,
	print_wrappers,
	print_export_map,
	print_softnpu_default,
	print_softnpu_entry,
	print_softnpu_exports,
	print_layout_test,
	print_cann_check,
	print_recorder,
	print_invoke,
	print_tracepoints,
	print_constraints,
	print_rules,
	print_compass,
};

int main(int argc, char **argv)
{
	struct model *m;

	if (argc < 4 || argc > 6) {
		fprintf(stderr, "usage: acl-gen MODEL OUTDIR RULES [HOOKS [COMPASS]]\n");
		return 2;
	}
	m = model_load(argv[1]);
	emit_root = argv[2];
	emit_rules = argv[3];
	emit_hooks = argv[4];
	emit_compass = argc > 5 ? argv[5] : NULL;
	for (size_t i = 0; i < sizeof(printers) / sizeof(printers[0]); i++)
		printers[i](m);
	return 0;
}
