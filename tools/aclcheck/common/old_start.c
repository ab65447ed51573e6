/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the C library starts the command. Since glibc 2.34 the linked start code asks for a new version, to
 * which it leaves the constructors; the old version has to be told of them. The linker puts this in its place
 * (--wrap).
 */
#include "aclcheck/old_glibc.h"

#ifdef OLD_GLIBC

typedef int main_function(int, char **, char **);
typedef void start_function(int, char **, char **);

extern start_function *first_constructor[] __asm__("__init_array_start")
	__attribute__((visibility("hidden")));
extern start_function *behind_constructors[] __asm__("__init_array_end")
	__attribute__((visibility("hidden")));

int old_start(main_function *main, int argc, char **argv, start_function *init, void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end);
__asm__(".symver old_start, __libc_start_main@" OLD_GLIBC);

static void run_constructors(int argc, char **argv, char **environment)
{
	for (start_function **f = first_constructor; f < behind_constructors; f++)
		(*f)(argc, argv, environment);
}

int start_as_before(main_function *main, int argc, char **argv, start_function *init, void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end) __asm__("__wrap___libc_start_main");

int start_as_before(main_function *main, int argc, char **argv, start_function *init, void (*fini)(void),
	void (*rtld_fini)(void), void *stack_end)
{
	/* Start code of an older C library brings its own. */
	return old_start(main, argc, argv, init ? init : run_constructors, fini, rtld_fini, stack_end);
}

#endif
