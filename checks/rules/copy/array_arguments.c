/* SPDX-License-Identifier: Apache-2.0 */
/* Argument rules that need a loop: batch copies, lists of attributes, labels and notifies, placeholders. */

#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/rules/copy/batch_overlap.h"
#include "checks/state/device_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/plain_batch.h"

/* One sentence and one number; the rule was counted before the loop that finds it broken. */
static void say(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *detail, const char *name, uint64_t value)
{
	FINDING_BROKEN(c, call, rule, PARTS(part_uint(name, value)), "%s", detail);
}

/* --- batch copies ------------------------------------------------------------------------ */

static bool reserved_set(const aclrtMemcpyBatchAttr *attr)
{
	static const char zeros[sizeof(attr->rsv)];

	return memcmp(attr->rsv, zeros, sizeof(zeros)) != 0;
}

static const void *array_of(const struct acl_call_record *call, enum acl_role role)
{
	return acl_arg_pointer(call->api, call->args, role);
}

static void batch_attributes(
	struct checks *c, struct acl_call_record *call, uint64_t entries, struct batch_attributes *all)
{
	uint64_t n = acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE_COUNT), before = 0;

	if (n > entries) {
		say(c, call, RULE("batch-attr-indexes"), "There are more attributes than copies.", "numAttrs",
			n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const aclrtMemcpyBatchAttr *attr = program_array_at(&all->attributes, i);
		const size_t *index = program_array_at(&all->indexes, i);

		if (!attr || !index)
			return;
		if (reserved_set(attr))
			say(c, call, RULE("batch-attr-reserved"), "Reserved bytes of an attribute are not 0.",
				"attribute", i);
		if (*index >= entries)
			say(c, call, RULE("batch-attr-indexes"), "An index is beyond the last copy.",
				"attrsIndexes", i);
		else if (i == 0 && *index != 0)
			say(c, call, RULE("batch-attr-indexes"), "The first index must be 0.",
				"attrsIndexes[0]", *index);
		else if (i > 0 && *index <= before)
			say(c, call, RULE("batch-attr-indexes"), "The indexes do not go up.", "attrsIndexes",
				i);
		before = *index;
	}
}

static void batch_dependencies(struct checks *c, struct acl_call_record *call, const struct operation *op)
{
	uint64_t entry = batch_overlap(c, op);

	if (entry != BATCH_APART)
		say(c, call, RULE("batch-dependent-entries"),
			"One copy of the batch writes what another one uses.", "entry", entry);
}

static void batch_entries(struct checks *c, struct acl_call_record *call, const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (op->async && (!e.dst->span || !e.dst->address || !e.src->address))
			say(c, call, RULE("batch-zero-size-entry"), "An entry has no bytes or no address.",
				"entry", i);
		else if (e.dst->span > e.dst->limit)
			FINDING_BROKEN(c, call, RULE("batch-size-exceeds-destmax"),
				PARTS(part_uint("entry", i), part_bytes("size", e.dst->span),
					part_bytes("destMax", e.dst->limit)),
				"An entry is larger than its destination.");
	}
}

static void batch_evaluated(struct acl_call_record *call, bool async)
{
	rule_evaluated(call, async ? RULE("batch-zero-size-entry") : RULE("batch-count-limit"));
	rule_evaluated(call, RULE("batch-attr-indexes"));
	rule_evaluated(call, RULE("batch-attr-reserved"));
	rule_evaluated(call, RULE("batch-size-exceeds-destmax"));
	rule_evaluated(call, RULE("batch-dependent-entries"));
}

/* A list that every batch has; the entries of a plain one were read. */
static bool list_missing(const struct acl_call_record *call, const struct plain_batch *batch,
	const struct batch_attributes *all)
{
	if (!all->attributes.count || !all->indexes.count)
		return true;
	return !batch && (!array_of(call, ACL_ROLE_DSTS) || !array_of(call, ACL_ROLE_LIMITS) ||
				 !array_of(call, ACL_ROLE_SRCS));
}

/* From 9.1 on a batch of copies without bytes is over before its other lists are looked at. */
static bool nothing_to_copy(struct checks *c, const struct acl_call_record *call, uint64_t n)
{
	int target = load_relaxed(&c->target);
	struct program_array sizes;

	if (target >= 0 && target < ACL_CANN_9_1)
		return false;
	program_array_open(&sizes, c, array_of(call, ACL_ROLE_SIZES), sizeof(size_t), n);
	for (uint64_t i = 0; i < n; i++) {
		const size_t *size = program_array_at(&sizes, i);

		if (!size || *size)
			return false;
	}
	return true;
}

