/* SPDX-License-Identifier: Apache-2.0 */
/* Argument rules that need a loop: batch copies, lists of attributes, labels and notifies, placeholders. */
#include "checks/report.h"
#include "checks/state.h"

/* One sentence and one number. */
static void say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *detail,
	const char *name, uint64_t value)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_uint(f, name, value);
	finding_show(c, f);
}

/* --- batch copies ------------------------------------------------------------------------ */

typedef struct acl_args_aclrtMemcpyBatch batch_args; /* all four forms begin alike, see legs.c */

static bool all_empty(const batch_args *a)
{
	for (size_t i = 0; i < a->numBatches; i++)
		if (a->sizes[i])
			return false;
	return true;
}

static bool reserved_set(const aclrtMemcpyBatchAttr *attr)
{
	for (size_t i = 0; i < sizeof(attr->rsv); i++)
		if (attr->rsv[i])
			return true;
	return false;
}

static void batch_attributes(struct checks *c, struct acl_event *ev, const batch_args *a)
{
	if (a->numAttrs > a->numBatches)
		say(c, ev, RULE("batch-attr-indexes"), "There are more attributes than copies.", "numAttrs",
			a->numAttrs);
	for (size_t i = 0; i < a->numAttrs && !ev->carry[CARRY_FINDING]; i++) {
		if (reserved_set(&a->attrs[i]))
			say(c, ev, RULE("batch-attr-reserved"), "Reserved bytes of an attribute are not 0.",
				"attribute", i);
		if (a->attrsIndexes[i] >= a->numBatches)
			say(c, ev, RULE("batch-attr-indexes"), "An index is beyond the last copy.",
				"attrsIndexes", i);
		else if (i == 0 && a->attrsIndexes[0] != 0)
			say(c, ev, RULE("batch-attr-indexes"), "The first index must be 0.",
				"attrsIndexes[0]", a->attrsIndexes[0]);
		else if (i > 0 && a->attrsIndexes[i] <= a->attrsIndexes[i - 1])
			say(c, ev, RULE("batch-attr-indexes"), "The indexes do not go up.", "attrsIndexes",
				i);
	}
}

static bool overlap(const void *a, size_t a_size, const void *b, size_t b_size)
{
	return (uintptr_t)a < (uintptr_t)b + b_size && (uintptr_t)b < (uintptr_t)a + a_size;
}

#define PAIRS 64 /* copies compared with each other; larger batches are compared among neighbours */

static void batch_dependencies(struct checks *c, struct acl_event *ev, const batch_args *a)
{
	for (size_t i = 0; i < a->numBatches; i++)
		for (size_t k = i + 1; k < a->numBatches && k <= i + PAIRS; k++) {
			if (!overlap(a->dsts[i], a->sizes[i], a->dsts[k], a->sizes[k]) &&
				!overlap(a->dsts[i], a->sizes[i], a->srcs[k], a->sizes[k]) &&
				!overlap(a->srcs[i], a->sizes[i], a->dsts[k], a->sizes[k]))
				continue;
			say(c, ev, RULE("batch-dependent-entries"),
				"One copy of the batch writes what another one uses.", "entry", k);
			return;
		}
}

static void batch_entries(struct checks *c, struct acl_event *ev, const batch_args *a)
{
	bool async = acl_apis[ev->api].mode == ACL_MODE_ASYNC;

	for (size_t i = 0; i < a->numBatches && !ev->carry[CARRY_FINDING]; i++) {
		if (async && (!a->sizes[i] || !a->dsts[i] || !a->srcs[i]))
			say(c, ev, RULE("batch-zero-size-entry"), "An entry has no bytes or no address.",
				"entry", i);
		else if (a->sizes[i] > a->destMaxs[i])
			say(c, ev, RULE("batch-size-exceeds-destmax"),
				"An entry is larger than its destination.", "entry", i);
	}
}

static void ask_of_batch(struct acl_event *ev)
{
	bool async = acl_apis[ev->api].mode == ACL_MODE_ASYNC;

	rule_asked(ev, async ? RULE("batch-zero-size-entry") : RULE("batch-count-limit"));
	rule_asked(ev, RULE("batch-attr-indexes"));
	rule_asked(ev, RULE("batch-attr-reserved"));
	rule_asked(ev, RULE("batch-size-exceeds-destmax"));
	rule_asked(ev, RULE("batch-dependent-entries"));
}

