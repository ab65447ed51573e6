/* SPDX-License-Identifier: Apache-2.0 */
/* What the checker and the command say to people around findings, in both languages: messages.def. */
#ifndef INTERPOSE_MESSAGES_H
#define INTERPOSE_MESSAGES_H

#include "checks/engine/rule_table.h"

enum message {
#define MESSAGE(name, english, chinese) MSG_##name,
#include "interpose/common/messages.def"
#undef MESSAGE
	MSG_COUNT
};

/* %u in it takes a uint64_t. Never NULL. */
const char *message_text(enum message m, enum acl_lang lang);

#endif
