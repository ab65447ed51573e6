/* SPDX-License-Identifier: Apache-2.0 */
/* Starting programs by other ways than exec: they are only noted, the run goes on. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/process/process_tree.h"
#include "interpose/runtime/libc_hooks.h"

#define SHELL "/bin/sh"

ACL_HOOK NO_SANITIZE int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	process_tree_note(path, false, argv, envp);
	return HOOK_REAL(posix_spawn)(pid, path, actions, attributes, argv, envp);
}

ACL_HOOK NO_SANITIZE int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	process_tree_note(file, true, argv, envp);
	return HOOK_REAL(posix_spawnp)(pid, file, actions, attributes, argv, envp);
}

NO_SANITIZE static void note_shell(const char *command)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};

	process_tree_note(SHELL, false, argv, environ);
}

ACL_HOOK NO_SANITIZE int system(const char *command)
{
	if (command)
		note_shell(command);
	return HOOK_REAL(system)(command);
}

ACL_HOOK NO_SANITIZE FILE *popen(const char *command, const char *type)
{
	note_shell(command);
	return HOOK_REAL(popen)(command, type);
}