static void check_batch(struct checks *c, struct acl_event *ev)
{
	const batch_args *a = ev->args;

	if (ev->carry[CARRY_FINDING] || !a->sizes || !a->numBatches || all_empty(a))
		return;
	rule_asked(ev, RULE("batch-null-or-empty"));
	if (!a->dsts || !a->destMaxs || !a->srcs || !a->attrs || !a->attrsIndexes || !a->numAttrs) {
		say(c, ev, RULE("batch-null-or-empty"), "A list of the batch is missing.", "numAttrs",
			a->numAttrs);
		return;
	}
	ask_of_batch(ev);
	if (acl_apis[ev->api].mode != ACL_MODE_ASYNC && a->numBatches > 4096)
		say(c, ev, RULE("batch-count-limit"), "A synchronous batch takes at most 4096 copies.",
			"numBatches", a->numBatches);
	batch_attributes(c, ev, a);
	batch_entries(c, ev, a);
	if (!ev->carry[CARRY_FINDING])
		batch_dependencies(c, ev, a);
}

/* --- attributes of allocations and launches ------------------------------------------------ */

static void check_malloc_config(struct checks *c, struct acl_event *ev)
{
	bool host = ev->api == ACL_API_aclrtMallocHostWithCfg;
	const aclrtMallocConfig *cfg =
		host ? ACL_ARGS(ev, aclrtMallocHostWithCfg)->cfg : ACL_ARGS(ev, aclrtMallocWithCfg)->cfg;

	if (cfg && cfg->attrs && cfg->numAttrs)
		rule_asked(ev, RULE("malloc-config-attrs-invalid"));
	for (size_t i = 0; cfg && cfg->attrs && i < cfg->numAttrs; i++) {
		aclrtMallocAttrType attr = cfg->attrs[i].attr;
		bool known = host ? attr == ACL_RT_MEM_ATTR_MODULE_ID || attr == ACL_RT_MEM_ATTR_VA_FLAG
				  : attr == ACL_RT_MEM_ATTR_RSV || attr == ACL_RT_MEM_ATTR_MODULE_ID ||
					     attr == ACL_RT_MEM_ATTR_DEVICE_ID;

		if (known)
			continue;
		say(c, ev, RULE("malloc-config-attrs-invalid"), "The function does not take this attribute.",
			"attr", attr);
		return;
	}
}

