/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is never released.  Memory of a device is counted when its last reset
 * takes it away; everything else when the process ends, since static
 * destructors may still release it after aclFinalize.  Each thing is told once.
 */
#include "checks/rules/memory/leak.h"
#include "checks/engine/finding_report.h"
#include "checks/state/device_state.h"

void leak_add(struct leaks *l, uint64_t caller, uint64_t bytes, const void *sample)
{
	unsigned i;

	l->count++;
	l->bytes += bytes;
	for (i = 0; i < l->n && l->site[i].caller != caller; i++)
		;
	if (i == LEAK_SITES)
		return;
	if (i == l->n)
		l->site[l->n++] = (struct leak_site){.caller = caller, .sample = sample};
	l->site[i].count++;
	l->site[i].bytes += bytes;
	for (; i && l->site[i].bytes > l->site[i - 1].bytes; i--) {
		struct leak_site larger = l->site[i];

		l->site[i] = l->site[i - 1];
		l->site[i - 1] = larger;
	}
}

void leak_tell(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct leaks *l, uint64_t key, const char *what, const char *when, leak_show_fn show)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	if (call)
		rule_evaluated(call, rule);
	else
		rule_evaluated_at_end(c, rule);
	if (!l->count)
		return;
	grade.site = key + 1;
	grade.caller = l->site[0].caller;
	/* Of rules about more than leaks. */
	if (rule->severity > ACL_SEV_WARNING)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, call, rule, grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%s: %llu", what, (unsigned long long)l->count);
	if (l->bytes)
		finding_more(f, " block%s of %s", l->count == 1 ? "" : "s", human_bytes(l->bytes, size));
	finding_more(f, ", from %u call site%s, %s", l->n, l->n == 1 ? "" : "s", when);
	finding_uint(f, "count", l->count);
	if (l->bytes)
		finding_bytes(f, "bytes", l->bytes);
	finding_uint(f, "call sites", l->n);
	for (unsigned i = 0; i < l->n && i < ACL_FINDING_OBJECTS; i++)
		show(c, f, l->site[i].sample);
	finding_show(c, f);
}

static void show_block(struct checks *c, struct acl_finding *f, const void *sample)
{
	finding_block(c, f, "never freed", sample);
}

static void show_object(struct checks *c, struct acl_finding *f, const void *sample)
{
	finding_object(c, f, "never destroyed", sample);
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
	map_each(c->memory, b)
	{
		if (!leaked_block(b) || !of_device(b) || load_relaxed(&b->device) != device)
			continue;
		leak_add(l, load_relaxed(&b->created.caller), load_relaxed(&b->size), b);
		atomic_fetch_or(&b->flags, ACL_OBJECT_REPORTED);
	}
	leak_tell(c, call, RULE("leak-device-memory"), l, (uint64_t)(device + 1), "device memory", when,
		show_block);
	checks_forget(c, l, sizeof(*l));
}

static void host_memory(struct checks *c)
{
	struct leaks l = {0};
	struct acl_block *b;

	map_each(c->memory, b) if (leaked_block(b) && load_relaxed(&b->kind) == MEM_HOST)
		leak_add(&l, load_relaxed(&b->created.caller), load_relaxed(&b->size), b);
	leak_tell(c, NULL, RULE("leak-host-memory"), &l, 0, "page-locked host memory", "never freed",
		show_block);
}

static void objects(struct checks *c, const struct acl_rule *rule, unsigned kind, const char *what)
{
	struct leaks l = {0};
	struct acl_object *o;

	object_each(c, kind,
		o) if (object_usable(o) &&
		       !(load_relaxed(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED |
							   ACL_OBJECT_INHERITED | ACL_OBJECT_REPORTED)))
		leak_add(&l, load_relaxed(&o->created.caller), 0, o);
	leak_tell(c, NULL, rule, &l, kind, what, "never destroyed", show_object);
}

static void ranges(struct checks *c, const struct acl_rule *rule, struct pointer_map *map, const char *what,
	const char *when)
{
	struct leaks l = {0};
	struct acl_block *b;

	map_each(map, b) if (leaked_block(b))
		leak_add(&l, load_relaxed(&b->created.caller), load_relaxed(&b->size), b);
	leak_tell(c, NULL, rule, &l, 1, what, when, show_block);
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
		struct acl_device *d = &c->devices[i];
		struct finding_grade grade = GRADE_TABLE;
		struct finding_buffer room;
		struct acl_finding *f;

		if (!load_relaxed(&d->ever_reset))
			continue;
		rule_evaluated_at_end(c, RULE("device-unbalanced-set-reset"));
		if (load_relaxed(&d->sets) <= 0 || load_relaxed(&d->set_since_reset))
			continue;
		grade.site = (uint64_t)i + 1;
		grade.advice = !target_at_least(c, ACL_CANN_8_5);
		f = finding_begin_as(c, NULL, RULE("device-unbalanced-set-reset"), grade, &room);
		if (!f)
			continue;
		finding_detail(f, "aclrtSetDevice(%d) was called %d time%s more than aclrtResetDevice(%d)", i,
			load_relaxed(&d->sets), load_relaxed(&d->sets) == 1 ? "" : "s", i);
		finding_int(f, "device", i);
		finding_int(f, "sets without reset", load_relaxed(&d->sets));
		finding_show(c, f);
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

	if (kind != CHECKS_END_EXIT)
		return;
	for (int device = -1; device < ACL_DEVICES; device++)
		if (device < 0 || load_relaxed(&c->devices[device].ever_set))
			device_memory(c, NULL, device, "never freed");
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
	ranges(c, RULE("leak-host-register"), c->registered, "registered host memory", "never unregistered");
	ranges(c, RULE("leak-vmm"), c->reserved, "reserved address ranges", "never released");
	objects(c, RULE("leak-vmm"), ACL_HANDLE_PHYS_MEM, "references to physical memory");
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
