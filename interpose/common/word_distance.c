/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance of short words. */
#include "interpose/common/word_distance.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 64

unsigned word_distance(const char *a, size_t n, const char *b)
{
	unsigned row[WORD_MAX + 1], m = (unsigned)strlen(b);

	if (n > WORD_MAX || m > WORD_MAX)
		return 99;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned corner = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned cost = corner + (tolower((unsigned char)a[i - 1]) != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[m];
}
