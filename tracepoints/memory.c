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

/* What is left of the page and of the room: the text may end right before a page that is not there. */
static size_t text_piece(const char *from, size_t length)
{
	size_t room = TRACE_TEXT - length, page = 4096 - (uintptr_t)from % 4096;

	return room < page ? room : page;
}

char *trace_put_text(char *to, const char *from)
{
	/* Never of no bytes: trace_line(). */
	uint16_t length = 0, least = from ? TRACE_TEXT_UNKNOWN : TRACE_TEXT_NONE;
	char *text = to + sizeof(uint16_t), *end = NULL;

	while (from && length < TRACE_TEXT && !end) {
		size_t n = text_piece(from, length);

		if (!trace_host->read(text + length, from, n))
			break;
		least = 1;
		end = memchr(text + length, 0, n);
		length = (uint16_t)(end ? end - text : length + (ptrdiff_t)n);
		from += n;
	}
	while (length < least)
		text[length++] = 0;
	memcpy(to, &length, sizeof(length));
	return text + length;
}
