/* SPDX-License-Identifier: Apache-2.0 */
/* What the command says to people, in their language. */
#include <stdlib.h>
#include <string.h>

#include "interpose/common/sentences.h"
#include "tools/aclcheck/common/command.h"

#define TEXT_SIZE 16384
#define TEXTS 8

enum acl_lang command_language(void)
{
	const char *word = getenv("ACLCHECK_LANG");

	return word && !strncmp(word, "zh", 2) ? ACL_LANG_ZH : ACL_LANG_EN;
}

const char *in_language(const char *english)
{
	static char texts[TEXTS][TEXT_SIZE];
	static unsigned next;
	struct text t;

	if (command_language() == ACL_LANG_EN)
		return english;
	text_init(&t, texts[next], TEXT_SIZE);
	sentences_put(&t, english, TEXT_SIZE, ACL_LANG_ZH);
	next = (next + 1) % TEXTS;
	return t.buf;
}
