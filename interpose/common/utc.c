/* SPDX-License-Identifier: Apache-2.0 */
/* Days to a date by the 400-year cycle of the Gregorian calendar, which begins in March. */
#include "interpose/common/utc.h"

#include <time.h>

#include "interpose/common/text.h"

#define DAYS_TO_1970 719468 /* from the first of March of the year 0 */
#define DAYS_OF_CYCLE 146097

static void put_two(struct text *t, unsigned v, char behind)
{
	text_char(t, (char)('0' + v / 10 % 10));
	text_char(t, (char)('0' + v % 10));
	text_char(t, behind);
}

void utc_text(int64_t seconds, char out[UTC_SIZE])
{
	int64_t days = seconds / 86400 - (seconds % 86400 < 0), cycle, year;
	unsigned second = (unsigned)(seconds - days * 86400), day, of_year, month;
	struct text t;

	days += DAYS_TO_1970;
	cycle = days / DAYS_OF_CYCLE - (days % DAYS_OF_CYCLE < 0);
	day = (unsigned)(days - cycle * DAYS_OF_CYCLE);
	of_year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	year = cycle * 400 + of_year;
	day -= 365 * of_year + of_year / 4 - of_year / 100;
	month = (5 * day + 2) / 153; /* from March */
	day = day - (153 * month + 2) / 5 + 1;
	month = month < 10 ? month + 3 : month - 9;
	year += month <= 2;
	text_init(&t, out, UTC_SIZE);
	text_int(&t, year);
	text_char(&t, '-');
	put_two(&t, month, '-');
	put_two(&t, day, 'T');
	put_two(&t, second / 3600, ':');
	put_two(&t, second / 60 % 60, ':');
	put_two(&t, second % 60, 'Z');
}

void utc_now(char out[UTC_SIZE])
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	utc_text(ts.tv_sec, out);
}
