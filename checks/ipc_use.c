/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of other processes: used after its key was closed, copied as it cannot be. */
#include "checks/ipc.h"
#include "checks/legs.h"
#include "checks/report.h"

static void say_share(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct finding_grade grade, const void *address, struct share *s, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f;

	f = ev->carry[CARRY_FINDING] ? NULL : finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_address(f, "address", address);
	share_show(f, "imported memory", s);
	finding_show(c, f);
}

/* An address of an import; NULL when it is none, or was closed, which is said here. */
static struct share *import_used(struct checks *c, struct acl_event *ev, const void *address)
{
	struct share *s = address ? import_at(c, address) : NULL;
	struct acl_place place;

	/* What was allocated there since is no import any more. */
	if (!s || (ld(&s->closed) && map_find(c->memory, (uintptr_t)address, &place)))
		return NULL;
	if (!rule_broken(ev, RULE("ipc-use-after-close"), ld(&s->closed)))
		return s;
	say_share(c, ev, RULE("ipc-use-after-close"), GRADE_TABLE, address, s,
		"The key of this memory was closed: the address leads nowhere.");
	return NULL;
}

static bool any_peer(struct checks *c)
{
	for (unsigned i = 0; i < ACL_DEVICES; i++)
		if (ld(&c->devices[i].peers))
			return true;
	return false;
}

static void check_first_use(struct checks *c, struct acl_event *ev, const void *address, struct share *s)
{
	int device = device_current(c, thread_of(ev));

	if (ld(&s->said) || ld(&s->enables_peer) || device < 0 || ld(&s->device) == device)
		return;
	st(&s->said, true);
	if (rule_broken(ev, RULE("ipc-import-no-peer"), !any_peer(c)))
		say_share(c, ev, RULE("ipc-import-no-peer"), GRADE_TABLE, address, s,
			"It was imported with flags 0, and this process has enabled no peer access: memory "
			"of "
			"another device cannot be reached so.");
}

enum exporter { EXPORTER_UNKNOWN, EXPORTER_HERE, EXPORTER_FAR, EXPORTER_PERHAPS_FAR };

/* Where the memory lies: the runtime may have said so; the flag for peers is a hint only. */
static enum exporter exporter_of(struct checks *c, const struct acl_event *ev, struct share *s)
{
	int device = device_current(c, thread_of(ev));

	if (device < 0)
		return EXPORTER_UNKNOWN;
	if (ld(&s->device) >= 0)
		return ld(&s->device) == device ? EXPORTER_HERE : EXPORTER_FAR;
	return ld(&s->enables_peer) ? EXPORTER_PERHAPS_FAR : EXPORTER_UNKNOWN;
}

static const char *wrong_direction(
	const struct acl_event *ev, const struct copy_leg *leg, bool reads, bool both)
{
	if (leg->kind == ACL_MEMCPY_DEFAULT)
		return "Memory of another device, shared by another process, is not copied with "
		       "ACL_MEMCPY_DEFAULT.";
	if (leg->kind == (reads ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE))
		return "Memory of another device, shared by another process, is not copied from or to the "
		       "host.";
	if (both && ev->api == ACL_API_aclrtMemcpy)
		return "Memory of another device, shared by another process, is not copied within itself "
		       "by a synchronous copy.";
	return NULL;
}

static void check_direction(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	struct share *s, bool reads, bool both)
{
	enum exporter where = exporter_of(c, ev, s);
	struct finding_grade grade = GRADE_TABLE;
	const char *wrong;

	if (where == EXPORTER_UNKNOWN ||
		(ev->api != ACL_API_aclrtMemcpy && ev->api != ACL_API_aclrtMemcpyAsync))
		return;
	wrong = where == EXPORTER_HERE ? NULL : wrong_direction(ev, leg, reads, both);
	if (!rule_broken(ev, RULE("ipc-imported-copy-direction"), wrong))
		return;
	/* Who asks for peer access in any case shares memory of one device, too. */
	grade.advice = where == EXPORTER_PERHAPS_FAR;
	say_share(c, ev, RULE("ipc-imported-copy-direction"), grade, reads ? leg->src : leg->dst, s, wrong);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	uint64_t n = ld(&ipc(c)->imports) ? legs_count(ev) : 0;

	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++) {
		struct copy_leg leg = legs_at(ev, i);
		struct share *src = import_used(c, ev, leg.src), *dst = import_used(c, ev, leg.dst);

		if (src) {
			check_direction(c, ev, &leg, src, true, dst != NULL);
			check_first_use(c, ev, leg.src, src);
		}
		if (dst) {
			check_direction(c, ev, &leg, dst, false, src != NULL);
			check_first_use(c, ev, leg.dst, dst);
		}
	}
}

static void setting(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtMemset)->devPtr;
	struct share *s = ld(&ipc(c)->imports) ? import_used(c, ev, address) : NULL;

	if (s)
		check_first_use(c, ev, address, s);
}

/* The documents only know the close; an example of the same documents frees after it. */
static void freeing(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtFree)->devPtr;
	struct share *s = ld(&ipc(c)->imports) && address ? import_at(c, address) : NULL;
	struct finding_grade grade = GRADE_TABLE;
	struct acl_place place;

	if (!s || ld(&s->closed) || map_find(c->memory, (uintptr_t)address, &place))
		return;
	rule_asked(ev, RULE("ipc-use-after-close"));
	grade.severity = ACL_SEV_WARNING;
	say_share(c, ev, RULE("ipc-use-after-close"), grade, address, s,
		"The memory was imported: aclrtIpcMemClose ends its use.");
}

/* Programs that import nothing pay nothing. */
static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemset, ACL_ENTER | ACL_UNUSUAL, setting},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER | ACL_UNUSUAL, setting},
	{ACL_API_aclrtFree, ACL_ENTER | ACL_UNUSUAL, freeing},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER | ACL_UNUSUAL, freeing},
};

const struct acl_topic topic_ipc_use = {
	.name = "use of memory of other processes",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
