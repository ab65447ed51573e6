/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What input pointers lead to, and that is unverified yet: read by the library, whose reads
 * cannot fault.
 */
#include <string.h>

#include "tracepoints/call.h"
#include "tracepoints/provider.h"

const uint8_t trace_zeros[TRACE_TEXT];

void trace_copy(void *to, const void *from, size_t size)
{
	if (!from || !trace_host->read(to, from, size))
		memset(to, 0, size);
}

unsigned trace_copy_list(void *to, const void *from, size_t size, uint64_t count)
{
	unsigned n = trace_limit(count);

	return from && n && trace_host->read(to, from, size * n) ? n : 0;
}

char *trace_put_text(char *to, const char *from)
{
	char *text = to + sizeof(uint16_t);
	uint16_t length = 0;

	/* In pieces that do not cross a page: the text may end right before an unmapped one. */
	while (from && length < TRACE_TEXT) {
		size_t room = TRACE_TEXT - length, page = 4096 - (uintptr_t)from % 4096;
		size_t n = room < page ? room : page;
		char *end;

		if (!trace_host->read(text + length, from, n))
			break;
		end = memchr(text + length, 0, n);
		length = (uint16_t)(end ? end - text : length + (ptrdiff_t)n);
		if (end)
			break;
		from += n;
	}
	/* Never of no bytes: trace_line(). */
	if (!length)
		text[length++] = 0;
	memcpy(to, &length, sizeof(length));
	return text + length;
}
