/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory, events and notifies shared by key, over all recorded processes.  The reader sees their calls in the
 * order of time; what one does with a key goes to the workers of the others, before the call that it matters
 * to (checks_peer()).  Processes of other hosts have another clock and other devices: between them nothing is
 * said.
 */
#include <string.h>

#include "tools/aclcheck/trace/replay/replay_peers.h"

#define KEY_BYTES 136 /* an event's: its handle in hexadecimal digits */
#define CALLS_MAX 4096 /* that have begun: ends may be missing */

enum kind { MEMORY, NOTIFY, EVENT };

/* A process has it imported. */
struct import {
	struct import *next;
	struct replay_peer *by;
	uint64_t handle; /* of an event or notify */
	bool closed; /* kept: who has waited for it may still hear of it */
};

struct shared_key {
	char text[KEY_BYTES];
	UT_hash_handle hh;
	enum kind kind;
	struct replay_peer *owner;
	uint64_t handle; /* of memory its address */
	bool gone; /* freed, destroyed, or its process has ended */
	bool recorded; /* or it may have been, where that is not seen */
	struct import *imports;
};

/* An event or notify in the hands of a process; of: NULL = it is not shared yet, but recorded already. */
struct holding {
	struct {
		struct replay_peer *by;
		uint64_t handle;
	} key;
	UT_hash_handle hh;
	struct shared_key *of;
};

/* A call that has begun: its end says whether it did what it was to do. */
struct begun {
	struct begun *next;
	struct replay_peer *by;
	uint32_t tid, number;
	uint16_t api;
	uint64_t handle;
	char key[KEY_BYTES];
};

static struct shared_key *keys;
static struct holding *holdings;
static struct begun *calls;
static unsigned n_calls;
static bool trusts_all;
static struct replay_peers_seen seen;

void replay_peers_begin(bool all_are_there)
{
	trusts_all = all_are_there;
}

const struct replay_peers_seen *replay_peers_end(void)
{
	return &seen;
}

/* --- messages ---------------------------------------------------------------------- */

static bool share_a_host(const struct replay_peer *a, const struct replay_peer *b)
{
	return *a->host && !strcmp(a->host, b->host);
}

static void send_news(struct replay_peer *to, enum checks_peer_act act, const char *key,
	const struct replay_peer *by, uint64_t handle, int device)
{
	struct {
		struct replay_record r;
		char text[KEY_BYTES + REPLAY_WHO];
	} message = {.r = {.bytes = sizeof(message),
			     .kind = REPLAY_PEER,
			     .flags = (uint8_t)act,
			     .caller = handle,
			     .result = device}};
	size_t n = strlen(key) + 1;

	memcpy(message.text, key, n);
	snprintf(message.text + n, sizeof(message.text) - n, "%s", by ? by->who : "");
	seen.reported |= act != CHECKS_PEER_SHARED;
	to->send(to, &message.r);
}

/* What another process did. */
static void report_to(struct replay_peer *to, enum checks_peer_act act, const struct shared_key *k,
	const struct replay_peer *by)
{
	if (by != to && !to->untrusted && !by->untrusted && share_a_host(to, by))
		send_news(to, act, k->text, by, 0, 0);
}

/* What none did: known of ranks only, which say how many of them there are. */
static void report_none(struct replay_peer *to, enum checks_peer_act act, const char *key)
{
	if (to->untrusted || !to->ranked)
		return;
	seen.needs_all = true;
	send_news(to, act, key, NULL, 0, 0);
}

/* --- keys ---------------------------------------------------------------------------- */

static struct shared_key *find_key(const char *text)
{
	struct shared_key *k;

	HASH_FIND_STR(keys, text, k);
	return k;
}

static struct holding *find_holding(struct replay_peer *by, uint64_t handle)
{
	struct holding *h, wanted;

	memset(&wanted, 0, sizeof(wanted));
	wanted.key.by = by;
	wanted.key.handle = handle;
	HASH_FIND(hh, holdings, &wanted.key, sizeof(wanted.key), h);
	return h;
}

static void drop_holding(struct holding *h)
{
	if (!h)
		return;
	HASH_DEL(holdings, h);
	free(h);
}

static struct holding *add_holding(struct replay_peer *by, uint64_t handle)
{
	struct holding *h = need(calloc(1, sizeof(*h)));

	h->key.by = by;
	h->key.handle = handle;
	HASH_ADD(hh, holdings, key, sizeof(h->key), h);
	return h;
}