static void batch_arguments_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t n = acl_arg_value(call->api, call->args, ACL_ROLE_NUMBER);
	bool async = acl_apis[call->api].mode == ACL_MODE_ASYNC;
	const struct plain_batch *batch = plain_batch_of(call);
	struct batch_attributes *all = batch_attributes_of(c, call);
	const struct operation *op = NULL;

	if (!all || !array_of(call, ACL_ROLE_SIZES) || !n)
		return;
	if (!batch || !batch->apart)
		op = operation_of(c, call);
	if (op && op->n_entries && operation_is_nothing(op))
		return;
	rule_evaluated(call, RULE("batch-null-or-empty"));
	if (list_missing(call, batch, all)) {
		if (nothing_to_copy(c, call, n))
			return;
		say(c, call, RULE("batch-null-or-empty"), "A list of the batch is missing.", "numAttrs",
			acl_arg_value(call->api, call->args, ACL_ROLE_ATTRIBUTE_COUNT));
		return;
	}
	batch_evaluated(call, async);
	if (!async && n > 4096) {
		say(c, call, RULE("batch-count-limit"), "A synchronous batch takes at most 4096 copies.",
			"numBatches", n);
		return;
	}
	batch_attributes(c, call, n, all);
	/* The entries of a plain batch have sizes and addresses, and fit. */
	if (!batch)
		batch_entries(c, call, op);
	if (op)
		batch_dependencies(c, call, op);
}

/* --- attributes of allocations and launches ------------------------------------------------ */

/* The attributes of a configuration, as many as can be read. */
static void malloc_attributes(
	struct checks *c, const struct acl_call_record *call, struct program_array *attrs)
{
	aclrtMallocConfig cfg = {0};

	program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_CONFIGURATION), &cfg, sizeof(cfg));
	program_array_open(attrs, c, cfg.attrs, sizeof(*cfg.attrs), cfg.numAttrs);
}

static void check_malloc_config(struct checks *c, struct acl_call_record *call)
{
	bool host = acl_apis[call->api].operation == ACL_OP_ALLOCATE_HOST;
	const aclrtMallocAttribute *at;
	struct program_array attrs;

	malloc_attributes(c, call, &attrs);
	if (attrs.count)
		rule_evaluated(call, RULE("malloc-config-attrs-invalid"));
	for (uint64_t i = 0; (at = program_array_at(&attrs, i)) != NULL; i++) {
		aclrtMallocAttrType attr = at->attr;
		bool known = host ? attr == ACL_RT_MEM_ATTR_MODULE_ID || attr == ACL_RT_MEM_ATTR_VA_FLAG
				  : attr == ACL_RT_MEM_ATTR_RSV || attr == ACL_RT_MEM_ATTR_MODULE_ID ||
					     attr == ACL_RT_MEM_ATTR_DEVICE_ID;

		if (known)
			continue;
		FINDING_BROKEN(c, call, RULE("malloc-config-attrs-invalid"),
			PARTS(part_enum("attr", "aclrtMallocAttrType", attr)),
			"The function does not take this attribute.");
		return;
	}
}

static void check_config_device(struct checks *c, struct acl_call_record *call)
{
	int device = device_current(c, thread_of(call));
	const aclrtMallocAttribute *at;
	struct program_array attrs;

	check_malloc_config(c, call);
	if (device < 0)
		return;
	malloc_attributes(c, call, &attrs);
	for (uint64_t i = 0; (at = program_array_at(&attrs, i)) != NULL; i++)
		if (at->attr == ACL_RT_MEM_ATTR_DEVICE_ID &&
			FINDING(c, call, "malloc-config-device-mismatch",
				(int64_t)at->value.deviceId != device,
				PARTS(part_uint("deviceId", at->value.deviceId),
					part_int("current device", device)),
				"The configuration names device %u, the thread works on device %d.",
				(unsigned)at->value.deviceId, device))
			return;
}

/* The value of an attribute that is 0 or 1; 0 of any other. */
static unsigned launch_switch(const aclrtLaunchKernelAttr *a)
{
	switch (a->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		return a->value.schemMode;
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
		return a->value.isBlockTaskPrefetch;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
		return a->value.isDataDump;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return a->value.enableProfiling;
	default:
		return 0;
	}
}

