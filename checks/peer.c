/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two devices: what was asked, enabled and is still in use. */
#include "checks/report.h"
#include "checks/sides.h"
#include "checks/state.h"

#define NO_CONTEXT 107002
#define BIT(n) (UINT64_C(1) << (n))

static bool bit_of(_Atomic uint64_t *set, int n)
{
	return n >= 0 && n < ACL_DEVICES && ld(set) & BIT(n);
}

struct peer_state {
	_Atomic uint64_t enabled_unasked[ACL_DEVICES]; /* bit p: said that nobody had asked about the pair */
};

static struct peer_state *peers(struct checks *c)
{
	return c->topic[TOPIC_PEERS];
}

/* --- what the program asked and enabled ------------------------------------------- */

static void answered(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtDeviceCanAccessPeer *a = ev->args;
	struct acl_device *d = device_at(c, a->deviceId);

	if (!succeeded(ev) || !a->canAccessPeer || !d || !device_at(c, a->peerDeviceId))
		return;
	atomic_fetch_or(*a->canAccessPeer ? &d->allowed : &d->denied, BIT(a->peerDeviceId));
	atomic_fetch_and(*a->canAccessPeer ? &d->denied : &d->allowed, ~BIT(a->peerDeviceId));
}

static void enabled(struct checks *c, struct acl_event *ev)
{
	struct acl_device *d = device_at(c, device_current(c, thread_of(ev)));
	int peer = ACL_ARGS(ev, aclrtDeviceEnablePeerAccess)->peerDeviceId;

	if (!succeeded(ev))
		return;
	if (d && device_at(c, peer))
		atomic_fetch_or(&d->peers, BIT(peer));
	else
		st(&c->peers_unknown, true);
}

static void disabled(struct checks *c, struct acl_event *ev)
{
	struct acl_device *d = device_at(c, device_current(c, thread_of(ev)));
	int peer = ACL_ARGS(ev, aclrtDeviceDisablePeerAccess)->peerDeviceId;

	if (succeeded(ev) && d && device_at(c, peer))
		atomic_fetch_and(&d->peers, ~BIT(peer));
}

/* Imports of memory of other processes and devices enable access by themselves, of notifies when asked. */
static void imported(struct checks *c, struct acl_event *ev)
{
	if (ev->api == ACL_API_aclrtNotifyImportByKey &&
		ACL_ARGS(ev, aclrtNotifyImportByKey)->flags == ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT)
		return;
	if (succeeded(ev))
		st(&c->peers_unknown, true);
}

/* --- peer-access-denied ------------------------------------------------------------------ */

static void report_denied(struct checks *c, struct acl_event *ev, int from, int to, const char *what)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	/* The other order was answered with yes: the question may have been the wrong way round. */
	if (bit_of(&device_at(c, to)->allowed, from))
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("peer-access-denied"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "aclrtDeviceCanAccessPeer(%d, %d) answered 0, and %s", from, to, what);
	finding_int(f, "device", from);
	finding_int(f, "peer", to);
	finding_show(c, f);
}

/* Enabled without asking whether it can be, in either order; said once a pair. */
static void check_asked(struct checks *c, struct acl_event *ev, int from, int to)
{
	struct acl_device *d = device_at(c, from), *peer = device_at(c, to);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!d || !peer || from == to)
		return;
	if (!rule_broken(ev, RULE("peer-not-queried"),
		    !((ld(&d->allowed) | ld(&d->denied)) & BIT(to)) &&
			    !((ld(&peer->allowed) | ld(&peer->denied)) & BIT(from))) ||
		atomic_fetch_or(&peers(c)->enabled_unasked[from], BIT(to)) & BIT(to))
		return;
	f = finding_begin(c, ev, RULE("peer-not-queried"), &room);
	if (!f)
		return;
	finding_detail(f, "aclrtDeviceCanAccessPeer was never asked about the devices %d and %d.", from, to);
	finding_int(f, "device", from);
	finding_int(f, "peer", to);
	finding_show(c, f);
}

static void enabling(struct checks *c, struct acl_event *ev)
{
	int from = device_current(c, thread_of(ev)),
	    to = ACL_ARGS(ev, aclrtDeviceEnablePeerAccess)->peerDeviceId;
	struct acl_device *d = device_at(c, from), *peer = device_at(c, to);

	check_asked(c, ev, from, to);
	if (d && peer)
		rule_asked(ev, RULE("peer-access-denied"));
	if (d && peer && bit_of(&d->denied, to))
		report_denied(c, ev, from, to, "the access is enabled all the same");
	else if (d && peer && bit_of(&peer->denied, from))
		report_denied(c, ev, to, from, "the access is enabled all the same");
}

/* --- peer-access-before-setdevice ------------------------------------------------------------ */

