/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices: what was queried, enabled, copied between them, and is still in use. */
#include "checks/engine/plain_format.h"
#include "checks/rules/copy/copy_operands.h"
#include "checks/rules/copy/earlier_access.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define BIT(n) (UINT64_C(1) << (n))

static bool bit_of(_Atomic uint64_t *set, int n)
{
	return n >= 0 && n < ACL_DEVICES && load_relaxed(set) & BIT(n);
}

struct peer_state {
	_Atomic uint64_t enabled_unasked[ACL_DEVICES]; /* bit p: reported that the pair was never queried */
};

static struct peer_state *peers(struct checks *c)
{
	return module_state(c, peer);
}

/* --- peer-access-denied ------------------------------------------------------------------ */

static void report_denied(struct checks *c, struct acl_call_record *call, int from, int to, const char *what)
{
	/* The other order was answered with yes: the question may have been the wrong way round. */
	bool other_way = bit_of(&device_at(c, to)->allowed, from);

	FINDING_BROKEN(c, call, RULE("peer-access-denied"),
		PARTS(other_way ? part_severity(ACL_SEV_WARNING) : part_none(), part_int("device", from),
			part_int("peer", to)),
		"aclrtDeviceCanAccessPeer(%d, %d) answered 0, and %s", from, to, what);
}

static bool never_asked(struct acl_device *d, struct acl_device *peer, int from, int to)
{
	return !((load_relaxed(&d->allowed) | load_relaxed(&d->denied)) & BIT(to)) &&
	       !((load_relaxed(&peer->allowed) | load_relaxed(&peer->denied)) & BIT(from));
}

/* Enabled without asking whether it can be, in either order; reported once a pair. */
static void check_asked(struct checks *c, struct acl_call_record *call, int from, int to)
{
	struct acl_device *d = device_at(c, from), *peer = device_at(c, to);

	if (d && peer && from != to)
		FINDING(c, call, "peer-not-queried",
			never_asked(d, peer, from, to) &&
				!(atomic_fetch_or(&peers(c)->enabled_unasked[from], BIT(to)) & BIT(to)),
			PARTS(part_int("device", from), part_int("peer", to)),
			"aclrtDeviceCanAccessPeer was never called for the devices %d and %d.", from, to);
}

static void check_other(struct checks *c, struct acl_call_record *call, int current, int peer)
{
	if (peer >= 0)
		FINDING(c, call, "peer-same-device", current == peer, NO_PARTS,
			"This is the current device itself.");
}

static void enabling(struct checks *c, struct acl_call_record *call)
{
	int from = device_current(c, thread_of(call)),
	    to = ACL_ARGS(call, aclrtDeviceEnablePeerAccess)->peerDeviceId;
	struct acl_device *d = device_at(c, from), *peer = device_at(c, to);

	check_other(c, call, from, to);
	check_asked(c, call, from, to);
	if (d && peer)
		rule_evaluated(call, RULE("peer-access-denied"));
	if (d && peer && bit_of(&d->denied, to))
		report_denied(c, call, from, to, "the access is enabled all the same");
	else if (d && peer && bit_of(&peer->denied, from))
		report_denied(c, call, to, from, "the access is enabled all the same");
}

/* --- peer-disable-not-enabled ---------------------------------------------------------------- */

/* A stream of the device (< 0: of any) with a copy on its way that may use memory of the other one; what the
 * host may know on other ways to be done is over. */
static struct acl_object *copying_stream(struct checks *c, int device, int other)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_STREAM, o)
	{
		uint64_t touched = 1;

		if (!object_usable(o) || (device >= 0 && load_relaxed(&o->device) != device))
			continue;
		for (unsigned i = 0; i < TOUCHED_DEVICES && touched; i++) {
			touched = stream_rarely(o, touched[i]);
			if (touched >> 48 == (uint64_t)(other + 1) &&
				task_surely_pending(c, o, touched & TOUCHED_POSITION))
				return o;
		}
	}
	return NULL;
}

/*
 * Memory of the device that a task of another one (< 0: of any other) uses: of tasks of models that is all
 * there is, as long as other rules let accesses be followed: for these alone each copy would cost more. What
 * is mapped needs no peer access, and does not go with a reset.
 */
static bool used_from_outside(struct checks *c, int device, int other, struct access_conflict *x)
{
	struct acl_block *b;
	unsigned compared;

	map_each(memory_blocks(c), b)
	{
		uint64_t base = load_relaxed(&b->base);
		struct access_question q = {.block = b,
			.start = base,
			.end = base + load_relaxed(&b->size),
			.writes = true,
			.device = other,
			.not_device = device};

		if (load_relaxed(&b->device) == device && load_relaxed(&b->kind) == MEM_DEVICE &&
			access_in_flight(c, &q, x, &compared))
			return true;
	}
	return false;
}