/* The process holds it from now on, and its worker knows under which key. */
static void holds(struct replay_peer *by, struct shared_key *k, uint64_t handle)
{
	struct holding *h = find_holding(by, handle);

	if (k->kind == MEMORY)
		return;
	k->recorded |= h && !h->of && k->owner == by;
	drop_holding(h);
	add_holding(by, handle)->of = k;
	if (!by->untrusted)
		send_news(by, CHECKS_PEER_SHARED, k->text, NULL, handle, 0);
}

static void forget_imports(struct shared_key *k)
{
	struct import *i;

	while ((i = k->imports)) {
		k->imports = i->next;
		free(i);
	}
}

static void exported(struct replay_peer *by, enum kind kind, const char *text, uint64_t handle)
{
	struct shared_key *k = find_key(text);

	if (!*text)
		return;
	if (!k) {
		k = need(calloc(1, sizeof(*k)));
		snprintf(k->text, sizeof(k->text), "%s", text);
		HASH_ADD_STR(keys, text, k);
	}
	/* The same once more, or the key has come again. */
	if (k->gone || k->kind != kind || k->owner != by || k->handle != handle)
		forget_imports(k);
	k->kind = kind;
	k->owner = by;
	k->handle = handle;
	k->gone = false;
	holds(by, k, handle);
}

static void imported(struct replay_peer *by, const char *text, uint64_t handle)
{
	struct shared_key *k = find_key(text);
	struct import *i;

	if (!k || k->owner == by)
		return;
	i = need(calloc(1, sizeof(*i)));
	i->by = by;
	i->handle = handle;
	i->next = k->imports;
	k->imports = i;
	holds(by, k, handle);
	if (k->kind == MEMORY)
		report_to(k->owner, CHECKS_PEER_IMPORTED, k, by);
}

/* all: the process has ended, and its imports with it. */
static void import_ended(struct shared_key *k, struct replay_peer *by, bool all)
{
	for (struct import *i = k->imports; i; i = i->next) {
		if (i->by != by || i->closed)
			continue;
		i->closed = true;
		if (k->kind == MEMORY)
			report_to(k->owner, CHECKS_PEER_CLOSED, k, by);
		if (!all)
			return;
	}
}

static void is_gone(struct shared_key *k)
{
	if (k->gone)
		return;
	k->gone = true;
	for (struct import *i = k->imports; i; i = i->next)
		if (!i->closed)
			report_to(i->by, k->kind == MEMORY ? CHECKS_PEER_FREED : CHECKS_PEER_DESTROYED, k,
				k->owner);
}

static void freed(struct replay_peer *by, uint64_t base)
{
	struct shared_key *k;

	for (k = keys; k; k = k->hh.next)
		if (k->kind == MEMORY && k->owner == by && k->handle == base)
			is_gone(k);
}

static void destroyed(struct replay_peer *by, uint64_t handle)
{
	struct holding *h = find_holding(by, handle);
	struct shared_key *k = h ? h->of : NULL;

	drop_holding(h);
	if (!k)
		return;
	if (k->owner == by) {
		is_gone(k);
		return;
	}
	for (struct import *i = k->imports; i; i = i->next)
		i->closed |= i->by == by && i->handle == handle;
}

/* A wait for one that others may still record is reported when all have ended. */
static bool may_be_recorded(const struct shared_key *k, const struct replay_peer *p)
{
	bool mine = k->owner == p;

	for (const struct import *i = k->imports; i && !mine; i = i->next)
		mine = i->by == p;
	return mine && k->kind != MEMORY && !k->recorded;
}

void replay_peers_ended(struct replay_peer *p)
{
	struct shared_key *k;

	for (k = keys; k; k = k->hh.next) {
		import_ended(k, p, true);
		if (k->owner == p)
			is_gone(k);
		p->awaited |= may_be_recorded(k, p);
	}
}

/* --- what no process did -------------------------------------------------------------------- */

/* Nothing but the calls that were recorded works on it. */
static bool is_followed_by_all(const struct shared_key *k)
{
	if (!k->owner->only_known_work || k->owner->untrusted)
		return false;
	for (const struct import *i = k->imports; i; i = i->next)
		if (!i->by->only_known_work || i->by->untrusted || !share_a_host(i->by, k->owner))
			return false;
	return true;
}

void replay_peers_finish(void)
{
	struct shared_key *k;

	for (k = keys; trusts_all && k; k = k->hh.next) {
		if (k->kind == MEMORY || k->recorded || !is_followed_by_all(k))
			continue;
		report_none(k->owner, CHECKS_PEER_NEVER_RECORDED, k->text);
		for (struct import *i = k->imports; i; i = i->next)
			report_none(i->by, CHECKS_PEER_NEVER_RECORDED, k->text);
	}
}

