/* SPDX-License-Identifier: Apache-2.0 */
/* What the names of events mean to a replay. */
#include <string.h>

#include "tools/aclcheck/trace/replay/replay.h"

/* "acl:aclrtMalloc_entry" */
static int api_of(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);
	char api[128];

	if (n <= m || n - m >= sizeof(api) || strcmp(name + n - m, suffix) != 0)
		return -1;
	snprintf(api, sizeof(api), "%.*s", (int)(n - m), name);
	return acl_api_find(api);
}

bool replay_kind_of(const char *name, struct replay_meaning *m)
{
	static const struct {
		const char *name;
		enum replay_kind kind;
	} own[] = {{"aclcheck:process", REPLAY_PROCESS}, {"aclcheck:describe", REPLAY_FACT},
		{"aclcheck:verdict", REPLAY_VERDICT}, {"aclcheck:module", REPLAY_MODULE},
		{"aclcheck:stack", REPLAY_STACK}, {"aclcheck:thread", REPLAY_THREAD},
		{"aclcheck:callback", REPLAY_CALLBACK}, {"aclcheck:answer", REPLAY_ANSWER},
		{"aclcheck:said", REPLAY_SAID}, {"aclcheck:ended", REPLAY_KILLED},
		{"aclcheck:python_place", REPLAY_PYTHON_PLACE},
		{"aclcheck:python_stack", REPLAY_PYTHON_STACK}};

	m->api = -1;
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcmp(name, own[i].name)) {
			m->kind = (uint8_t)own[i].kind;
			return true;
		}
	if (!strncmp(name, "acl_call:", 9)) {
		m->kind = REPLAY_EXIT;
		m->one_event = true;
		return true;
	}
	if (strncmp(name, "acl:", 4) != 0)
		return false;
	m->kind = REPLAY_ENTRY;
	m->api = api_of(name + 4, "_entry");
	if (m->api < 0) {
		m->kind = REPLAY_EXIT;
		m->api = api_of(name + 4, "_exit");
	}
	return m->api >= 0;
}
