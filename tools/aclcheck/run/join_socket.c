/* SPDX-License-Identifier: Apache-2.0 */
/* The answering side of interpose/common/run_socket.h. */
#include "tools/aclcheck/run/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/run_socket.h"

static bool member_add(char *answer, size_t *used, const char *word, size_t n, const char *value)
{
	size_t size = n + 1 + strlen(value) + 1;

	if (*used + size > RUN_ANSWER_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		answer[(*used)++] = (char)tolower((unsigned char)word[i]);
	answer[(*used)++] = '\0';
	strcpy(answer + *used, value);
	*used += strlen(value) + 1;
	return true;
}

/* All that the program's environment says to the library, and nothing else of it. */
static size_t make_answer(char *answer)
{
	static const char prefix[] = "ACLCHECK_";
	size_t used = 0;

	for (char **e = environ; *e; e++) {
		const char *word = *e + strlen(prefix), *value = strchr(*e, '=');

		if (strncmp(*e, prefix, strlen(prefix)) != 0 || !value || !value[1])
			continue;
		for (unsigned s = 0; s < SETTING_COUNT; s++) {
			size_t n = strlen(setting_table[s].word);

			if (n == (size_t)(value - word) && !strncasecmp(word, setting_table[s].word, n) &&
				!member_add(answer, &used, word, n, value + 1))
				return 0;
		}
	}
	return used;
}

int join_socket_open(void)
{
	struct sockaddr_un address;
	socklen_t n = run_socket_address(getpid(), &address);
	int fd = n ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, n)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The credentials that come with the answer are the kernel's word for who we are. */
void join_socket_serve(int fd)
{
	char question[16], answer[RUN_ANSWER_MAX];
	struct sockaddr_un from;
	socklen_t n = sizeof(from);
	size_t size = make_answer(answer);

	while (recvfrom(fd, question, sizeof(question), 0, (struct sockaddr *)&from, &n) >= 0) {
		if (size && n > sizeof(from.sun_family))
			sendto(fd, answer, size, MSG_NOSIGNAL, (struct sockaddr *)&from, n);
		n = sizeof(from);
	}
}
