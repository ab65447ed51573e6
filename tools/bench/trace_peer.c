/* SPDX-License-Identifier: Apache-2.0 */
/* trace_peer CALLS: calls the linked runtime and says the CPU time of a call; for tracers to compare with. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	struct timespec a, b;
	static char block[4096];

	aclInit(NULL);
	aclrtSetDevice(0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	for (unsigned long i = 0; i < n; i++)
		aclrtMemcpyAsync((void *)0x12c0c0013000, sizeof(block), block, sizeof(block),
			ACL_MEMCPY_HOST_TO_DEVICE, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	printf("%.1f\n", ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) /
				 (double)(n ? n : 1));
	return 0;
}
