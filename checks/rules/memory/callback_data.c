/* SPDX-License-Identifier: Apache-2.0 */
/* Page-locked memory that is released while a host callback that is given its address has not begun. */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pending_access.h"
#include "checks/state/stream_state.h"

#define LAUNCHES 64 /* that are remembered; of more, nothing is said */

/* A callback that was launched and has not begun. */
struct launched_callback {
	uint64_t data; /* the address it is given, … */
	uint64_t bytes; /* … up to the end of its memory */
	acl_ref stream;
	uint64_t position, caller;
	uint32_t tid;
	uint16_t api;
};

struct callback_data {
	struct acl_lock lock;
	_Atomic uint32_t n; /* in use, from the first on */
	struct launched_callback at[LAUNCHES];
};

static struct callback_data *launched_data(struct checks *c)
{
	return module_state(c, callback_data);
}

static const void *data_argument(const struct acl_call_record *call)
{
	return acl_arg_pointer(call->api, call->args, ACL_ROLE_USER_DATA);
}

/* It may begin before the call that launches it returns. */
static void callback_data_enter(struct checks *c, struct acl_call_record *call)
{
	struct callback_data *l = launched_data(c);
	const void *data = data_argument(call);
	struct block_lookup place;

	if (!data || !is_checked(call) || !task_runs_now(c, call) ||
		!map_find(memory_blocks(c), (uintptr_t)data, &place) || !kind_is_host(place.kind))
		return;
	lock(&l->lock);
	if (load_relaxed(&l->n) < LAUNCHES)
		l->at[counter_inc(&l->n)] = (struct launched_callback){.data = (uintptr_t)data,
			.bytes = place.base + place.size - (uintptr_t)data,
			.stream = object_ref(stream_of(call)),
			.position = call->state.position,
			.caller = call->caller,
			.tid = call->tid,
			.api = call->api};
	unlock(&l->lock);
}

/* Which of several with the same data begins is not known: all of them are forgotten. */
static void data_forget(struct checks *c, const void *data)
{
	struct callback_data *l = launched_data(c);

	lock(&l->lock);
	for (uint32_t i = load_relaxed(&l->n); i-- > 0;)
		if (l->at[i].data == (uintptr_t)data)
			l->at[i] = l->at[counter_dec(&l->n) - 1];
	unlock(&l->lock);
}

static void callback_data_failed(struct checks *c, struct acl_call_record *call)
{
	if (load_relaxed(&launched_data(c)->n))
		data_forget(c, data_argument(call));
}

static void callback_data_begins(
	struct checks *c, const struct acl_call_record *outer, const void *argument, bool begins)
{
	(void)outer;
	if (begins && load_relaxed(&launched_data(c)->n))
		data_forget(c, argument);
}

/* One that was given an address in the block, and whether the host has not seen it done: those are forgotten.
 */
static bool callback_find(
	struct checks *c, const struct acl_block *b, struct launched_callback *out, bool *waits)
{
	uint64_t base = load_relaxed(&((struct acl_block *)b)->base),
		 size = load_relaxed(&((struct acl_block *)b)->size);
	struct callback_data *l = launched_data(c);
	bool found = false;

	*waits = false;
	lock(&l->lock);
	for (uint32_t i = load_relaxed(&l->n); !*waits && i-- > 0;) {
		struct acl_object *s = object_of(c, l->at[i].stream);
		bool pending = s && object_usable(s) && stream_pending(s, l->at[i].position);

		if (l->at[i].data - base < size) {
			*out = l->at[i];
			found = true;
			*waits = pending && !stream_rarely(s, may_fail);
		}
		if (!pending)
			l->at[i] = l->at[counter_dec(&l->n) - 1];
	}
	unlock(&l->lock);
	return found;
}

static void callback_history(struct acl_object_history *h, const void *source)
{
	const struct launched_callback *l = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "is given memory";
	h->value = l->data;
	h->size = l->bytes;
	h->device = -1;
	h->last_used = (struct acl_call_site){.tid = l->tid, .caller = l->caller, .api = l->api};
}

static void host_release_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_block *b = call->state.releasing;
	struct launched_callback l;
	struct acl_object *s;
	bool waits;

	if (!b || call->in_exit || !load_relaxed(&launched_data(c)->n) ||
		acl_apis[call->api].mode == ACL_MODE_BLOCKING || !callback_find(c, b, &l, &waits))
		return;
	s = object_of(c, l.stream);
	FINDING(c, call, "free-host-in-flight", waits,
		PARTS(part_history("callback", callback_history, &l), part_object("its stream", s),
			part_block("memory", b)),
		"The memory is released at once, and the callback of %s on %s that is given 0x%llx has not "
		"begun.",
		acl_apis[l.api].name, STREAM_TEXT(s), (unsigned long long)l.data);
}

static void callback_data_forked(struct checks *c)
{
	store_relaxed(&launched_data(c)->n, 0);
}

static const struct check_hook hooks[] = {
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_ENTER, callback_data_enter},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_FAILED, callback_data_failed},
	{ON_OP(FREE_HOST), ACL_ENTER, host_release_enter},
};

const struct check_module module_callback_data = {
	.callback = callback_data_begins,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct callback_data),
	.forked = callback_data_forked,
};