static void check_config_device(struct checks *c, struct acl_event *ev)
{
	const aclrtMallocConfig *cfg = ACL_ARGS(ev, aclrtMallocWithCfg)->cfg;
	int device = device_current(c, thread_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	check_malloc_config(c, ev);
	if (device < 0 || ev->carry[CARRY_FINDING])
		return;
	for (size_t i = 0; cfg && cfg->attrs && i < cfg->numAttrs; i++) {
		if (cfg->attrs[i].attr != ACL_RT_MEM_ATTR_DEVICE_ID ||
			!rule_broken(ev, RULE("malloc-config-device-mismatch"),
				(int64_t)cfg->attrs[i].value.deviceId != device))
			continue;
		f = finding_first(c, ev, RULE("malloc-config-device-mismatch"), &room);
		if (!f)
			return;
		finding_detail(f, "The configuration names device %u, the thread works on device %d.",
			(unsigned)cfg->attrs[i].value.deviceId, device);
		finding_uint(f, "deviceId", cfg->attrs[i].value.deviceId);
		finding_int(f, "current device", device);
		finding_show(c, f);
		return;
	}
}

static const aclrtLaunchKernelCfg *launch_config(const struct acl_event *ev)
{
	switch (ev->api) {
	case ACL_API_aclrtLaunchKernelV2:
		return ACL_ARGS(ev, aclrtLaunchKernelV2)->cfg;
	case ACL_API_aclrtLaunchKernelWithArgsArray:
		return ACL_ARGS(ev, aclrtLaunchKernelWithArgsArray)->cfg;
	case ACL_API_aclrtLaunchKernelWithConfig:
		return ACL_ARGS(ev, aclrtLaunchKernelWithConfig)->cfg;
	case ACL_API_aclrtLaunchKernelWithHostArgs:
		return ACL_ARGS(ev, aclrtLaunchKernelWithHostArgs)->cfg;
	case ACL_API_aclrtLaunchSIMTKernelWithArgsArray:
		return ACL_ARGS(ev, aclrtLaunchSIMTKernelWithArgsArray)->cfg;
	default:
		return ACL_ARGS(ev, aclrtLaunchSIMTKernelWithHostArgs)->cfg;
	}
}

static bool launch_value_bad(const aclrtLaunchKernelAttr *a)
{
	switch (a->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		return a->value.schemMode > 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
		return a->value.isBlockTaskPrefetch > 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
		return a->value.isDataDump > 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return a->value.enableProfiling > 1;
	default:
		return false;
	}
}

static void check_launch(struct checks *c, struct acl_event *ev)
{
	const aclrtLaunchKernelCfg *cfg = launch_config(ev);
	bool ms = false, us = false;

	if (cfg && cfg->attrs && cfg->numAttrs)
		rule_asked(ev, RULE("kernel-launch-cfg"));
	for (size_t i = 0; cfg && cfg->attrs && i < cfg->numAttrs; i++) {
		if (launch_value_bad(&cfg->attrs[i]))
			say(c, ev, RULE("kernel-launch-cfg"),
				"The value of a launch attribute is out of range.", "attribute",
				cfg->attrs[i].id);
		ms |= cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT;
		us |= cfg->attrs[i].id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US;
	}
	if (ms && us)
		say(c, ev, RULE("kernel-launch-cfg"), "TIMEOUT and TIMEOUT_US are both given.", "numAttrs",
			cfg->numAttrs);
}

static void check_placeholders(struct checks *c, struct acl_event *ev)
{
	bool simt = ev->api == ACL_API_aclrtLaunchSIMTKernelWithHostArgs;
	const aclrtPlaceHolderInfo *at =
		simt ? ACL_ARGS(ev, aclrtLaunchSIMTKernelWithHostArgs)->placeHolderArray
		     : ACL_ARGS(ev, aclrtLaunchKernelWithHostArgs)->placeHolderArray;
	size_t n = simt ? ACL_ARGS(ev, aclrtLaunchSIMTKernelWithHostArgs)->placeHolderNum
			: ACL_ARGS(ev, aclrtLaunchKernelWithHostArgs)->placeHolderNum;
	size_t size = simt ? ACL_ARGS(ev, aclrtLaunchSIMTKernelWithHostArgs)->argsSize
			   : ACL_ARGS(ev, aclrtLaunchKernelWithHostArgs)->argsSize;

	check_launch(c, ev);
	if (at && n)
		rule_asked(ev, RULE("kernel-placeholder-range"));
	for (size_t i = 0; at && i < n && !ev->carry[CARRY_FINDING]; i++) {
		if (at[i].addrOffset >= size || at[i].dataOffset >= size)
			say(c, ev, RULE("kernel-placeholder-range"),
				"A placeholder lies outside the arguments.", "placeholder", i);
		else if (at[i].addrOffset % 8)
			say(c, ev, RULE("kernel-placeholder-range"),
				"The slot of a placeholder is not 8-byte aligned.", "addrOffset",
				at[i].addrOffset);
	}
}

/* --- lists ------------------------------------------------------------------------------------ */

static void check_barriers(struct checks *c, struct acl_event *ev)
{
	const aclrtBarrierTaskInfo *info = ACL_ARGS(ev, aclrtCmoWaitBarrier)->taskInfo;

	if (info && info->barrierNum)
		rule_asked(ev, RULE("cmo-barrier-id"));
	for (size_t i = 0; info && i < info->barrierNum && i < ACL_RT_CMO_MAX_BARRIER_NUM; i++)
		if (info->cmoInfo[i].cmoType != ACL_RT_CMO_TYPE_INVALID || !info->cmoInfo[i].barrierId)
			say(c, ev, RULE("cmo-barrier-id"),
				"A barrier to wait for is no INVALID operation with a number.", "barrier", i);
}

static void check_labels(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtCreateLabelList *a = ev->args;

	if (a->labels && a->num > 1)
		rule_asked(ev, RULE("label-list-args"));
	for (size_t i = 0; a->labels && i < a->num && i < PAIRS; i++)
		for (size_t k = i + 1; k < a->num && k < PAIRS; k++)
			if (a->labels[i] && a->labels[i] == a->labels[k])
				say(c, ev, RULE("label-list-args"),
					"The same label stands in the list twice.", "position", k);
}

static void check_notifies(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtNotifyBatchReset *a = ev->args;
	int device = -1;

	if (a->notifies && a->num)
		rule_asked(ev, RULE("notify-batch-reset-args"));
	for (size_t i = 0; a->notifies && i < a->num && !ev->carry[CARRY_FINDING]; i++) {
		struct acl_object *o = object_find(c, ACL_HANDLE_NOTIFY, a->notifies[i]);

		if (!a->notifies[i])
			say(c, ev, RULE("notify-batch-reset-args"), "A notify of the list is NULL.",
				"position", i);
		else if (o && ld(&o->state) == ACL_OBJECT_DEAD)
			say(c, ev, RULE("notify-batch-reset-args"), "A notify of the list was destroyed.",
				"position", i);
		else if (o && device >= 0 && ld(&o->device) >= 0 && ld(&o->device) != device)
			say(c, ev, RULE("notify-batch-reset-args"),
				"The notifies belong to different devices.", "position", i);
		else if (o)
			device = ld(&o->device);
	}
}

static void check_prefetch(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemManagedPrefetchBatchAsync *a = ev->args;

	if (!a->ptrs || !a->sizes || !a->prefetchLocIdxs)
		return;
	rule_asked(ev, RULE("uvm-prefetch-batch-indexes"));
	rule_asked(ev, RULE("uvm-size-alignment"));
	for (size_t i = 0; i < a->numPrefetchLocs && i < a->count && !ev->carry[CARRY_FINDING]; i++) {
		bool up = i == 0 ? a->prefetchLocIdxs[0] == 0
				 : a->prefetchLocIdxs[i] > a->prefetchLocIdxs[i - 1];

		if (!up || a->prefetchLocIdxs[i] >= a->count)
			say(c, ev, RULE("uvm-prefetch-batch-indexes"),
				"The indexes must begin at 0, go up and stay below count.", "prefetchLocIdxs",
				i);
	}
	for (size_t i = 0; i < a->count && !ev->carry[CARRY_FINDING]; i++)
		if (!a->sizes[i] || a->sizes[i] % (2u << 20))
			say(c, ev, RULE("uvm-size-alignment"), "A size is no multiple of 2 MiB.", "entry", i);
}

static void check_name(struct checks *c, struct acl_event *ev)
{
	const char *name = ACL_ARGS(ev, aclmdlRISetName)->name;
	size_t n = name ? strnlen(name, 4096) : 0;

	if (name && rule_broken(ev, RULE("mdlri-name-length"), n > 512))
		say(c, ev, RULE("mdlri-name-length"), "The name is longer than 512 characters.", "length", n);
}

/* The process that is snapshot must be the caller's own; before 9.1 the functions take no arguments. */
static void check_snapshot(struct checks *c, struct acl_event *ev)
{
	int pid = ACL_ARGS(ev, aclrtSnapShotProcessLock)->pid;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!target_at_least(c, ACL_CANN_9_1) ||
		!rule_broken(ev, RULE("snapshot-bad-args"), pid != (int)ev->pid))
		return;
	f = finding_first(c, ev, RULE("snapshot-bad-args"), &room);
	if (!f)
		return;
	finding_detail(f, "Process %d is not the caller's own, %u.", pid, ev->pid);
	finding_int(f, "pid", pid);
	finding_show(c, f);
}