/* The runtime always looks: its answer decides. */
static void no_device(struct checks *c, struct acl_event *ev)
{
	struct finding_buffer room;
	struct acl_finding *f;
	bool known;

	if (error_of(ev) != NO_CONTEXT || ev->carry[CARRY_FINDING] ||
		context_current(c, thread_of(ev), &known) || !known)
		return;
	f = finding_begin(c, ev, RULE("peer-access-before-setdevice"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "This thread has no current device, which is one of the two peers.");
	/* Both functions begin with the peer. */
	finding_int(f, "peer", ACL_ARGS(ev, aclrtDeviceDisablePeerAccess)->peerDeviceId);
	finding_show(c, f);
}

/* --- p2p-map-no-peer ------------------------------------------------------------------------- */

static void mapping(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemP2PMap *a = ev->args;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_place place;
	int owner;

	if (!a->devPtr || ev->carry[CARRY_FINDING] || !map_find(c->memory, (uintptr_t)a->devPtr, &place) ||
		place.kind != MEM_DEVICE)
		return;
	owner = ld(&place.block->device);
	if (!device_at(c, owner) || !device_at(c, a->dstDevId) || ld(&c->peers_unknown))
		return;
	if (!rule_broken(ev, RULE("p2p-map-no-peer"),
		    owner == a->dstDevId || (!bit_of(&device_at(c, owner)->peers, a->dstDevId) &&
						    !bit_of(&device_at(c, a->dstDevId)->peers, owner))))
		return;
	f = finding_begin(c, ev, RULE("p2p-map-no-peer"), &room);
	if (!f)
		return;
	if (owner == a->dstDevId)
		finding_detail(f, "The memory is that of device %d itself.", owner);
	else
		finding_detail(f, "Neither of the devices %d and %d has peer access to the other enabled.",
			owner, a->dstDevId);
	finding_int(f, "device of the memory", owner);
	finding_int(f, "dstDevId", a->dstDevId);
	finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

/* --- memcpy-cross-device-no-p2p-policy --------------------------------------------------------- */

static bool plain_policy(const struct side *s)
{
	switch (ld(&s->place.block->policy) - 1) {
	case ACL_MEM_MALLOC_HUGE_FIRST:
	case ACL_MEM_MALLOC_HUGE_ONLY:
	case ACL_MEM_MALLOC_NORMAL_ONLY:
	case ACL_MEM_MALLOC_HUGE1G_ONLY:
		return true;
	default:
		return false; /* for peers, or unknown */
	}
}

static void check_policy(struct checks *c, struct acl_event *ev, const struct side *side)
{
	struct finding_buffer room;
	struct acl_finding *f;

	/* Said once for each allocation; nothing is lost where every memory is fit for it. */
	if (ld(&side->place.block->marks) & BLOCK_SAID ||
		(c->soc && (strstr(c->soc, "910B") || strstr(c->soc, "910_93"))) ||
		!rule_broken(ev, RULE("memcpy-cross-device-no-p2p-policy"), plain_policy(side)))
		return;
	atomic_fetch_or(&side->place.block->marks, BLOCK_SAID);
	f = finding_begin(c, ev, RULE("memcpy-cross-device-no-p2p-policy"), &room);
	if (!f)
		return;
	finding_detail(f, "The copy goes to another device, and ");
	side_describe(f, side);
	finding_more(f, ", allocated without a P2P policy.");
	side_add(c, f, side);
	finding_show(c, f);
}

/* --- peer-copy-not-enabled ------------------------------------------------------------------ */

static void report_not_enabled(struct checks *c, struct acl_event *ev, const struct side *src,
	const struct side *dst, int from, int to)
{
	bool other_way = bit_of(&device_at(c, from)->peers, to);
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (other_way)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, RULE("peer-copy-not-enabled"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "the copy goes from device %d to device %d; %s", from, to,
		other_way ? "only access the other way round was enabled"
			  : "neither of them has peer access to the other enabled");
	finding_int(f, "source device", from);
	finding_int(f, "destination device", to);
	side_add(c, f, src);
	side_add(c, f, dst);
	finding_show(c, f);
}

/* Devices of the two sides when both are certain and differ. */
static bool crosses(const struct side *src, const struct side *dst, int *from, int *to)
{
	if (!src->place.block || !dst->place.block || src->place.kind != MEM_DEVICE ||
		dst->place.kind != MEM_DEVICE)
		return false;
	*from = ld(&src->place.block->device);
	*to = ld(&dst->place.block->device);
	return *from >= 0 && *to >= 0 && *from != *to;
}

/* Device + 1 of a side that lies on another device than the stream, 0 = none. */
static uint64_t foreign(struct acl_object *stream, const struct side *side)
{
	int own = ld(&stream->device), device = side->place.block ? ld(&side->place.block->device) : -1;

	return own >= 0 && device >= 0 && device != own ? (uint64_t)(device + 1) : 0;
}

void peer_copy(struct checks *c, struct acl_event *ev, const struct side *src, const struct side *dst)
{
	struct acl_object *s = stream_of(ev);
	int from, to;

	if (!ld(&c->many_devices))
		return;
	if (s && ev->carry[CARRY_POSITION] && !ev->carry[CARRY_CAPTURE])
		ev->carry[CARRY_NOTE] = foreign(s, src) | foreign(s, dst) << 8;
	if (!crosses(src, dst, &from, &to))
		return;
	check_policy(c, ev, src);
	check_policy(c, ev, dst);
	rule_asked(ev, RULE("peer-access-denied"));
	if (bit_of(&device_at(c, to)->denied, from) || bit_of(&device_at(c, from)->denied, to)) {
		if (bit_of(&device_at(c, to)->denied, from))
			report_denied(c, ev, to, from, "the copy goes between these devices");
		else
			report_denied(c, ev, from, to, "the copy goes between these devices");
		return;
	}
	if (!ld(&c->peers_unknown) &&
		rule_broken(ev, RULE("peer-copy-not-enabled"), !bit_of(&device_at(c, to)->peers, from)))
		report_not_enabled(c, ev, src, dst, from, to);
}

/* The copy is queued: until it is done, the other device's memory is in use. */
static void queued(struct checks *c, struct acl_event *ev)
{
	(void)c;
	if (!ev->carry[CARRY_NOTE] || !succeeded(ev))
		return;
	for (uint64_t devices = ev->carry[CARRY_NOTE]; devices; devices >>= 8)
		if (devices & 255)
			stream_touches(stream_of(ev), (int)(devices & 255) - 1, ev->carry[CARRY_POSITION]);
}

/* --- peer-device-reset-in-use ------------------------------------------------------------------ */

static void report_in_use(struct checks *c, struct acl_event *ev, int device, struct acl_object *stream)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("peer-device-reset-in-use"), &room);

	if (!f)
		return;
	finding_detail(f,
		"device %d goes out of use while a copy on stream 0x%llx of device %d may still use its "
		"memory",
		device, (unsigned long long)ld(&stream->value), ld(&stream->device));
	finding_int(f, "device", device);
	finding_object(c, f, "stream", stream);
	finding_show(c, f);
}

