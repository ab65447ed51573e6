/* SPDX-License-Identifier: Apache-2.0 */
/* A finding as JSON; tools/aclcheck/report.schema.json describes it. Always English: machines read it. */
#include "interpose/shown.h"

#include "aclcheck/model.h"
#include "interpose/decode.h"
#include "interpose/lastcalls.h"
#include "interpose/settings.h"
#include "interpose/stack.h"
#include "interpose/symbol.h"

void shown_frame_json(struct jout *j, const char *key, uint64_t address)
{
	const struct symbol *s = symbol_of(address);

	jout_object(j, key);
	jout_string(j, "function", s->readable);
	if (s->readable != s->function)
		jout_string(j, "symbol", s->function);
	if (s->file) {
		jout_string(j, "file", s->file);
		jout_int(j, "line", s->line);
	}
	jout_string(j, "module", s->module);
	jout_hex(j, "address", address);
	if (s->module)
		jout_hex(j, "offset", s->file_address);
	if (s->stripped)
		jout_bool(j, "stripped", true);
	jout_object_end(j);
}

static void stack(struct jout *j, const uint64_t *ips, unsigned n)
{
	n = shown_depth(ips, n);
	jout_array(j, "stack");
	for (unsigned i = 0; i < n; i++)
		shown_frame_json(j, NULL, ips[i]);
	jout_array_end(j);
}

static void moment(struct jout *j, const char *key, const struct acl_moment *m)
{
	const uint64_t *ips = &m->caller;
	unsigned n = 1;

	if (!m->caller && !m->stack)
		return;
	if (m->stack)
		n = stack_frames(m->stack, &ips);
	jout_object(j, key);
	if (m->api < acl_api_count)
		jout_string(j, "call", acl_apis[m->api].name);
	jout_uint(j, "thread", m->tid);
	stack(j, ips, n);
	jout_object_end(j);
}

static void object(struct jout *j, const struct acl_biography *b)
{
	jout_object(j, NULL);
	jout_string(j, "role", b->role ? b->role : "object");
	jout_string(j, "kind", b->kind ? b->kind : acl_handle_names[b->handle]);
	jout_hex(j, "value", b->value);
	if (b->size)
		jout_uint(j, "size", b->size);
	jout_uint(j, "serial", b->serial);
	if (b->device >= 0)
		jout_int(j, "device", b->device);
	if (b->context)
		jout_hex(j, "context", b->context);
	moment(j, "created", &b->created);
	moment(j, "last_used", &b->last_used);
	moment(j, "destroyed", &b->destroyed);
	jout_object_end(j);
}

static void call(struct jout *j, const struct shown *s)
{
	const struct acl_event *ev = s->f->event;
	char buf[512];
	struct text t;

	if (s->api < acl_api_count)
		jout_string(j, "call", acl_apis[s->api].name);
	if (!ev)
		return;
	decode_call_json(j, "args", ev->api, ev->args);
	if (s->f->at_leave && ev->forwarded) {
		text_init(&t, buf, sizeof(buf));
		decode_result(&t, ev->api, &ev->result);
		jout_string(j, "result", buf);
	}
	jout_uint(j, "thread", ev->tid);
	if (ev->callback_depth)
		jout_uint(j, "callback_depth", ev->callback_depth);
	lastcalls_json(j, "before", ev->tid);
}

void shown_json(struct jout *j, const struct shown *s)
{
	const struct acl_finding *f = s->f;

	jout_uint(j, "serial", f->serial);
	jout_string(j, "rule", f->rule->id);
	jout_string(j, "severity", acl_severity_names[f->severity & 3]);
	jout_string(j, "title", f->rule->title[ACL_LANG_EN]);
	call(j, s);
	jout_string(j, "detail", f->detail);
	jout_object(j, "values");
	for (unsigned i = 0; i < f->n_values && i < ACL_FINDING_VALUES; i++)
		decode_value_json(j, &f->values[i]);
	jout_object_end(j);
	jout_array(j, "objects");
	for (unsigned i = 0; i < f->n_objects && i < ACL_FINDING_OBJECTS; i++)
		object(j, &f->objects[i]);
	jout_array_end(j);
	stack(j, s->ips, s->n_ips);
	jout_string(j, "hint", f->rule->hint[ACL_LANG_EN]);
	jout_string(j, "source", f->rule->source);
	jout_string(j, "fingerprint", s->fingerprint);
	jout_bool(j, "advice", f->advice);
	jout_bool(j, "secondary", f->secondary);
	jout_bool(j, "suppressed", s->excuse == EXCUSE_SUPPRESSED);
	if (s->excuse == EXCUSE_SUPPRESSED)
		jout_string(j, "suppressed_by", s->reason);
	if (s->excuse == EXCUSE_EXPECTED) {
		jout_bool(j, "expected", true);
		jout_string(j, "expected_by", s->reason);
		jout_string(j, "expected_in", s->in_program ? "program" : "file");
	}
	if (f->relaxed && f->rule->relaxed_since >= 0)
		jout_string(j, "relaxed_since", acl_cann_names[f->rule->relaxed_since]);
	if (f->cause)
		jout_uint(j, "cause", f->cause);
}