/* A stream of the device with a task on its way that needs access to the other one. */
static struct acl_object *stream_between(struct checks *c, int device, int other)
{
	struct acl_object *s = copying_stream(c, device, other);
	struct access_conflict x;

	if (s || !used_from_outside(c, other, device, &x))
		return s;
	s = object_of(c, x.earlier.stream);
	return s && !(x.earlier.flags & ACCESS_MAYBE) && !order_may_be_unseen(c, s, NULL) ? s : NULL;
}

static void disabling(struct checks *c, struct acl_call_record *call)
{
	int device = device_current(c, thread_of(call)),
	    peer = ACL_ARGS(call, aclrtDeviceDisablePeerAccess)->peerDeviceId;
	struct acl_object *s = NULL;
	bool enabled;

	check_other(c, call, device, peer);
	if (!device_at(c, device) || !device_at(c, peer) || peers_unknown(c))
		return;
	enabled = bit_of(&device_at(c, device)->peers, peer);
	if (enabled && checks_happened(c, WHEN_DEVICES)) {
		s = stream_between(c, device, peer);
		s = s ? s : stream_between(c, peer, device);
	}
	FINDING(c, call, "peer-disable-not-enabled", !enabled || s, PARTS(part_object("stream", s)), "%s",
		enabled ? "A copy between the two devices is on its way, and the host has not waited for it."
			: "Access to this device was not enabled by this process.");
}

/* --- peer-access-before-setdevice ------------------------------------------------------------ */

/* The runtime always looks: its answer decides. */
static void no_device(struct checks *c, struct acl_call_record *call)
{
	bool known;

	if (error_of(call) != ACL_ERROR_RT_CONTEXT_NULL || context_current(c, thread_of(call), &known) ||
		!known)
		return;
	/* Both functions begin with the peer. */
	FINDING_BROKEN(c, call, RULE("peer-access-before-setdevice"),
		PARTS(part_int("peer", ACL_ARGS(call, aclrtDeviceDisablePeerAccess)->peerDeviceId)),
		"This thread has no current device, which is one of the two peers.");
}

/* --- p2p-map-no-peer ------------------------------------------------------------------------- */

static void peer_map_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemP2PMap *a = call->args;
	struct block_lookup place;
	int owner, to = a->dstDevId;
	char text[96];

	if (!a->devPtr || !map_find(memory_blocks(c), (uintptr_t)a->devPtr, &place) ||
		place.kind != MEM_DEVICE)
		return;
	owner = load_relaxed(&place.block->device);
	if (!device_at(c, owner) || !device_at(c, to) || peers_unknown(c))
		return;
	FINDING(c, call, "p2p-map-no-peer",
		owner == to || (!bit_of(&device_at(c, owner)->peers, to) &&
				       !bit_of(&device_at(c, to)->peers, owner)),
		PARTS(part_int("device of the memory", owner), part_int("dstDevId", to),
			part_block("memory", place.block)),
		"%s",
		owner == to
			? plain_print(text, sizeof(text), "The memory is that of device %d itself.", owner)
			: plain_print(text, sizeof(text),
				  "Neither of the devices %d and %d has peer access to the other enabled.",
				  owner, to));
}

/* --- memcpy-cross-device-no-p2p-policy --------------------------------------------------------- */

static bool plain_policy(const struct op_access *s)
{
	switch (load_relaxed(&s->block.block->policy) - 1) {
	case ACL_MEM_MALLOC_HUGE_FIRST:
	case ACL_MEM_MALLOC_HUGE_ONLY:
	case ACL_MEM_MALLOC_NORMAL_ONLY:
	case ACL_MEM_MALLOC_HUGE1G_ONLY:
		return true;
	default:
		return false; /* for peers, or unknown */
	}
}

static void check_policy(struct checks *c, struct acl_call_record *call, const struct op_access *side)
{
	char text[OPERAND_TEXT];

	/* Said once for each allocation; nothing is lost where every memory is fit for it. */
	if (load_relaxed(&side->block.block->marks) & BLOCK_REPORTED || soc_is(c, "910B") ||
		soc_is(c, "910_93"))
		return;
	if (FINDING(c, call, "memcpy-cross-device-no-p2p-policy", plain_policy(side),
		    PARTS(OPERAND_PARTS(side)),
		    "The copy goes to another device, and %s, allocated without a P2P policy.",
		    operand_text(side, text)))
		block_marked(side->block.block, BLOCK_REPORTED);
}

/* --- peer-copy-not-enabled ------------------------------------------------------------------ */

