/* SPDX-License-Identifier: Apache-2.0 */
/* The checkout that sources belong to: paths relative to it, and its revision. */
#include "tools/aclcheck/report/report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

/* CI services say where they checked out. */
static const char *const root_variables[] = {"GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE"};
static const char *const revision_variables[] = {"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"};

/* The nearest directory at or above path that holds ".git"; path is cut there. */
static bool find_above(char *path)
{
	char probe[PATH_MAX + 8], *slash;

	for (;;) {
		snprintf(probe, sizeof(probe), "%s/.git", path);
		if (!access(probe, F_OK))
			return true;
		slash = strrchr(path, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
}

const char *repository_root(void)
{
	static char root[PATH_MAX];
	static bool known;

	if (known)
		return root;
	known = true;
	for (unsigned i = 0; i < sizeof(root_variables) / sizeof(*root_variables); i++) {
		const char *said = getenv(root_variables[i]);

		if (said && *said == '/' && said[1] && strlen(said) < sizeof(root)) {
			strcpy(root, said);
			while (root[strlen(root) - 1] == '/')
				root[strlen(root) - 1] = '\0';
			return root;
		}
	}
	if (!getcwd(root, sizeof(root)) || !find_above(root))
		root[0] = '\0';
	return root;
}

/* A report is often read elsewhere than in the checkout: then the file's own place decides. */
static const char *own_root(const char *file)
{
	static char last[PATH_MAX];
	size_t n = strlen(last);

	if (n && !strncmp(file, last, n) && file[n] == '/')
		return last;
	if (strlen(file) >= sizeof(last))
		return "";
	strcpy(last, file);
	if (!find_above(last))
		last[0] = '\0';
	return last;
}

const char *repository_path(const char *file)
{
	const char *root = repository_root();
	size_t n = strlen(root);

	if (*file != '/')
		return strncmp(file, "./", 2) ? file : file + 2;
	if (!n || strncmp(file, root, n) != 0 || file[n] != '/') {
		root = own_root(file);
		n = strlen(root);
	}
	return n && file[n] == '/' ? file + n + 1 : file;
}

/* First line of a file below a directory. */
static bool first_line(const char *directory, const char *name, char *line, size_t size)
{
	char path[2 * PATH_MAX];
	bool good = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "re");
	if (f) {
		good = fgets(line, (int)size, f) != NULL;
		line[good ? strcspn(line, "\r\n") : 0] = '\0';
		fclose(f);
	}
	return good;
}

/* "<revision> refs/heads/main" in the list of those that have no file of their own. */
static bool packed(const char *git, const char *name, char *revision)
{
	char path[2 * PATH_MAX], line[1024], found[512];
	bool good = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/packed-refs", git);
	f = fopen(path, "re");
	while (f && !good && fgets(line, sizeof(line), f))
		good = sscanf(line, "%64s %511s", revision, found) == 2 && !strcmp(found, name);
	if (f)
		fclose(f);
	return good;
}

static bool is_revision(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n >= 7 && n <= 64 && !s[n];
}

const char *repository_revision(void)
{
	static char revision[65];
	char git[PATH_MAX + 8], head[1024];

	for (unsigned i = 0; i < sizeof(revision_variables) / sizeof(*revision_variables); i++) {
		const char *said = getenv(revision_variables[i]);

		if (said && is_revision(said))
			return said;
	}
	if (!*repository_root())
		return "";
	snprintf(git, sizeof(git), "%s/.git", repository_root());
	/* Of a worktree it is a file that names the directory. */
	if (first_line(repository_root(), ".git", head, sizeof(head)) && !strncmp(head, "gitdir: /", 9))
		snprintf(git, sizeof(git), "%.4000s", head + 8);
	if (!first_line(git, "HEAD", head, sizeof(head)))
		return "";
	if (strncmp(head, "ref: ", 5) != 0)
		snprintf(revision, sizeof(revision), "%.64s", head);
	else if (!first_line(git, head + 5, revision, sizeof(revision)) && !packed(git, head + 5, revision))
		return "";
	return is_revision(revision) ? revision : "";
}
