/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of programs started without the checker. Nothing here allocates or locks. */
#include "interpose/process/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/tool_open.h"
#include "interpose/common/compiler.h"
#include "interpose/config/job_identity.h"
#include "interpose/common/preloadable.h"
#include "interpose/common/write_signals.h"
#include "interpose/config/run_settings.h"
#include "interpose/common/text.h"
#include "interpose/stack/tool_stack.h"

#define COMMANDS_MAX 16 /* of a shell's line */

static char notes[PATH_MAX]; /* "" = they are not read */

void process_tree_early(void)
{
	const char *pattern = settings_given("CHILDREN");
	struct text t;

	text_init(&t, notes, sizeof(notes));
	if (pattern && *pattern == '/')
		identity_expand(&t, pattern);
	if (t.cut)
		notes[0] = '\0';
}

NO_SANITIZE static const char *value_in(char *const envp[], const char *name)
{
	size_t n = strlen(name);

	for (; envp && *envp; envp++)
		if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
			return *envp + n + 1;
	return "";
}

NO_SANITIZE static bool is_checked(char *const envp[])
{
	return strstr(value_in(envp, "LD_PRELOAD"), "libaclcheck.so") != NULL;
}

NO_SANITIZE static void append(const char *path, const char *libraries, const char *why)
{
	char record[2 * PATH_MAX + 64], cwd[PATH_MAX];
	struct write_signals quiet;
	struct text t;
	int fd;

	text_init(&t, record, sizeof(record));
	text_uint(&t, (uint64_t)getpid());
	text_char(&t, '\0');
	if (*path != '/' && getcwd(cwd, sizeof(cwd))) {
		text_str(&t, cwd);
		text_char(&t, '/');
	}
	text_put(&t, path, strlen(path) + 1);
	text_put(&t, libraries, strlen(libraries) + 1);
	text_put(&t, why, strlen(why) + 1);
	fd = t.cut ? -1 : tool_open(notes, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NOCTTY, 0666);
	if (fd < 0)
		return;
	if (write_signals_hold(&quiet)) {
		if (write(fd, record, t.len) < 0)
			errno = 0; /* the run's own directory is full or gone: its reports will say so */
		write_signals_release(&quiet);
	}
	close(fd);
}

NO_SANITIZE static void note(const char *program, bool search, char *const envp[])
{
	char path[PATH_MAX], loaded[PATH_MAX];
	enum preloadable answer;

	if (search ? !program_find(program, path, sizeof(path)) : strlen(program) >= sizeof(path))
		return;
	if (!search)
		strcpy(path, program);
	if (access(path, X_OK))
		return; /* a shell trying the directories of PATH */
	if (!is_checked(envp)) {
		append(path, value_in(envp, "LD_LIBRARY_PATH"), "environment");
		return;
	}
	strcpy(loaded, path);
	answer = preloadable(loaded, sizeof(loaded));
	/* No runtime is ever mapped into those. */
	if (answer && answer != PRELOADABLE_NOT_STATIC && answer != PRELOADABLE_NOT_32_BIT)
		append(path, value_in(envp, "LD_LIBRARY_PATH"), "program");
}

/* The word a command of a shell's line begins with, quotes taken off; returns what follows it. */
NO_SANITIZE static const char *first_word(const char *s, char *word, size_t cap)
{
	size_t n;

	s += strspn(s, " \t({");
	if (*s == '"' || *s == '\'') {
		char quote[2] = {*s++, '\0'};

		n = strcspn(s, quote);
	} else {
		n = strcspn(s, " \t;|&()\n");
	}
	n = n < cap ? n : 0;
	memcpy(word, s, n);
	word[n] = '\0';
	return s + n;
}

/* A shell without the checker notes nothing itself: what its line names is noted here. */
NO_SANITIZE static void note_line(const char *line, char *const envp[])
{
	char word[512];

	for (unsigned i = 0; i < COMMANDS_MAX && *line; i++) {
		line = first_word(line, word, sizeof(word));
		if (!strcmp(word, "exec"))
			line = first_word(line, word, sizeof(word));
		if (*word)
			note(word, true, envp);
		line += strcspn(line, ";|&\n");
		line += strspn(line, ";|&\n");
	}
}

struct starting {
	const char *program;
	bool search;
	char *const *argv, *const *envp;
};

NO_SANITIZE static void note_all(void *starting)
{
	const struct starting *s = starting;

	note(s->program, s->search, s->envp);
	if (!is_checked(s->envp) && s->argv && s->argv[0] && s->argv[1] && s->argv[2] &&
		!strcmp(s->argv[1], "-c"))
		note_line(s->argv[2], s->envp);
}

NO_SANITIZE void process_tree_note(const char *program, bool search, char *const argv[], char *const envp[])
{
	struct starting s = {program, search, argv, envp ? envp : environ};
	int saved = errno;

	if (*notes && program)
		tool_stack_run(note_all, &s);
	errno = saved;
}
