/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events and notifies shared with other processes, as those use them.  One process alone cannot know: a
 * replay of several reports it (checks_peer()), and without one most of these hooks are not called.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/event_state.h"
#include "checks/state/notify_state.h"

#define SIGNALS 256

/* One that this process has exported or imported. */
struct shared_signal {
	uint64_t key; /* 0 = free */
	acl_ref object;
	uint64_t waited; /* return address of the latest wait for it, 0 = none was seen */
	const char *gone_by; /* who has made and destroyed it, NULL = it is there */
};

/* Written and read by one thread: that which replays. */
struct signal_state {
	struct shared_signal at[SIGNALS];
	unsigned n;
	/* Key of what is about to be imported: no process has exported it, or it is gone. */
	uint64_t unknown, gone;
	const char *gone_by;
};

static struct signal_state *signals(struct checks *c)
{
	return module_state(c, peer_signals);
}

/* --- what the others did ------------------------------------------------------------ */

static struct acl_object *signal_find(struct checks *c, const void *handle)
{
	struct acl_object *event = object_live(c, ACL_HANDLE_EVENT, handle);

	return event ? event : object_live(c, ACL_HANDLE_NOTIFY, handle);
}

static void signal_shared(struct checks *c, uint64_t key, const void *handle)
{
	struct signal_state *s = signals(c);
	struct acl_object *o = handle ? signal_find(c, handle) : NULL;

	if (o && s->n == SIGNALS)
		checks_degrade(c, "more shared events and notifies than the checker follows");
	else if (o)
		s->at[s->n++] = (struct shared_signal){.key = key, .object = object_ref(o)};
}

static void signal_gone(struct checks *c, uint64_t key, const char *who)
{
	struct signal_state *s = signals(c);

	for (unsigned i = 0; i < s->n; i++)
		if (s->at[i].key == key)
			s->at[i].gone_by = who;
}

/* The one that the object is, or that its handle was when it was shared; NULL: it is not shared. */
static struct shared_signal *signal_of(struct checks *c, const struct acl_object *o)
{
	struct signal_state *s = signals(c);

	for (unsigned i = 0; o && i < s->n; i++)
		if (s->at[i].object == object_ref(o))
			return &s->at[i];
	return NULL;
}

static void report_never_recorded(struct checks *c, const struct shared_signal *s, struct acl_object *o)
{
	bool event = o->kind == ACL_HANDLE_EVENT;

	FINDING_OF(c, NULL, event ? RULE("event-wait-before-record") : RULE("notify-wait-never-recorded"),
		true,
		PARTS(part_site(load_relaxed(&o->serial)), part_caller(s->waited),
			event ? part_relaxed_to(-1) : part_none(), part_object(acl_handle_names[o->kind], o)),
		"This process waited for it, and until all processes had ended none has recorded it.");
}

static void signal_never_recorded(struct checks *c, uint64_t key)
{
	struct signal_state *s = signals(c);

	for (unsigned i = 0; i < s->n; i++) {
		struct acl_object *o = s->at[i].key == key ? object_of(c, s->at[i].object) : NULL;

		if (o && s->at[i].waited)
			report_never_recorded(c, &s->at[i], o);
	}
}

static void signal_peer(struct checks *c, const struct checks_peer_news *news, uint64_t key)
{
	struct signal_state *s = signals(c);

	switch (news->act) {
	case CHECKS_PEER_SHARED:
		signal_shared(c, key, news->handle);
		break;
	case CHECKS_PEER_DESTROYED:
		signal_gone(c, key, news->who);
		break;
	case CHECKS_PEER_NEVER_RECORDED:
		signal_never_recorded(c, key);
		break;
	case CHECKS_PEER_UNKNOWN_KEY:
		s->unknown = key;
		break;
	case CHECKS_PEER_GONE_KEY:
		s->gone = key;
		s->gone_by = news->who;
		break;
	default:
		break;
	}
}

/* --- calls ---------------------------------------------------------------------------- */

/* Nothing is there any more that the record, wait or query could be of. */
static void event_peer_use_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = event_of(call);
	struct shared_signal *s = call->in_exit ? NULL : signal_of(c, o);

	if (!s || load_relaxed(&event_marks(o)->maker) != EVENT_IMPORTED)
		return;
	FINDING(c, call, "event-ipc-closed-early", s->gone_by, PARTS(part_object("event", o)),
		"%s, which made the event, has destroyed it or has ended: nothing is shared by it any more.",
		s->gone_by);
}

/* Only the process that made a notify may wait for it. */
static void notify_peer_record_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *o = notify_of(c, call);
	struct shared_signal *s = call->in_exit ? NULL : signal_of(c, o);

	if (!s || !notify_has(o, NOTIFY_IMPORTED))
		return;
	FINDING(c, call, "notify-destroyed-use", s->gone_by,
		PARTS(part_severity(ACL_SEV_WARNING), part_object("notify", o)),
		"%s, which made the notify, has destroyed it or has ended: nothing can wait for this record.",
		s->gone_by);
}

