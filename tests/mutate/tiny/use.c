/* SPDX-License-Identifier: Apache-2.0 */
/* The test of the queue. It never looks at what was refused. */
#include "tiny.h"

int main(void)
{
	for (int i = 0; i < 4; i++)
		if (tiny_used() != (unsigned)i || !tiny_put(i))
			return 1;
	if (tiny_put(4) || tiny_used() != 4)
		return 1;
	if (!tiny_find("put") || !tiny_find("used") || tiny_find("get"))
		return 1;
	return tiny_find("put")->arguments != 1;
}
