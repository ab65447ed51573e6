/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that holds the interpreter and its own Python code, frozen: embedded CODE ARGUMENTS.
 * CODE is what marshal makes of the compiled code, read here as it is not known before.
 */
#include <Python.h>
#include <stdio.h>

#define CODE_MOST 65536

static unsigned char code[CODE_MOST];
#define OTHERS 64

static struct _frozen modules[OTHERS + 2];

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
	size_t n, size;

	if (!file)
		return 2;
	size = fread(code, 1, sizeof(code), file);
	fclose(file);
	/* Before 3.11 the interpreter's own are in the same list. */
	for (n = 0; n < OTHERS && PyImport_FrozenModules && PyImport_FrozenModules[n].name; n++)
		modules[n + 1] = PyImport_FrozenModules[n];
	modules[0].name = "__main__";
	modules[0].code = code;
	modules[0].size = (int)size;
	PyImport_FrozenModules = modules;
	return Py_FrozenMain(argc - 1, argv + 1);
}
