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

void trace_copy_text(struct trace_text *to, const char *from)
{
	to->length = 0;
	/* In pieces that do not cross a page: the text may end right before an unmapped one. */
	while (from && to->length < TRACE_TEXT) {
		size_t room = TRACE_TEXT - to->length, page = 4096 - (uintptr_t)from % 4096;
		size_t n = room < page ? room : page;
		char *end;

		if (!trace_host->read(to->text + to->length, from, n))
			return;
		end = memchr(to->text + to->length, 0, n);
		if (end) {
			to->length = (uint16_t)(end - to->text);
			return;
		}
		to->length = (uint16_t)(to->length + n);
		from += n;
	}
}