static void check_launch(struct checks *c, struct acl_call_record *call)
{
	aclrtLaunchKernelCfg cfg = {0};
	const aclrtLaunchKernelAttr *at;
	struct program_array attrs;
	bool ms = false, us = false;

	program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_CONFIGURATION), &cfg, sizeof(cfg));
	program_array_open(&attrs, c, cfg.attrs, sizeof(*cfg.attrs), cfg.numAttrs);
	if (attrs.count)
		rule_evaluated(call, RULE("kernel-launch-cfg"));
	for (uint64_t i = 0; (at = program_array_at(&attrs, i)) != NULL; i++) {
		if (at->id < ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE ||
			at->id > ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING)
			say(c, call, RULE("kernel-launch-cfg"), "The function does not take this attribute.",
				"attribute", at->id);
		if (launch_switch(at) > 1)
			FINDING_BROKEN(c, call, RULE("kernel-launch-cfg"),
				PARTS(part_enum("attribute", "aclrtLaunchKernelAttrId", at->id),
					part_uint("value", launch_switch(at))),
				"The value of a launch attribute is out of range.");
		ms |= at->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
		us |= at->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
	}
	if (ms && us)
		say(c, call, RULE("kernel-launch-cfg"), "TIMEOUT and TIMEOUT_US are both given.", "numAttrs",
			cfg.numAttrs);
}

static void check_placeholders(struct checks *c, struct acl_call_record *call)
{
	const aclrtPlaceHolderInfo *array = acl_arg_pointer(call->api, call->args, ACL_ROLE_PLACEHOLDERS);
	size_t n = acl_arg_value(call->api, call->args, ACL_ROLE_PLACEHOLDER_COUNT);
	size_t size = acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES);
	const aclrtPlaceHolderInfo *at;
	struct program_array holders;

	program_array_open(&holders, c, array, sizeof(*array), n);
	if (holders.count)
		rule_evaluated(call, RULE("kernel-placeholder-range"));
	for (uint64_t i = 0; (at = program_array_at(&holders, i)) != NULL; i++) {
		/* The slot takes a pointer. */
		if (at->addrOffset >= size || size - at->addrOffset < sizeof(void *) ||
			at->dataOffset >= size)
			say(c, call, RULE("kernel-placeholder-range"),
				"A placeholder lies outside the arguments.", "placeholder", i);
		else if (at->addrOffset % 8)
			say(c, call, RULE("kernel-placeholder-range"),
				"The slot of a placeholder is not 8-byte aligned.", "addrOffset",
				at->addrOffset);
	}
}

/* --- lists ------------------------------------------------------------------------------------ */

static void check_barriers(struct checks *c, struct acl_call_record *call)
{
	aclrtBarrierTaskInfo info;

	if (!program_read(c, ACL_ARGS(call, aclrtCmoWaitBarrier)->taskInfo, &info, sizeof(info)))
		return;
	if (info.barrierNum)
		rule_evaluated(call, RULE("cmo-barrier-id"));
	for (size_t i = 0; i < info.barrierNum && i < ACL_RT_CMO_MAX_BARRIER_NUM; i++)
		if (info.cmoInfo[i].cmoType != ACL_RT_CMO_TYPE_INVALID || !info.cmoInfo[i].barrierId)
			say(c, call, RULE("cmo-barrier-id"),
				"Only INVALID operations with a number can be waited for.", "barrier", i);
}

/* --- labels ---------------------------------------------------------------------------- */

/* Labels that were met, each where its value leads; there are twice as many places as labels. */
struct labels_met {
	aclrtLabel *at;
	size_t mask;
};

/* false: it was met before. */
static bool label_meet(struct labels_met *met, aclrtLabel label)
{
	size_t i = mix64((uintptr_t)label) & met->mask;

	while (met->at[i] && met->at[i] != label)
		i = (i + 1) & met->mask;
	if (met->at[i])
		return false;
	met->at[i] = label;
	return true;
}

static void labels_compare(
	struct checks *c, struct acl_call_record *call, struct program_array *labels, struct labels_met *met)
{
	aclrtLabel const *at;

	for (uint64_t i = 0; (at = program_array_at(labels, i)) != NULL; i++)
		if (*at && !label_meet(met, *at))
			say(c, call, RULE("label-list-args"), "The same label stands in the list twice.",
				"position", i);
}

