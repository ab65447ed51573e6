/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is never released.  Memory of a device is counted when its last reset
 * takes it away; everything else when the process ends, since static
 * destructors may still release it after aclFinalize.  Each thing is reported once.
 */
#include "checks/rules/memory/leak.h"
#include "checks/state/device_state.h"
#include "checks/state/init_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/physical_state.h"

/* By bytes; of things without a size there are more. */
static bool leaks_more(const struct leak_site *a, const struct leak_site *b)
{
	return a->bytes != b->bytes ? a->bytes > b->bytes : a->count > b->count;
}

void leak_add(struct leaks *l, uint64_t caller, uint64_t bytes, const void *sample)
{
	unsigned i;

	l->count++;
	l->bytes += bytes;
	for (i = 0; i < l->n && l->site[i].caller != caller; i++)
		;
	if (i == LEAK_SITES) {
		l->more = true;
		return;
	}
	if (i == l->n)
		l->site[l->n++] = (struct leak_site){.caller = caller, .sample = sample};
	l->site[i].count++;
	l->site[i].bytes += bytes;
	for (; i && leaks_more(&l->site[i], &l->site[i - 1]); i--) {
		struct leak_site larger = l->site[i];

		l->site[i] = l->site[i - 1];
		l->site[i - 1] = larger;
	}
}

static struct finding_part sample_part(const struct leaks *l, unsigned i, leak_part_fn part)
{
	return i < l->n ? part(l->site[i].sample) : part_none();
}

void leak_report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct leaks *l, uint64_t key, const char *what, const char *when, leak_part_fn part)
{
	const char *blocks = !l->bytes ? "" : l->count == 1 ? " block of " : " blocks of ";
	char size[24];

	/* Rules about more than leaks are errors elsewhere. */
	FINDING_OF(c, call, rule, l->count,
		PARTS(part_site(key + 1), part_caller(l->site[0].caller),
			rule->severity > ACL_SEV_WARNING ? part_severity(ACL_SEV_WARNING) : part_none(),
			part_uint("count", l->count), l->bytes ? part_bytes("bytes", l->bytes) : part_none(),
			l->more ? part_none() : part_uint("call sites", l->n), sample_part(l, 0, part),
			sample_part(l, 1, part), sample_part(l, 2, part), sample_part(l, 3, part)),
		"%s: %llu%s%s, from %s%u call site%s, %s", what, (unsigned long long)l->count, blocks,
		l->bytes ? human_bytes(l->bytes, size) : "", l->more ? "more than " : "", l->n,
		l->n == 1 ? "" : "s", when);
}

static struct finding_part block_never_freed(const void *block)
{
	return part_block("never freed", block);
}

static struct finding_part object_never_destroyed(const void *object)
{
	return part_object("never destroyed", object);
}

static bool leaked_block(struct acl_block *b)
{
	return !(load_relaxed(&b->flags) & (ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED));
}

static bool of_device(struct acl_block *b)
{
	uint8_t kind = load_relaxed(&b->kind);

	return kind == MEM_DEVICE || kind == MEM_MANAGED || kind == MEM_POOL;
}

static void device_memory(struct checks *c, struct acl_call_record *call, int device, const char *when)
{
	struct leaks *l = NULL; /* in the middle of a call: not on its stack */
	struct acl_block *b;

	if (rule_wanted(c, RULE("leak-device-memory")))
		l = checks_alloc(c, sizeof(*l));
	if (!l)
		return;
	map_each(memory_blocks(c), b)
	{
		if (!leaked_block(b) || !of_device(b) || load_relaxed(&b->device) != device)
			continue;
		leak_add(l, call_site_caller(&b->created), load_relaxed(&b->size), b);
		block_reported(b);
	}
	leak_report(c, call, RULE("leak-device-memory"), l, (uint64_t)(device + 1), "device memory", when,
		block_never_freed);
	checks_forget(c, l, sizeof(*l));
}

/* Device by device, whether it was set or reached by a context: those named once are reported then. */
static void all_device_memory(struct checks *c)
{
	struct acl_block *b;

	device_memory(c, NULL, -1, "never freed");
	map_each(memory_blocks(c), b) if (leaked_block(b) && of_device(b))
		device_memory(c, NULL, load_relaxed(&b->device), "never freed");
}

static void host_memory(struct checks *c)
{
	struct leaks l = {0};
	struct acl_block *b;

	map_each(memory_blocks(c), b) if (leaked_block(b) && load_relaxed(&b->kind) == MEM_HOST)
		leak_add(&l, call_site_caller(&b->created), load_relaxed(&b->size), b);
	leak_report(c, NULL, RULE("leak-host-memory"), &l, 0, "page-locked host memory", "never freed",
		block_never_freed);
}

static void objects(struct checks *c, const struct acl_rule *rule, unsigned kind, const char *what)
{
	struct leaks l = {0};
	struct acl_object *o;

	object_each(c, kind,
		o) if (object_usable(o) &&
		       !(load_relaxed(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED |
							   ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED)))
		leak_add(&l, call_site_caller(object_created(c, o)), 0, o);
	leak_report(c, NULL, rule, &l, kind, what, "never destroyed", object_never_destroyed);
}

static void ranges(struct checks *c, const struct acl_rule *rule, struct pointer_map *map, const char *what,
	const char *when)
{
	struct leaks l = {0};
	struct acl_block *b;

	map_each(map, b) if (leaked_block(b))
		leak_add(&l, call_site_caller(&b->created), load_relaxed(&b->size), b);
	leak_report(c, NULL, rule, &l, 1, what, when, block_never_freed);
}

