/* SPDX-License-Identifier: Apache-2.0 */
/* The list of topics. */
#ifndef CHECKS_TOPICS_H
#define CHECKS_TOPICS_H

#include "checks/topic.h"

extern const struct acl_topic *const acl_topics[];
extern const unsigned acl_topic_count;

#endif
