/* SPDX-License-Identifier: Apache-2.0 */
/* Text of XML and HTML documents. */
#include <string.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/formats/formats.h"

/* Not allowed in XML 1.0, or steering what stands around it. */
static bool forbidden(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c <= 0x9f) || c == 0xfffe ||
	       c == 0xffff || c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* "::error::" and "##[error]" would be commands to a service that shows the page or file in a log. */
static const char *entity(uint32_t c, char next)
{
	switch (c) {
	case ':':
		return next == ':' ? "&#58;" : NULL;
	case '#':
		return next == '#' ? "&#35;" : NULL;
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void put_xml(FILE *to, const char *s)
{
	size_t n = strlen(s);

	while (n) {
		uint32_t c = 0;
		unsigned len = utf8_length(s, n, &c);

		if (!len || forbidden(c))
			fputs("\xef\xbf\xbd", to);
		else if (entity(c, s[1]))
			fputs(entity(c, s[1]), to);
		else
			fwrite(s, 1, len, to);
		s += len ? len : 1;
		n -= len ? len : 1;
	}
}