static void signal_waited(struct checks *c, const struct acl_call_record *call, const struct acl_object *o)
{
	struct shared_signal *s = signal_of(c, o);

	if (s && succeeded(call) && !call->state.capture)
		s->waited = call->caller;
}

static void event_peer_wait_leave(struct checks *c, struct acl_call_record *call)
{
	signal_waited(c, call, event_of(call));
}

static void notify_peer_wait_leave(struct checks *c, struct acl_call_record *call)
{
	signal_waited(c, call, notify_of(c, call));
}

/* As the one who sees all processes names it: the handle has any bytes. */
static uint64_t event_key(const aclrtIpcEventHandle *handle)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t key = KEY_OF_TEXT;

	for (unsigned i = 0; i < sizeof(handle->reserved); i++) {
		unsigned char byte = (unsigned char)handle->reserved[i];

		key = key_with_byte(key, (unsigned char)digits[byte >> 4]);
		key = key_with_byte(key, (unsigned char)digits[byte & 15]);
	}
	return key | 1;
}

static void import_refused(
	struct checks *c, struct acl_call_record *call, uint64_t key, const struct acl_rule *gone)
{
	struct signal_state *s = signals(c);

	if (!key || succeeded(call))
		return;
	FINDING(c, call, "ipc-import-unknown-key", s->unknown == key, NO_PARTS,
		"No process of the run has exported this key so far.");
	FINDING_OF(c, call, gone, s->gone == key, NO_PARTS,
		"%s, which exported this key, has destroyed what it stands for or has ended.", s->gone_by);
	s->unknown = s->gone = 0;
}

static void event_import_leave(struct checks *c, struct acl_call_record *call)
{
	import_refused(c, call, event_key(&ACL_ARGS(call, aclrtIpcOpenEventHandle)->handle),
		RULE("event-ipc-closed-early"));
}

static void notify_import_leave(struct checks *c, struct acl_call_record *call)
{
	import_refused(c, call, program_text_key(c, ACL_ARGS(call, aclrtNotifyImportByKey)->key),
		RULE("ipc-import-unknown-key"));
}

/* --- what a replay needs to know ---------------------------------------------------------- */

/*
 * Who works below this interface may record it unseen.  The answer is kept with the recording: asked while
 * the process shares events or notifies, and once more when it ends.
 */
static void signal_share_leave(struct checks *c, struct acl_call_record *call)
{
	if (succeeded(call))
		other_submitters_possible(c, CHECKS_OTHER_WORK);
}

static void signal_finish(struct checks *c, enum checks_end kind)
{
	struct acl_object *o;

	(void)kind;
	object_each(c, ACL_HANDLE_NOTIFY, o)
	{
		if (!notify_has(o, NOTIFY_EXPORTED | NOTIFY_IMPORTED))
			continue;
		other_submitters_possible(c, CHECKS_OTHER_WORK);
		return;
	}
	if (events_are_shared(c))
		other_submitters_possible(c, CHECKS_OTHER_WORK);
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_EVENT), ACL_ENTER | ACL_WHEN(PEERS), event_peer_use_enter},
	{ON_OP(WAIT_EVENT), ACL_ENTER | ACL_WHEN(PEERS), event_peer_use_enter},
	{ON_OP(SYNCHRONISE_EVENT), ACL_ENTER | ACL_WHEN(PEERS), event_peer_use_enter},
	/* The older queries refuse events that are shared. */
	{ON_OP_WITH(QUERY_EVENT, RECORDED_STATUS), ACL_ENTER | ACL_WHEN(PEERS), event_peer_use_enter},
	{ON_OP(RECORD_NOTIFY), ACL_ENTER | ACL_WHEN(PEERS), notify_peer_record_enter},
	{ON_OP(WAIT_EVENT), ACL_LEAVE | ACL_WHEN(PEERS), event_peer_wait_leave},
	{ON_OP(WAIT_NOTIFY), ACL_LEAVE | ACL_WHEN(PEERS), notify_peer_wait_leave},
	{ON_OP(IMPORT_EVENT), ACL_LEAVE | ACL_WHEN(PEERS), event_import_leave},
	{ON_OP(IMPORT_NOTIFY), ACL_LEAVE | ACL_WHEN(PEERS), notify_import_leave},
	{ON_OP(EXPORT_EVENT), ACL_LEAVE, signal_share_leave},
	{ON_OP(IMPORT_EVENT), ACL_LEAVE, signal_share_leave},
	{ON_OP(EXPORT_NOTIFY), ACL_LEAVE, signal_share_leave},
	{ON_OP(IMPORT_NOTIFY), ACL_LEAVE, signal_share_leave},
};

const struct check_module module_peer_signals = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct signal_state),
	.peer = signal_peer,
	.finish = signal_finish,
};