static void labels_destroyed(struct checks *c, struct acl_call_record *call, struct program_array *labels)
{
	struct acl_object *o, *gone = NULL;
	aclrtLabel const *at;
	bool known = false;
	uint64_t i;

	for (i = 0; !gone && (at = program_array_at(labels, i)) != NULL; i++) {
		o = *at ? object_find(c, ACL_HANDLE_LABEL, *at) : NULL;
		known = known || o;
		gone = o && !object_usable(o) ? o : NULL;
	}
	if (known)
		FINDING(c, call, "label-list-args", gone,
			PARTS(part_uint("position", i - 1), part_object("label", gone)),
			"A label of the list was destroyed before.");
}

/* True when an element is NULL. */
static bool label_missing(struct checks *c, struct acl_call_record *call, struct program_array *labels)
{
	aclrtLabel const *at;
	uint64_t i = 0;

	while ((at = program_array_at(labels, i)) != NULL && *at)
		i++;
	if (at)
		say(c, call, RULE("label-list-args"), "An element of the list is NULL.", "position", i);
	return at != NULL;
}

static void check_labels(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtCreateLabelList *a = call->args;
	struct labels_met met = {.mask = 127};
	struct program_array labels;

	program_array_open(&labels, c, a->labels, sizeof(*a->labels), a->num);
	if (label_missing(c, call, &labels))
		return;
	labels_destroyed(c, call, &labels);
	if (labels.count < 2 || !program_array_at(&labels, labels.count - 1))
		return;
	rule_evaluated(call, RULE("label-list-args"));
	while (met.mask < labels.count * 2)
		met.mask = met.mask * 2 + 1;
	met.at = checks_alloc(c, (met.mask + 1) * sizeof(*met.at));
	if (!met.at)
		return;
	labels_compare(c, call, &labels, &met);
	checks_forget(c, met.at, (met.mask + 1) * sizeof(*met.at));
}

/* The device it was made on; of one of another process it is not known. */
static int notify_device(struct acl_object *o)
{
	return o && !notify_has(o, NOTIFY_IMPORTED) ? load_relaxed(&o->device) : -1;
}

static void check_notifies(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtNotifyBatchReset *a = call->args;
	struct program_array notifies;
	aclrtNotify const *at;
	int first = -1, device;

	program_array_open(&notifies, c, a->notifies, sizeof(*a->notifies), a->num);
	if (notifies.count)
		rule_evaluated(call, RULE("notify-batch-reset-args"));
	for (uint64_t i = 0; (at = program_array_at(&notifies, i)) != NULL; i++) {
		struct acl_object *o = object_find(c, ACL_HANDLE_NOTIFY, *at);

		if (!*at)
			say(c, call, RULE("notify-batch-reset-args"), "A notify of the list is NULL.",
				"position", i);
		else if (o && load_relaxed(&o->state) == ACL_OBJECT_DESTROYED)
			say(c, call, RULE("notify-batch-reset-args"), "A notify of the list was destroyed.",
				"position", i);
		device = notify_device(o);
		if (first >= 0 && device >= 0 && device != first)
			say(c, call, RULE("notify-batch-reset-args"),
				"A notify of the list is of another device than those before it.", "position",
				i);
		first = first >= 0 ? first : device;
	}
}

static void check_prefetch(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemManagedPrefetchBatchAsync *a = call->args;
	struct program_array indexes, sizes;
	const size_t *at;
	size_t least = 0;

	if (!a->ptrs || !a->sizes || !a->prefetchLocIdxs)
		return;
	rule_evaluated(call, RULE("uvm-size-alignment"));
	program_array_open(&indexes, c, a->prefetchLocIdxs, sizeof(size_t),
		a->numPrefetchLocs < a->count ? a->numPrefetchLocs : a->count);
	for (uint64_t i = 0; (at = program_array_at(&indexes, i)) != NULL; i++) {
		bool up = i ? *at >= least : !*at;

		least = *at + 1;
		if (!up || *at >= a->count)
			FINDING_BROKEN(c, call, RULE("uvm-prefetch-batch-indexes"),
				PARTS(part_uint("position", i), part_uint("index", *at),
					part_uint("count", a->count)),
				"The indexes must begin at 0, go up and stay below count.");
	}
	program_array_open(&sizes, c, a->sizes, sizeof(size_t), a->count);
	for (uint64_t i = 0; (at = program_array_at(&sizes, i)) != NULL; i++)
		if (!*at || *at % (2u << 20) || *at > UINT64_C(3) << 40)
			FINDING_BROKEN(c, call, RULE("uvm-size-alignment"),
				PARTS(part_uint("entry", i), part_bytes("size", *at)),
				"A size is not a multiple of 2 MiB up to 3 TiB.");
}

