/* SPDX-License-Identifier: Apache-2.0 */
/* Text in a fixed buffer: numbers, sizes and strings made safe for a terminal. */
#include "interpose/common/text.h"

#include <stdarg.h>
#include <string.h>

void text_init(struct text *t, char *buf, size_t cap)
{
	t->buf = buf;
	t->cap = cap;
	t->len = 0;
	t->cut = false;
	if (cap)
		buf[0] = '\0';
}

void text_put(struct text *t, const char *s, size_t n)
{
	size_t room = t->cap > t->len + 1 ? t->cap - t->len - 1 : 0;

	if (n > room) {
		t->cut = true;
		n = room;
	}
	if (!n)
		return;
	memcpy(t->buf + t->len, s, n);
	t->len += n;
	t->buf[t->len] = '\0';
}

void text_char(struct text *t, char c)
{
	text_put(t, &c, 1);
}

void text_str(struct text *t, const char *s)
{
	if (s)
		text_put(t, s, strlen(s));
}

void text_uint(struct text *t, uint64_t v)
{
	char digits[20];
	unsigned n = sizeof(digits);

	do {
		digits[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	text_put(t, digits + n, sizeof(digits) - n);
}

void text_int(struct text *t, int64_t v)
{
	if (v < 0) {
		text_char(t, '-');
		text_uint(t, 0 - (uint64_t)v);
	} else {
		text_uint(t, (uint64_t)v);
	}
}

void text_hex_digits(struct text *t, uint64_t v, unsigned digits)
{
	while (digits--)
		text_char(t, "0123456789abcdef"[v >> (4 * digits) & 15]);
}

void text_hex(struct text *t, uint64_t v)
{
	unsigned digits = 1;

	while (digits < 16 && v >> (4 * digits))
		digits++;
	text_str(t, "0x");
	text_hex_digits(t, v, digits);
}

void text_size(struct text *t, uint64_t bytes)
{
	static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned u = 0;

	text_uint(t, bytes);
	text_str(t, bytes == 1 ? " byte" : " bytes");
	if (bytes < 10240)
		return;
	while (u < 5 && bytes >> (10 * (u + 2)))
		u++;
	uint64_t tenths = (bytes >> (10 * u)) * 10 / 1024;
	text_str(t, " (");
	text_uint(t, tenths / 10);
	text_char(t, '.');
	text_uint(t, tenths % 10);
	text_char(t, ' ');
	text_str(t, unit[u]);
	text_char(t, ')');
}

void text_fmt(struct text *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	for (const char *f = format; *f; f++) {
		if (*f != '%') {
			text_char(t, *f);
			continue;
		}
		f++;
		if (*f == 's')
			text_str(t, va_arg(ap, const char *));
		else if (*f == 'u')
			text_uint(t, va_arg(ap, uint64_t));
		else if (*f)
			text_char(t, *f);
		else
			break;
	}
	va_end(ap);
}

unsigned utf8_length(const char *s, size_t n, uint32_t *code)
{
	const unsigned char *u = (const unsigned char *)s;
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned len;
	uint32_t c;

	if (!n)
		return 0;
	if (u[0] < 0x80) {
		*code = u[0];
		return 1;
	}
	len = u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
	if (u[0] < 0xc2 || u[0] > 0xf4 || len > n)
		return 0;
	c = u[0] & (0x7fu >> len);
	for (unsigned i = 1; i < len; i++) {
		if ((u[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return len;
}

/* Characters that would steer the terminal or reorder what stands around them. */
static bool steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/*
 * Words that services which show logs take for commands: "::error::" at the
 * beginning of a line, "##[group]", "##vso[" and "##teamcity[" anywhere.
 */
static bool commands(const char *s, size_t n, bool first)
{
	if (n < 3 || s[0] != s[1])
		return false;
	if (*s == ':')
		return first;
	return *s == '#' && (s[2] == '[' || (s[2] >= 'a' && s[2] <= 'z'));
}

void text_safe(struct text *t, const char *s, size_t n)
{
	bool first = true;
	uint32_t c = 0;

	n = strnlen(s, n);
	for (; n; first = false) {
		unsigned len = utf8_length(s, n, &c);
		unsigned take = len ? len : 1;

		if (len && !steers(c) && !commands(s, n, first)) {
			text_put(t, s, len);
		} else {
			for (unsigned i = 0; i < take; i++) {
				text_str(t, "\\x");
				text_hex_digits(t, (unsigned char)s[i], 2);
			}
		}
		s += take;
		n -= take;
	}
}