/* Host callbacks tell the program of progress we do not see. */
static void trust_callbacks(struct checks *c)
{
	struct acl_object *o;

	if (!ld(&c->callbacks_ran))
		return;
	object_each(c, ACL_HANDLE_STREAM, o) if (ld(&stream_state(o)->callback))
		stream_retire(c, o, ld(&stream_state(o)->callback), false);
}

static void resetting(struct checks *c, struct acl_event *ev)
{
	int device = device_argument(ev);
	struct acl_object *o;

	if (!judged(ev) || !ld(&c->many_devices) || !device_reset_is_last(c, ev, device))
		return;
	trust_callbacks(c);
	rule_asked(ev, RULE("peer-device-reset-in-use"));
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		for (unsigned i = 0; i < 2 && object_usable(o); i++) {
			uint64_t touched = ld(&stream_state(o)->touched[i]);

			if (touched >> 48 == (uint64_t)(device + 1) &&
				stream_pending(o, touched & ((UINT64_C(1) << 48) - 1))) {
				report_in_use(c, ev, device, o);
				return;
			}
		}
	}
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtDeviceCanAccessPeer, ACL_LEAVE, answered},
	{ACL_API_aclrtDeviceEnablePeerAccess, ACL_ENTER, enabling},
	{ACL_API_aclrtDeviceEnablePeerAccess, ACL_LEAVE, enabled},
	{ACL_API_aclrtDeviceDisablePeerAccess, ACL_LEAVE, disabled},
	{ACL_API_aclrtDeviceEnablePeerAccess, ACL_FAILED, no_device},
	{ACL_API_aclrtDeviceDisablePeerAccess, ACL_FAILED, no_device},
	{ACL_API_aclrtMemP2PMap, ACL_ENTER, mapping},
	{ACL_API_aclrtIpcMemImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtMemImportFromShareableHandle, ACL_LEAVE, imported},
	{ACL_API_aclrtMemImportFromShareableHandleV2, ACL_LEAVE, imported},
	{ACL_API_aclrtNotifyImportByKey, ACL_LEAVE, imported},
	{ACL_API_aclrtMemcpyAsync, ACL_LEAVE | ACL_UNUSUAL, queued},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_LEAVE | ACL_UNUSUAL, queued},
	{ACL_API_aclrtResetDevice, ACL_ENTER, resetting},
	{ACL_API_aclrtResetDeviceForce, ACL_ENTER, resetting},
};

static bool peer_create(struct checks *c)
{
	static const uint16_t asking[] = {
		ACL_API_aclrtDeviceEnablePeerAccess, ACL_API_aclrtDeviceDisablePeerAccess};

	for (unsigned i = 0; i < 2; i++)
		rule_asked_by(c, RULE("peer-access-before-setdevice"), asking[i]);
	c->topic[TOPIC_PEERS] = checks_alloc(c, sizeof(struct peer_state));
	return c->topic[TOPIC_PEERS] != NULL;
}

const struct acl_topic topic_peer = {
	.name = "peer",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = peer_create,
};
