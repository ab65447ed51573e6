/* SPDX-License-Identifier: Apache-2.0 */
/* Registered by name: device state, stream state, task abort. */
#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/state_callback.h"

#include <stdlib.h>
#include <string.h>

enum about { DEVICE_STATE, STREAM_STATE, TASK_ABORT };

struct registration {
	struct list link;
	enum about about;
	char *name;
	void *fn;
	void *args;
};

static struct list registrations = {&registrations, &registrations};

void state_callbacks_forget(void)
{
	npu_keep(registrations.next);
	list_init(&registrations);
}

static struct registration *state_callback_find(enum about about, const char *name)
{
	struct registration *r;

	list_for_each(r, &registrations, link) if (r->about == about && !strcmp(r->name, name)) return r;
	return NULL;
}

/* They run in the order of their names; those of device states have no order that programs could rely on. */
static void insert(struct registration *new)
{
	struct registration *r;

	list_for_each(r, &registrations, link) if (strcmp(r->name, new->name) > 0) break;
	list_add_tail(&r->link, &new->link);
}

/* The empty name is one as well. fn NULL takes a registration back. */
static aclError set(enum about about, const char *name, void *fn, void *args)
{
	struct registration *r = state_callback_find(about, name);

	if (fn && r)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%s is already registered", name);
	if (!fn && !r)
		return npu_answer(STATE_CALLBACK_UNKNOWN, "%s is not registered", name);
	if (!fn) {
		list_del(&r->link);
		free(r->name);
		free(r);
		return ACL_SUCCESS;
	}
	r = calloc(1, sizeof(*r));
	if (!r || !(r->name = strdup(name))) {
		free(r);
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a registration");
	}
	r->about = about;
	r->fn = fn;
	r->args = args;
	insert(r);
	return ACL_SUCCESS;
}

/* Copies, so that callbacks run without the lock. */
static size_t collect(enum about about, struct registration **all)
{
	struct registration *r;
	size_t n = 0;

	npu_lock();
	list_for_each(r, &registrations, link) n += r->about == about;
	*all = n ? calloc(n, sizeof(**all)) : NULL;
	n = 0;
	if (*all)
		list_for_each(r, &registrations, link) if (r->about == about)(*all)[n++] = *r;
	npu_unlock();
	return n;
}

void device_state_notify(int32_t device, aclrtDeviceState state)
{
	struct registration *all;
	size_t n = collect(DEVICE_STATE, &all);
	aclError before = npu_unnoted(ACL_SUCCESS); /* what is called back notes its own errors */

	for (size_t i = 0; i < n; i++)
		((aclrtDeviceStateCallback)all[i].fn)(device, state, all[i].args);
	npu_note_again(&before);
	free(all);
}

void stream_state_notify(aclrtStream stream, aclrtStreamState state)
{
	struct registration *all;
	size_t n = collect(STREAM_STATE, &all);
	aclError before = npu_unnoted(ACL_SUCCESS);

	for (size_t i = 0; i < n; i++)
		((aclrtStreamStateCallback)all[i].fn)(stream, state, all[i].args);
	npu_note_again(&before);
	free(all);
}

/* The first one that fails is the last one, and what it returns is what the abortion returns. */
aclError task_abort_notify(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout)
{
	struct registration *all;
	size_t n = collect(TASK_ABORT, &all);
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < n && !rc; i++)
		rc = ((aclrtDeviceTaskAbortCallback)all[i].fn)(device, stage, timeout, all[i].args);
	free(all);
	return rc ? npu_err(rc, "a callback failed") : ACL_SUCCESS;
}

aclError aclrtRegDeviceStateCallback(const char *regName, aclrtDeviceStateCallback callback, void *args)
{
	return LOCKED(set(DEVICE_STATE, regName, (void *)callback, args));
}

aclError aclrtRegStreamStateCallback(const char *regName, aclrtStreamStateCallback callback, void *args)
{
	return LOCKED(set(STREAM_STATE, regName, (void *)callback, args));
}

aclError aclrtSetDeviceTaskAbortCallback(
	const char *regName, aclrtDeviceTaskAbortCallback callback, void *args)
{
	return LOCKED(set(TASK_ABORT, regName, (void *)callback, args));
}