static void check_name(struct checks *c, struct acl_call_record *call)
{
	char name[516];
	size_t n;

	if (!program_text(c, ACL_ARGS(call, aclmdlRISetName)->name, name, sizeof(name)))
		return;
	n = strlen(name);
	FINDING(c, call, "mdlri-name-length", n > 512, PARTS(part_uint("length", n)),
		"The name is longer than 512 characters.");
}

/* Before 9.1 the functions take no arguments: what stands there is left over from something else. */
static bool snapshot_has_arguments(const struct checks *c)
{
	return target_at_least(c, ACL_CANN_9_1) || load_relaxed(&c->runtime) >= ACL_CANN_9_1;
}

static void snapshot_of_another(struct checks *c, struct acl_call_record *call)
{
	int pid = ACL_ARGS(call, aclrtSnapShotProcessLock)->pid;

	FINDING(c, call, "snapshot-bad-args", pid != (int)call->pid, PARTS(part_int("pid", pid)),
		"Process %d is not the caller's own, %u.", pid, call->pid);
}

/* The process that is snapshot must be the caller's own. */
static void check_snapshot(struct checks *c, struct acl_call_record *call)
{
	if (snapshot_has_arguments(c))
		snapshot_of_another(c, call);
}

/* A runtime that calls an argument invalid takes arguments, and a program that passes its own pid, too. */
static void snapshot_refused(struct checks *c, struct acl_call_record *call)
{
	const void *reserved = ACL_ARGS(call, aclrtSnapShotProcessLock)->reserve;
	bool refused = error_of(call) == ACL_ERROR_INVALID_PARAM;

	if (snapshot_has_arguments(c))
		return;
	if (refused || ACL_ARGS(call, aclrtSnapShotProcessLock)->pid == (int)call->pid)
		snapshot_of_another(c, call);
	if (refused)
		FINDING(c, call, "snapshot-bad-args", reserved, PARTS(part_address("reserved", reserved)),
			"The reserved argument is not NULL.");
}

/* aclInit refused its configuration file. */
static void init_failed(struct checks *c, struct acl_call_record *call)
{
	bool unopened = error_of(call) == ACL_ERROR_INVALID_FILE;
	char path[256];

	if (!program_text(c, ACL_ARGS(call, aclInit)->configPath, path, sizeof(path)) || !path[0])
		return;
	FINDING(c, call, "init-config-unreadable", unopened || error_of(call) == ACL_ERROR_PARSE_FILE,
		PARTS(part_error("result", error_of(call))), "aclInit %s \"%s\".",
		unopened ? "cannot open" : "cannot parse", path);
}

static const struct check_hook hooks[] = {
	{ON_OP(COPY_BATCH), ACL_ENTER, batch_arguments_enter},
	{ON_OP_WITH(ALLOCATE_HOST, CONFIGURATION), ACL_ENTER, check_malloc_config},
	{ON_OP_WITH(ALLOCATE_DEVICE, CONFIGURATION), ACL_ENTER, check_config_device},
	{ON_OP_WITH(LAUNCH_KERNEL, CONFIGURATION), ACL_ENTER, check_launch},
	{ON_OP_WITH(LAUNCH_KERNEL, PLACEHOLDERS), ACL_ENTER, check_placeholders},
	{ON_OP(WAIT_BARRIER), ACL_ENTER, check_barriers},
	{ON_OP(CREATE_LABEL_LIST), ACL_ENTER, check_labels},
	{ON_OP(RESET_NOTIFY), ACL_ENTER, check_notifies},
	{ON_OP(MANAGED_PREFETCH_BATCH), ACL_ENTER, check_prefetch},
	{ON_OP(MODEL_SET_NAME), ACL_ENTER, check_name},
	{ON_GROUP(SNAPSHOT), ACL_ENTER, check_snapshot},
	{ON_GROUP(SNAPSHOT), ACL_LEAVE, snapshot_refused},
	{ON_OP(PROCESS_INIT), ACL_LEAVE, init_failed},
};

const struct check_module module_lists = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
