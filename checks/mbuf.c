/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers: how much data fits, how long a chain may be. */
#include "checks/report.h"
#include "checks/state.h"

#define CHAIN_MAX 128

static struct acl_object *buffer(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_MBUF, value) : NULL;
}

/* The runtime's word on the room; what was asked for may have been rounded up. */
static void sized(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetBufData *a = ev->args;
	struct acl_object *b = buffer(c, a->buf);

	if (b && succeeded(ev) && a->size)
		st(&mbuf_state(b)->size, *a->size);
}

static void setting_length(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtSetBufDataLen *a = ev->args;
	struct acl_object *b = buffer(c, a->buf);
	uint64_t size = b ? ld(&mbuf_state(b)->size) : 0;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!size || ev->carry[CARRY_FINDING])
		return;
	if (!rule_broken(ev, RULE("mbuf-size-and-chain"), a->len >= size))
		return;
	/* The document wants less than the size; nothing is known to go wrong with all of it. */
	if (a->len == size) {
		grade.severity = ACL_SEV_PORTABILITY;
		grade.advice = true;
	}
	f = finding_begin_as(c, ev, RULE("mbuf-size-and-chain"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "The buffer has room for %llu bytes, the data shall have %llu.",
		(unsigned long long)size, (unsigned long long)a->len);
	finding_bytes(f, "len", a->len);
	finding_bytes(f, "size", size);
	finding_object(c, f, "shared buffer", b);
	finding_show(c, f);
}

static void appending(struct checks *c, struct acl_event *ev)
{
	struct acl_object *head = buffer(c, ACL_ARGS(ev, aclrtAppendBufChain)->headBuf);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!head || ev->carry[CARRY_FINDING])
		return;
	if (!rule_broken(ev, RULE("mbuf-size-and-chain"), ld(&mbuf_state(head)->appended) >= CHAIN_MAX))
		return;
	f = finding_begin(c, ev, RULE("mbuf-size-and-chain"), &room);
	if (!f)
		return;
	finding_detail(f, "%u buffers were appended to this one already.", CHAIN_MAX);
	finding_object(c, f, "head of the chain", head);
	finding_show(c, f);
}

static void appended(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtAppendBufChain *a = ev->args;
	struct acl_object *head = buffer(c, a->headBuf), *b = buffer(c, a->buf);

	if (!succeeded(ev))
		return;
	if (head)
		bump(&mbuf_state(head)->appended);
	/* Whether it goes with its head or by itself is not documented: it is never called leaked. */
	if (b)
		atomic_fetch_or(&b->flags, ACL_OBJECT_LEARNED);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetBufData, ACL_LEAVE, sized},
	{ACL_API_aclrtSetBufDataLen, ACL_ENTER, setting_length},
	{ACL_API_aclrtAppendBufChain, ACL_ENTER, appending},
	{ACL_API_aclrtAppendBufChain, ACL_LEAVE, appended},
};

const struct acl_topic topic_mbuf = {
	.name = "shared buffers",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
