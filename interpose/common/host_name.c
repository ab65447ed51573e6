/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/common/host_name.h"

#include <sys/utsname.h>

const char *host_name(void)
{
	static struct utsname name;

	if (!name.nodename[0] && uname(&name))
		return "unknown";
	/* A host name with a slash would leave the directory. */
	for (char *c = name.nodename; *c; c++)
		if (*c == '/')
			*c = '_';
	return name.nodename;
}
