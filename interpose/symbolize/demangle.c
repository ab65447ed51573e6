/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The demangler of the GNU C++ library's static part, linked in and hidden: its
 * callback form works on the stack alone, while __cxa_demangle of the program's
 * own library allocates.
 */
#include "interpose/symbolize/demangle.h"

#include <string.h>

#include "interpose/common/tool_arena.h"
#include "interpose/common/text.h"

#define MANGLED_MAX 1024 /* its tables on the stack grow with the name: 80 bytes a character */
#define READABLE_MAX 8192

/* In libsupc++.a, declared nowhere; weak, as not every C++ library's static part can go into a shared object.
 */
extern int __gcclibcxx_demangle_callback(
	const char *mangled, void (*put)(const char *, size_t, void *), void *context) __attribute__((weak));

static void put_part(const char *part, size_t n, void *context)
{
	text_put(context, part, n);
}

const char *demangle(const char *name)
{
	static char buffer[READABLE_MAX]; /* one thread symbolizes at a time */
	const char *kept;
	struct text t;

	if (strncmp(name, "_Z", 2) != 0 || !__gcclibcxx_demangle_callback || strlen(name) > MANGLED_MAX)
		return name;
	text_init(&t, buffer, sizeof(buffer));
	if (__gcclibcxx_demangle_callback(name, put_part, &t) || t.cut)
		return name;
	kept = arena_string(buffer);
	return kept ? kept : name;
}