/* --- devices ------------------------------------------------------------------------------ */

/* A process that has named one device only has all that it shares there. */
static void names_device(struct replay_peer *p, const struct replay_record *r)
{
	int64_t device;

	if (!acl_arg_has(r->api, ACL_ROLE_DEVICE))
		return;
	device = (int32_t)acl_arg_value(r->api, r + 1, ACL_ROLE_DEVICE);
	if (p->devices == ONE_DEVICE && p->device != device)
		p->devices = SEVERAL_DEVICES;
	if (p->devices != NO_DEVICE)
		return;
	p->devices = ONE_DEVICE;
	p->device = (int)device;
}

static bool number_devices_alike(const struct replay_peer *a, const struct replay_peer *b)
{
	return a->visible_known && b->visible_known && !strcmp(a->visible, b->visible) && share_a_host(a, b);
}

/* Who has enabled peer access may have done so for this one. */
static void report_device(struct replay_peer *to, const struct shared_key *k)
{
	const struct replay_peer *by = k->owner;

	if (by != to && !to->untrusted && !by->untrusted && by->devices == ONE_DEVICE && !by->enables_peers &&
		number_devices_alike(to, by))
		send_news(to, CHECKS_PEER_ON_DEVICE, k->text, by, 0, by->device);
}

/* --- calls ----------------------------------------------------------------------------- */

/* The text that its pointer to a key led to. */
static void key_text(const struct replay_record *r, size_t at, char *key)
{
	const struct replay_piece *p;

	while ((p = replay_next_piece(r, &at)))
		if (p->text && !p->cut && p->bytes <= KEY_BYTES)
			memcpy(key, p + 1, p->bytes);
}

static void key_digits(const void *handle, char *key)
{
	const unsigned char *bytes = handle;

	for (unsigned i = 0; i < sizeof(aclrtIpcEventHandle); i++)
		snprintf(key + 2 * (size_t)i, 3, "%02x", bytes[i]);
}

/* Whole bytes that a pointer led to; NULL: they were not recorded. */
static const void *bytes_behind(const struct replay_record *r, size_t bytes)
{
	size_t at = sizeof(*r);
	const struct replay_piece *p;

	while ((p = replay_next_piece(r, &at)))
		if (!p->text && !p->partial && p->bytes == bytes)
			return p + 1;
	return NULL;
}

static size_t behind_arguments(const struct replay_record *r)
{
	return sizeof(*r) + ((acl_apis[r->api].args_size + 7u) & ~7u);
}

static void import_begins(struct replay_peer *p, const char *key)
{
	struct shared_key *k = find_key(key);

	if (!k && trusts_all)
		report_none(p, CHECKS_PEER_UNKNOWN_KEY, key);
	if (!k)
		return;
	if (k->gone && k->kind != MEMORY)
		report_to(p, CHECKS_PEER_GONE_KEY, k, k->owner);
	report_device(p, k);
}

static void begins(struct replay_peer *p, const struct replay_record *r)
{
	struct begun *b;

	if (n_calls == CALLS_MAX)
		return;
	n_calls++;
	b = need(calloc(1, sizeof(*b)));
	*b = (struct begun){.next = calls, .by = p, .tid = r->tid, .number = r->number, .api = r->api};
	calls = b;
	/* Of those with an address or a handle in, it is the first. */
	memcpy(&b->handle, r + 1, sizeof(b->handle));
	switch (acl_apis[r->api].operation) {
	case ACL_OP_IMPORT_EVENT:
		p->shares_events = true;
		key_digits(r + 1, b->key);
		import_begins(p, b->key);
		break;
	case ACL_OP_IMPORT_MEMORY:
	case ACL_OP_IMPORT_NOTIFY:
		key_text(r, behind_arguments(r), b->key);
		import_begins(p, b->key);
		break;
	case ACL_OP_CLOSE_MEMORY:
		key_text(r, behind_arguments(r), b->key);
		break;
	default:
		break;
	}
}

/* Recorded by this call, or from now on it may be where that is not seen. */
static void is_recorded(struct replay_peer *p, const struct replay_record *r)
{
	struct holding *h;
	uint64_t handle;

	memcpy(&handle, r + 1, sizeof(handle));
	h = find_holding(p, handle);
	if (h && h->of)
		h->of->recorded = true;
	else if (!h)
		add_holding(p, handle);
}