/* aclInit refused its configuration file. */
static void init_failed(struct checks *c, struct acl_event *ev)
{
	const char *path = ACL_ARGS(ev, aclInit)->configPath;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!path || !path[0] ||
		!rule_broken(ev, RULE("init-config-unreadable"),
			error_of(ev) == ACL_ERROR_INVALID_FILE || error_of(ev) == ACL_ERROR_PARSE_FILE))
		return;
	f = finding_first(c, ev, RULE("init-config-unreadable"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "aclInit %s \"%s\".",
		error_of(ev) == ACL_ERROR_INVALID_FILE ? "cannot open" : "cannot parse", path);
	finding_error(f, "result", error_of(ev));
	finding_show(c, f);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpyBatch, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchV2, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, check_batch},
	{ACL_API_aclrtMallocHostWithCfg, ACL_ENTER, check_malloc_config},
	{ACL_API_aclrtMallocWithCfg, ACL_ENTER, check_config_device},
	{ACL_API_aclrtMallocForTaskScheduler, ACL_ENTER, check_config_device},
	{ACL_API_aclrtLaunchKernelV2, ACL_ENTER, check_launch},
	{ACL_API_aclrtLaunchKernelWithArgsArray, ACL_ENTER, check_launch},
	{ACL_API_aclrtLaunchKernelWithConfig, ACL_ENTER, check_launch},
	{ACL_API_aclrtLaunchSIMTKernelWithArgsArray, ACL_ENTER, check_launch},
	{ACL_API_aclrtLaunchKernelWithHostArgs, ACL_ENTER, check_placeholders},
	{ACL_API_aclrtLaunchSIMTKernelWithHostArgs, ACL_ENTER, check_placeholders},
	{ACL_API_aclrtCmoWaitBarrier, ACL_ENTER, check_barriers},
	{ACL_API_aclrtCreateLabelList, ACL_ENTER, check_labels},
	{ACL_API_aclrtNotifyBatchReset, ACL_ENTER, check_notifies},
	{ACL_API_aclrtMemManagedPrefetchBatchAsync, ACL_ENTER, check_prefetch},
	{ACL_API_aclmdlRISetName, ACL_ENTER, check_name},
	{ACL_API_aclrtSnapShotProcessLock, ACL_ENTER, check_snapshot},
	{ACL_API_aclrtSnapShotProcessUnlock, ACL_ENTER, check_snapshot},
	{ACL_API_aclrtSnapShotProcessBackup, ACL_ENTER, check_snapshot},
	{ACL_API_aclrtSnapShotProcessRestore, ACL_ENTER, check_snapshot},
	{ACL_API_aclInit, ACL_LEAVE, init_failed},
};

const struct acl_topic topic_lists = {
	.name = "lists",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
