/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's descriptors: it looks at them between calls, and takes numbers
 * that were free for files of its own.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl.h"

#define FILES 16

/* Which descriptors are open, and which number the next one gets. */
static void show(const char *when)
{
	int next = open("/dev/null", O_RDONLY);

	close(next);
	printf("%s: next %d, open", when, next);
	for (int fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	printf("\n");
	fflush(stdout);
}

/* Findings at several places. */
static void calls(void)
{
	aclInit(NULL);
	aclInit(NULL);
	aclrtFree((void *)0x1230);
	aclrtMemcpy(NULL, 1, NULL, 2, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void look(void)
{
	show("begin");
	calls();
	show("after findings");
	calls();
	show("after more");
}

/* What the program's own files hold after the calls is what it wrote. */
static void check_file(int fd, int i)
{
	char text[64] = "", should[64];
	struct stat st;

	snprintf(should, sizeof(should), "file %d", i);
	if (fstat(fd, &st) || st.st_size != (off_t)strlen(should) || lseek(fd, 0, SEEK_CUR) != st.st_size ||
		pread(fd, text, sizeof(text) - 1, 0) != st.st_size || strcmp(text, should))
		printf("file %d was changed: \"%s\"\n", i, text);
}

/* Call sites and a stack that are new. */
static void *new_calls(void *unused)
{
	(void)unused;
	aclInit(NULL);
	aclrtFree((void *)0x4560);
	aclrtMemcpy(NULL, 2, NULL, 4, ACL_MEMCPY_HOST_TO_DEVICE);
	return NULL;
}

static void in_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, new_calls, NULL) || pthread_join(t, NULL))
		abort();
}

/* All numbers up to some bound become the program's, after a first finding. */
static void reuse(void)
{
	int files[FILES], pair[2];
	char byte;

	calls();
	for (int fd = 3; fd < 32; fd++)
		close(fd);
	for (int i = 0; i < FILES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "file%d", i);
		files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
		dprintf(files[i], "file %d", i);
	}
	in_thread();
	for (int i = 0; i < FILES; i++)
		check_file(files[i], i);
	for (int i = 0; i < FILES; i++)
		close(files[i]);
	for (int i = 0; i < FILES / 2; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
			abort();
	in_thread();
	calls();
	for (int fd = 3; fd < 32; fd++)
		if (recv(fd, &byte, 1, MSG_DONTWAIT) > 0)
			printf("something was written into socket %d\n", fd);
	puts("ok");
}

/* Marks in a trace of the system calls: nothing is open there but what the program opened. */
static void mark(void)
{
	close(-77);
}

static void marked(void)
{
	for (int i = 0; i < 3; i++) {
		mark();
		aclInit(NULL);
		mark();
		aclrtFree((void *)(0x1230 + (long)i));
		mark();
		aclrtMemcpy(NULL, 1, NULL, 2, ACL_MEMCPY_HOST_TO_DEVICE);
	}
	mark();
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "look"))
		look();
	else if (!strcmp(argv[1], "reuse"))
		reuse();
	else if (!strcmp(argv[1], "marked"))
		marked();
	else
		return 2;
	return 0;
}