static bool makes_shared_event(const struct replay_record *r)
{
	return acl_arg_has(r->api, ACL_ROLE_FLAGS) &&
	       acl_arg_value(r->api, r + 1, ACL_ROLE_FLAGS) & ACL_EVENT_IPC;
}

static void entry(struct replay_peer *p, const struct replay_record *r)
{
	switch (acl_apis[r->api].operation) {
	case ACL_OP_EXPORT_MEMORY:
	case ACL_OP_IMPORT_MEMORY:
	case ACL_OP_EXPORT_NOTIFY:
	case ACL_OP_IMPORT_NOTIFY:
	case ACL_OP_EXPORT_EVENT:
	case ACL_OP_IMPORT_EVENT:
		begins(p, r);
		break;
	case ACL_OP_CLOSE_MEMORY:
	case ACL_OP_FREE_DEVICE:
		if (keys)
			begins(p, r);
		break;
	case ACL_OP_DESTROY_EVENT:
	case ACL_OP_DESTROY_NOTIFY:
		if (holdings)
			begins(p, r);
		break;
	case ACL_OP_CREATE_EVENT:
		p->shares_events |= makes_shared_event(r);
		break;
	case ACL_OP_RECORD_EVENT:
	case ACL_OP_INFO_EVENT_ID:
		if (p->shares_events)
			is_recorded(p, r);
		break;
	case ACL_OP_RECORD_NOTIFY:
	case ACL_OP_INFO_NOTIFY_ID:
		is_recorded(p, r);
		break;
	case ACL_OP_PEER_ENABLE:
		p->enables_peers = true;
		break;
	default:
		break;
	}
	names_device(p, r);
}

static void succeeds(struct replay_peer *p, struct begun *b, const struct replay_record *r)
{
	const void *made = bytes_behind(r, sizeof(uint64_t)),
		   *handle = bytes_behind(r, sizeof(aclrtIpcEventHandle));
	uint64_t value = 0;

	if (made)
		memcpy(&value, made, sizeof(value));
	switch (acl_apis[b->api].operation) {
	case ACL_OP_EXPORT_MEMORY:
	case ACL_OP_EXPORT_NOTIFY:
		key_text(r, sizeof(*r), b->key);
		exported(p, acl_apis[b->api].operation == ACL_OP_EXPORT_MEMORY ? MEMORY : NOTIFY, b->key,
			b->handle);
		break;
	case ACL_OP_EXPORT_EVENT:
		if (handle)
			key_digits(handle, b->key);
		exported(p, EVENT, b->key, b->handle);
		break;
	case ACL_OP_IMPORT_MEMORY:
	case ACL_OP_IMPORT_NOTIFY:
	case ACL_OP_IMPORT_EVENT:
		imported(p, b->key, value);
		break;
	case ACL_OP_CLOSE_MEMORY:
		if (find_key(b->key))
			import_ended(find_key(b->key), p, false);
		break;
	case ACL_OP_FREE_DEVICE:
		freed(p, b->handle);
		break;
	default:
		destroyed(p, b->handle);
	}
}

static struct begun *take_begun(const struct replay_peer *p, const struct replay_record *r)
{
	struct begun **at = &calls, *b;

	while (*at && ((*at)->by != p || (*at)->tid != r->tid || (*at)->number != r->number))
		at = &(*at)->next;
	b = *at;
	if (b) {
		*at = b->next;
		n_calls--;
	}
	return b;
}

static void peers_leave(struct replay_peer *p, const struct replay_record *r)
{
	struct begun *b = calls ? take_begun(p, r) : NULL;

	if (b && !r->result)
		succeeds(p, b, r);
	free(b);
}

/* Which devices it sees, and who else works there. */
static void fact(struct replay_peer *p, const char *key, const char *value)
{
	if (!strcmp(key, "other-work"))
		p->only_known_work = !strcmp(value, "no");
	if (strcmp(key, "visible-devices") != 0)
		return;
	p->visible_known = strlen(value) < sizeof(p->visible);
	snprintf(p->visible, sizeof(p->visible), "%s", value);
}

void replay_peers_look(struct replay_peer *p, const struct replay_record *r)
{
	const char *first = (const char *)(r + 1);

	switch ((enum replay_kind)r->kind) {
	case REPLAY_ENTRY:
		entry(p, r);
		break;
	case REPLAY_EXIT:
		peers_leave(p, r);
		break;
	case REPLAY_PROCESS:
		snprintf(p->host, sizeof(p->host), "%s", first);
		break;
	case REPLAY_FACT:
		fact(p, first, first + strlen(first) + 1);
		break;
	default:
		break;
	}
}
