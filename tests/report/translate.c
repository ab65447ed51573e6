/* SPDX-License-Identifier: Apache-2.0 */
/* Each line of what findings say, as a reader of Chinese gets it. */
#include <stdio.h>

#include "interpose/common/sentences.h"

int main(void)
{
	static char out[8192];
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, stdin)) > 0) {
		struct text t;

		text_init(&t, out, sizeof(out));
		sentences_put(&t, line, (size_t)(n - (line[n - 1] == '\n')), ACL_LANG_ZH);
		puts(out);
	}
	return 0;
}