static void check_enabled(struct checks *c, struct acl_call_record *call, const struct op_access *src,
	const struct op_access *dst, int from, int to)
{
	bool other_way = bit_of(&device_at(c, from)->peers, to);

	/* The documents of this product do not ask for it. */
	if (soc_is(c, "910_93"))
		return;
	/* Libraries enable access in the driver, where it is not seen. */
	FINDING(c, call, "peer-copy-not-enabled", !bit_of(&device_at(c, to)->peers, from),
		PARTS(other_way || other_submitters_possible(c, CHECKS_OTHER_WORK)
				? part_severity(ACL_SEV_WARNING)
				: part_none(),
			part_int("source device", from), part_int("destination device", to),
			OPERAND_PARTS(src), OPERAND_PARTS(dst)),
		"The copy goes from device %d to device %d; %s.", from, to,
		other_way ? "only access the other way round was enabled"
			  : "neither of them has peer access to the other enabled");
}

/* Devices of the two sides when both are certain and differ. */
static bool crosses(
	struct checks *c, const struct op_access *src, const struct op_access *dst, int *from, int *to)
{
	if (!src->block.block || !dst->block.block || src->block.kind != MEM_DEVICE ||
		dst->block.kind != MEM_DEVICE)
		return false;
	*from = load_relaxed(&src->block.block->device);
	*to = load_relaxed(&dst->block.block->device);
	return device_at(c, *from) && device_at(c, *to) && *from != *to;
}

/* What was queried, enabled and denied between the two devices. */
static void check_crossing(struct checks *c, struct acl_call_record *call, const struct op_access *src,
	const struct op_access *dst, int from, int to)
{
	check_policy(c, call, src);
	check_policy(c, call, dst);
	rule_evaluated(call, RULE("peer-access-denied"));
	if (bit_of(&device_at(c, to)->denied, from))
		report_denied(c, call, to, from, "the copy goes between these devices");
	else if (bit_of(&device_at(c, from)->denied, to))
		report_denied(c, call, from, to, "the copy goes between these devices");
	else if (!peers_unknown(c))
		check_enabled(c, call, src, dst, from, to);
}

static void peer_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;
	int from, to;

	if (!checks_happened(c, WHEN_DEVICES))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (crosses(c, e.src, e.dst, &from, &to))
			check_crossing(c, call, e.src, e.dst, from, to);
	}
}

/* --- peer-device-reset-in-use ------------------------------------------------------------------ */

static void outside_use_report(struct checks *c, struct acl_call_record *call, int device)
{
	struct access_conflict x;
	struct acl_object *s = used_from_outside(c, device, -1, &x) ? object_of(c, x.earlier.stream) : NULL;

	if (!s)
		return;
	stream_loses(call, s);
	FINDING_BROKEN(c, call, RULE("peer-device-reset-in-use"),
		PARTS(part_int("device", device), part_history("task in flight", earlier_history, &x),
			part_object("its stream", s), part_block("memory", x.block),
			part_advice(x.earlier.flags & ACCESS_MAYBE || order_may_be_unseen(c, s, NULL))),
		"Device %d goes out of use, and nothing the host did shows that %s on %s of device %d, which "
		"uses "
		"its memory, is done. " HOST_EDGE,
		device, acl_apis[x.earlier.api].name, STREAM_TEXT(s), load_relaxed(&s->device),
		HOST_EDGE_ARGS(s, x.earlier.api));
}

static void peer_reset_enter(struct checks *c, struct acl_call_record *call)
{
	int device = device_argument(call);
	struct acl_object *s;

	if (!is_checked(call) || !checks_happened(c, WHEN_DEVICES) || !device_reset_is_last(c, call, device))
		return;
	s = copying_stream(c, -1, device);
	if (s)
		stream_loses(call, s);
	FINDING(c, call, "peer-device-reset-in-use", s,
		PARTS(part_int("device", device), part_object("stream", s)),
		"Device %d goes out of use while a copy on %s of device %d may still use its "
		"memory.",
		device, STREAM_TEXT(s), load_relaxed(&s->device));
	if (!s)
		outside_use_report(c, call, device);
}

static const struct check_hook hooks[] = {
	{ON_OP(PEER_ENABLE), ACL_ENTER, enabling},
	{ON_OP(PEER_DISABLE), ACL_ENTER, disabling},
	{ON_GROUP(PEER), ACL_FAILED, no_device},
	{ON_OP(MAP_PEER), ACL_ENTER, peer_map_enter},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(DEVICES) | ACL_UNLESS_PLAIN, peer_copy_enter},
	{ON_OP(DEVICE_RESET), ACL_ENTER, peer_reset_enter},
};

static bool peer_create(struct checks *c)
{
	rule_evaluated_by_operation(c, RULE("peer-access-before-setdevice"), ACL_OP_PEER_ENABLE);
	rule_evaluated_by_operation(c, RULE("peer-access-before-setdevice"), ACL_OP_PEER_DISABLE);
	return true;
}

const struct check_module module_peer = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct peer_state),
	.create = peer_create,
};
