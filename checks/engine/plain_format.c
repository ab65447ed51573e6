/* SPDX-License-Identifier: Apache-2.0 */
/* A formatter of few words and little stack. */
#include "checks/engine/plain_format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct out {
	char *to;
	size_t cap, n;
};

struct conversion {
	unsigned precision; /* UINT32_MAX = none given */
	bool wide; /* 64 bits */
	char letter;
};

static void plain_put(struct out *o, const char *s, size_t n)
{
	size_t room = o->cap - 1 - o->n;

	n = n < room ? n : room;
	memcpy(o->to + o->n, s, n);
	o->n += n;
}

static void put_number(struct out *o, uint64_t v, unsigned base)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	plain_put(o, digits + at, sizeof(digits) - at);
}

static void put_signed(struct out *o, int64_t v)
{
	if (v < 0)
		plain_put(o, "-", 1);
	put_number(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

static void put_string(struct out *o, const char *s, unsigned most)
{
	s = s ? s : "(null)";
	plain_put(o, s, strnlen(s, most));
}

static void put_pointer(struct out *o, const void *p)
{
	if (!p) {
		plain_put(o, "(nil)", 5);
		return;
	}
	plain_put(o, "0x", 2);
	put_number(o, (uintptr_t)p, 16);
}

/* Behind the '%'; returns what follows the conversion. */
static const char *parse(const char *p, struct conversion *c)
{
	*c = (struct conversion){.precision = UINT32_MAX};
	if (*p == '.')
		for (c->precision = 0, p++; *p >= '0' && *p <= '9'; p++)
			c->precision = c->precision * 10 + (unsigned)(*p - '0');
	for (; *p == 'l' || *p == 'z'; p++)
		c->wide = true;
	c->letter = *p;
	return *p ? p + 1 : p;
}

void plain_format(char *to, size_t cap, const char *format, va_list ap)
{
	struct out o = {to, cap, 0};
	struct conversion c;

	while (*format) {
		size_t plain = strcspn(format, "%");

		plain_put(&o, format, plain);
		format += plain;
		if (!*format)
			break;
		format = parse(format + 1, &c);
		if (c.letter == 's')
			put_string(&o, va_arg(ap, const char *), c.precision);
		else if (c.letter == 'd')
			put_signed(&o, c.wide ? va_arg(ap, int64_t) : va_arg(ap, int));
		else if (c.letter == 'u' || c.letter == 'x')
			put_number(&o, c.wide ? va_arg(ap, uint64_t) : va_arg(ap, unsigned),
				c.letter == 'u' ? 10 : 16);
		else if (c.letter == 'p')
			put_pointer(&o, va_arg(ap, const void *));
		else if (c.letter == 'c')
			plain_put(&o, &(char){(char)va_arg(ap, int)}, 1);
		else
			plain_put(&o, &c.letter, c.letter != 0);
	}
	to[o.n] = 0;
}

const char *plain_print(char *to, size_t cap, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	plain_format(to, cap, format, ap);
	va_end(ap);
	return to;
}
