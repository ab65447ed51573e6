/* SPDX-License-Identifier: Apache-2.0 */
/* Where the documentation of a rule is to be read: the page of the function that it is about. */
#include "tools/aclcheck/report/report.h"

#include <stdio.h>
#include <string.h>

#include "aclcheck/model.h"

/* CANN's runtime has a page for each function; those of this release. */
#define PAGES "https://gitcode.com/cann/runtime/blob/v9.0.0/docs/api_docs/%s.md"
#define PAGES_RELEASE "9.0"

static bool has_page(int api)
{
	for (int since = 0; since < ACL_CANN_COUNT; since++)
		if (!strcmp(acl_cann_names[since], PAGES_RELEASE))
			return acl_apis[api].since <= since;
	return false;
}

const char *rule_url(const struct acl_rule *rule)
{
	static char url[256];
	const char *list = rule_text(rule, RULE_APIS);
	char name[96];

	/* The first one that is a function and no pattern. */
	while (list && *list) {
		size_t n = strcspn(list, " ");
		int api;

		snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : 0), list);
		api = acl_api_find(name);
		if (api >= 0 && has_page(api)) {
			snprintf(url, sizeof(url), PAGES, name);
			return url;
		}
		list += n + strspn(list + n, " ");
	}
	return "";
}
