/* SPDX-License-Identifier: Apache-2.0 */
/* The texts stand one behind the other, and where each begins is a number: see sentences.c. */
#include "interpose/common/messages.h"

#include <stddef.h>
#include <stdint.h>

static const struct texts {
#define MESSAGE(name, english, chinese) char name##_en[sizeof(english)], name##_zh[sizeof(chinese)];
#include "interpose/common/messages.def"
#undef MESSAGE
} texts = {
#define MESSAGE(name, english, chinese) english, chinese,
#include "interpose/common/messages.def"
#undef MESSAGE
};

static const uint16_t places[MSG_COUNT][ACL_LANG_COUNT] = {
#define MESSAGE(name, english, chinese)                                                                      \
	{offsetof(struct texts, name##_en), offsetof(struct texts, name##_zh)},
#include "interpose/common/messages.def"
#undef MESSAGE
};

const char *message_text(enum message m, enum acl_lang lang)
{
	return (const char *)&texts + places[m][lang];
}
