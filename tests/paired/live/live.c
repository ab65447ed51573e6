/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of the live pairs.
 *	live			lists: RULE SCENE ALSO SETTINGS, one a line
 *	live SCENE bug|fixed	runs one
 */
#include "live.h"

#include <pthread.h>
#include <stdio.h>

bool bug;
aclrtStream s;
void *d, *h;

static const struct live_pair *pairs;

void live_add(struct live_pair *t)
{
	t->next = pairs;
	pairs = t;
}

void capture_begin(aclmdlRICaptureMode mode)
{
	aclmdlRICaptureBegin(s, mode);
	aclrtMemsetAsync(d, N, 0, N, s);
}

aclmdlRI capture_end(void)
{
	aclmdlRI model = NULL;

	aclmdlRICaptureEnd(s, &model);
	return model;
}

aclmdlRI capture_set(void)
{
	capture_begin(ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	return capture_end();
}

static void *thread_main(void *fn)
{
	aclrtSetDevice(0);
	((void (*)(void))fn)();
	aclrtResetDevice(0);
	return NULL;
}

void in_thread(void (*fn)(void))
{
	pthread_t t;

	if (!pthread_create(&t, NULL, thread_main, (void *)fn))
		pthread_join(t, NULL);
}

static void play(const struct live_pair *t)
{
	if (t->bare) {
		t->scenario();
		return;
	}
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&s);
	aclrtMalloc(&d, N, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&h, N);
	t->scenario();
	if (s)
		aclrtSynchronizeStream(s);
	if (d)
		aclrtFree(d);
	if (h)
		aclrtFreeHost(h);
	if (s)
		aclrtDestroyStream(s);
	aclrtResetDevice(0);
	aclFinalize();
}

int main(int argc, char **argv)
{
	for (const struct live_pair *t = pairs; t; t = t->next) {
		if (argc < 3) {
			printf("%s\t%s\t%s\t%s\n", t->rule, t->name, t->also ? t->also : "",
				t->settings ? t->settings : "");
		} else if (!strcmp(argv[1], t->name)) {
			bug = !strcmp(argv[2], "bug");
			play(t);
			return 0;
		}
	}
	return argc < 3 ? 0 : 2;
}
