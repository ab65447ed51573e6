/* SPDX-License-Identifier: Apache-2.0 */
/* gen/wrappers.c: one exported function per wrapped function, see interpose/call/wrapper_entry.h and call.h.
 */
#include <string.h>

#include "emit.h"

static const char *result_member(const struct function *fn)
{
	if (fn->ret_ref.stars || (fn->ret_ref.type && fn->ret_ref.type->kind == TYPE_HANDLE))
		return "p";
	return fn->ret[0] == 'u' ? "u" : "i";
}

static void print_real_call(FILE *f, const struct function *fn, const char *prefix)
{
	fprintf(f, "REAL(%s)(", fn->name);
	emit_args(f, fn, prefix);
	fputc(')', f);
}

static void print_wrapper(FILE *f, const struct function *fn, unsigned index)
{
	char checked[128];

	snprintf(checked, sizeof(checked), "checked_%s", fn->name);
	fprintf(f, "\nACL_ENTRY(%s, %u);\nACL_CHECKED ", fn->name, index);
	emit_prototype(f, fn, checked);
	fprintf(f, "\n{\n\tstruct acl_args_%s a = { ", fn->name);
	emit_args(f, fn, "");
	fprintf(f, "%s };\n\tstruct acl_call call;\n\t", fn->n_params ? "" : "0");
	emit_decl(f, fn->ret, "ret");
	fprintf(f, ";\n\n\tif (!acl_call_begin(&call, ACL_API_%s, &a, __builtin_return_address(0)))\n",
		fn->name);
	fputs("\t\treturn ", f);
	if (!strcmp(fn->ret, "aclError"))
		fputs("call.answered ? (aclError)call.event.result.i : ", f);
	fprintf(f, "acl_real[ACL_API_%s] ? ", fn->name);
	print_real_call(f, fn, "a.");
	fprintf(f, " : %s;\n\tret = ", missing_result(fn));
	print_real_call(f, fn, "a.");
	fprintf(f, ";\n\tcall.event.result.%s = ret;\n\tacl_call_end(&call);\n\treturn ret;\n}\n",
		result_member(fn));
}

void print_wrappers(const struct model *m)
{
	FILE *f = emit_open(m, "gen/wrappers.c", "what the program calls instead of the runtime");

	fputs("#include <stddef.h>\n\n#include \"interpose/call/wrapper_entry.h\"\n\n", f);
	fputs("/* Forwarding is no use of a function: the program was warned when it was compiled. */\n", f);
	fputs("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n", f);
	fputs("#define REAL(function) ((__typeof__(&function))acl_real[ACL_API_##function])\n\n", f);
	fputs("/*\n * Parameters that an older runtime or program does not know (aclrtSnapShotProcess* took\n"
	      " * none before CANN 9.1) are forwarded as found: they travel in registers that the\n"
	      " * other side ignores, on x86-64 as on AArch64. They may not be followed as pointers.\n */\n",
		f);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		print_wrapper(f, m->wrapped[i], i);
	emit_close(f);
}
