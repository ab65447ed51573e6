/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with one mistake, as a user would have written it.  Words:
 *	clean	without the mistake
 *	twelve	the mistake twelve times
 *	fork	a child makes it as well
 *	exec	runs itself again as a child (system), with "clean"
 *	exit N	exit code
 *	hang	never ends; abort: ends by a signal
 *	ready	makes a file of that name
 *	stdin	goes on when standard input ends
 *	await	goes on when there is a file "go"
 */
#include <acl/acl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static aclrtStream stream;
static void *device, *host;

static void copy_in(unsigned offset)
{
	aclrtMemcpyAsync(device, 4096, (char *)host + offset, 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void fork_child(void)
{
	pid_t child = fork();

	if (!child) {
		copy_in(12);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void work(const char *word, const char *self)
{
	char command[4096];

	if (!strcmp(word, "fork")) {
		fork_child();
	} else if (!strcmp(word, "exec")) {
		snprintf(command, sizeof(command), "%s clean", self);
		if (system(command))
			exit(9);
	} else if (!strcmp(word, "ready")) {
		FILE *file = fopen("ready", "w");

		if (!file || fclose(file))
			exit(9);
	} else if (!strcmp(word, "hang")) {
		for (;;)
			pause();
	} else if (!strcmp(word, "stdin")) {
		while (read(STDIN_FILENO, command, sizeof(command)) > 0)
			;
	} else if (!strcmp(word, "await")) {
		while (access("go", F_OK))
			usleep(10000);
	} else if (!strcmp(word, "abort")) {
		abort();
	} else if (!strcmp(word, "twelve")) {
		for (int i = 0; i < 12; i++)
			copy_in(12);
	} else {
		copy_in(strcmp(word, "clean") ? 12 : 0);
	}
}

int main(int argc, char **argv)
{
	int code = 0;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&host, 1 << 16);
	if (argc == 1)
		work("once", argv[0]);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "exit") && i + 1 < argc)
			code = atoi(argv[++i]);
		else
			work(argv[i], argv[0]);
	}
	aclrtSynchronizeStream(stream);
	aclrtFree(device);
	aclrtFreeHost(host);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
	puts("done");
	return code;
}
