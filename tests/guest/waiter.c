/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor waits for a thread that uses the runtime; dlopen holds the loader's lock. */
#include <pthread.h>
#include <stddef.h>

#include "acl/acl.h"

static void *use(void *unused)
{
	(void)unused;
	aclInit(NULL);
	aclInit(NULL);
	aclFinalize();
	return NULL;
}

__attribute__((constructor)) static void wait_for_use(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, use, NULL))
		pthread_join(thread, NULL);
}