/* Mappings of a range that is left are named by it. */
static void mappings(struct checks *c)
{
	struct block_lookup range;
	struct leaks l = {0};
	struct acl_block *b;

	map_each(memory_blocks(c), b) if (load_relaxed(&b->kind) == MEM_MAPPED && leaked_block(b) &&
					  !map_find(reserved_ranges(c), load_relaxed(&b->base), &range))
		leak_add(&l, call_site_caller(&b->created), load_relaxed(&b->size), b);
	leak_report(c, NULL, RULE("leak-vmm"), &l, ACL_HANDLE_COUNT, "mappings", "never unmapped",
		block_never_freed);
}

static void retained_history(struct acl_object_history *h, const void *object)
{
	struct acl_object *o = (struct acl_object *)object;

	h->handle = o->kind;
	h->kind = acl_handle_names[o->kind];
	h->value = load_relaxed(&o->value);
	h->serial = load_relaxed(&o->serial);
	h->device = load_relaxed(&o->device);
	call_site_copy(&h->created, &physical_state(o)->again_at);
}

static struct finding_part retained_never_freed(const void *object)
{
	return part_history("never freed", retained_history, object);
}

/* Of the references to it those that were made first are freed first, as far as anyone can say. */
static uint64_t retained_left(struct acl_object *o)
{
	uint64_t references = load_relaxed(&physical_state(o)->references),
		 again = load_relaxed(&physical_state(o)->again);

	return references < again ? references : again;
}

/* A handle that a retain answered with is a reference of ours, wherever the memory comes from. */
static void physical_memory(struct checks *c)
{
	struct leaks made = {0}, retained = {0};
	struct acl_object *o;

	object_each(c, ACL_HANDLE_PHYS_MEM, o)
	{
		uint64_t references = load_relaxed(&physical_state(o)->references);

		uint64_t again = retained_left(o);

		if (!object_usable(o) ||
			load_relaxed(&o->flags) & (ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED))
			continue;
		if (again) {
			leak_add(&retained, call_site_caller(&physical_state(o)->again_at), 0, o);
			retained.count += again - 1;
		}
		if (references > again)
			leak_add(&made, call_site_caller(object_created(c, o)), 0, o);
	}
	leak_report(c, NULL, RULE("leak-vmm"), &made, ACL_HANDLE_PHYS_MEM, "references to physical memory",
		"never freed", object_never_destroyed);
	leak_report(c, NULL, RULE("leak-vmm"), &retained, ACL_HANDLE_COUNT + 1,
		"later references to physical memory", "never freed", retained_never_freed);
}

/* Runs before the state lets the memory go. */
static void reset_leave(struct checks *c, struct acl_call_record *call)
{
	if (call->state.device_ends && succeeded(call) && is_checked(call))
		device_memory(c, call, device_argument(call), "still allocated when the device is reset");
}

/* Set more often than reset: the documents of the oldest releases let one reset be enough, advice for those.
 */
static void balance(struct checks *c)
{
	for (int i = 0; i < ACL_DEVICES; i++) {
		struct acl_device *d = device_at(c, i);
		int sets = load_relaxed(&d->sets) - load_relaxed(&d->inherited);

		if (!load_relaxed(&d->ever_reset))
			continue;
		FINDING(c, NULL, "device-unbalanced-set-reset",
			sets > 0 && !load_relaxed(&d->set_since_reset),
			PARTS(part_site((uint64_t)i + 1), part_advice(!target_at_least(c, ACL_CANN_8_5)),
				part_where(load_relaxed(&d->last_set.where)), part_int("device", i),
				part_int("sets without reset", sets)),
			"aclrtSetDevice(%d) was called %d time%s more than aclrtResetDevice(%d)", i, sets,
			sets == 1 ? "" : "s", i);
	}
}

static void leak_finish(struct checks *c, enum checks_end kind)
{
	static const struct {
		uint8_t kind;
		const char *what;
	} kinds[] = {{ACL_HANDLE_STREAM, "streams"}, {ACL_HANDLE_EVENT, "events"},
		{ACL_HANDLE_CONTEXT, "contexts"}, {ACL_HANDLE_NOTIFY, "notifies"},
		{ACL_HANDLE_CNT_NOTIFY, "count notifies"}, {ACL_HANDLE_LABEL, "labels"},
		{ACL_HANDLE_LABEL_LIST, "label lists"}, {ACL_HANDLE_GROUP_INFO, "group descriptions"}};

	if (!end_is_whole(c, kind))
		return;
	all_device_memory(c);
	host_memory(c);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		objects(c, RULE("leak-objects"), kinds[i].kind, kinds[i].what);
	objects(c, RULE("leak-kernel-binary"), ACL_HANDLE_BINARY, "kernel binaries");
	objects(c, RULE("kernel-createbinary-data-freed"), ACL_HANDLE_BINARY_DESC,
		"descriptions of binaries");
	objects(c, RULE("leak-pool"), ACL_HANDLE_POOL, "memory pools");
	objects(c, RULE("allocator-desc-lifetime"), ACL_HANDLE_ALLOCATOR_DESC, "allocator descriptors");
	if (!other_submitters_possible(c, CHECKS_OTHER_QUEUES))
		objects(c, RULE("leak-mbuf"), ACL_HANDLE_MBUF, "shared buffers");
	ranges(c, RULE("leak-host-register"), registered_ranges(c), "registered host memory",
		"never unregistered");
	ranges(c, RULE("leak-vmm"), reserved_ranges(c), "reserved address ranges", "never released");
	mappings(c);
	physical_memory(c);
	balance(c);
}

static const struct check_hook hooks[] = {
	{ON_OP(DEVICE_RESET), ACL_LEAVE, reset_leave},
};

const struct check_module module_leak = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish_rest = leak_finish,
};
