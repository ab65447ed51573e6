/* SPDX-License-Identifier: Apache-2.0 */
/* A finding as JSON; tools/aclcheck/report/report.schema.json describes it. Always English: machines read it.
 */
#include "interpose/report/finding_record.h"

#include "aclcheck/model.h"
#include "interpose/common/argument_text.h"
#include "interpose/report/last_calls.h"
#include "interpose/common/rule_switches.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/symbolize/code_symbol.h"

/* With the offset it leads to the line later, on whatever machine has the file. */
static void build_id(struct jout *j, const struct acl_module *module)
{
	char hex[2 * sizeof(module->build_id) + 1];
	struct text t;

	if (!module || !module->build_id_len)
		return;
	text_init(&t, hex, sizeof(hex));
	for (unsigned i = 0; i < module->build_id_len; i++)
		text_hex_digits(&t, module->build_id[i], 2);
	jout_string(j, "build_id", hex);
}

void finding_frame_json(struct jout *j, const char *key, uint64_t address)
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
	if (s->library)
		jout_bool(j, "library", true);
	if (s->python)
		jout_string(j, "language", "python");
	else
		jout_hex(j, "address", module_address(address));
	if (s->module)
		jout_hex(j, "offset", s->file_address);
	if (!s->file)
		build_id(j, s->code);
	if (s->stripped)
		jout_bool(j, "stripped", true);
	jout_object_end(j);
}

static void stack(struct jout *j, const uint64_t *ips, unsigned n)
{
	n = finding_stack_depth(ips, n);
	jout_array(j, "stack");
	for (unsigned i = 0; i < n; i++)
		finding_frame_json(j, NULL, ips[i]);
	jout_array_end(j);
}

static void json_moment(struct jout *j, const char *key, const struct acl_call_site *m)
{
	const uint64_t *ips;
	uint64_t caller;
	unsigned n;

	if (!m->caller && !m->stack)
		return;
	n = finding_site_frames(m, &caller, &ips);
	jout_object(j, key);
	if (acl_call_name(m->api))
		jout_string(j, "call", acl_call_name(m->api));
	jout_uint(j, "thread", m->tid);
	stack(j, ips, n);
	jout_object_end(j);
}

static void object(struct jout *j, const struct acl_object_history *b)
{
	jout_object(j, NULL);
	jout_string(j, "role", b->role ? b->role : "object");
	jout_string(j, "kind", b->kind ? b->kind : acl_handle_names[b->handle]);
	if (b->name)
		jout_string(j, "name", b->name);
	jout_hex(j, "value", b->value);
	if (b->size)
		jout_uint(j, "size", b->size);
	jout_uint(j, "serial", b->serial);
	if (b->device >= 0)
		jout_int(j, "device", b->device);
	if (b->context)
		jout_hex(j, "context", b->context);
	json_moment(j, "created", &b->created);
	json_moment(j, "last_used", &b->last_used);
	json_moment(j, "destroyed", &b->destroyed);
	jout_object_end(j);
}

static void call(struct jout *j, const struct finding_record *s)
{
	const struct acl_call_record *ev = s->f->event;
	char buf[512];
	struct text t;

	if (acl_call_name(s->api))
		jout_string(j, "call", acl_call_name(s->api));
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
	last_calls_json(j, "before", ev->tid);
}

void finding_json(struct jout *j, const struct finding_record *s)
{
	const struct acl_finding *f = s->f;

	jout_uint(j, "serial", f->serial);
	jout_string(j, "rule", f->rule->id);
	jout_string(j, "severity", acl_severity_names[f->severity & 3]);
	jout_string(j, "title", rule_text(f->rule, RULE_TITLE));
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
	jout_string(j, "hint", rule_text(f->rule, RULE_HINT));
	jout_string(j, "source", rule_text(f->rule, RULE_SOURCE));
	jout_string(j, "fingerprint", s->fingerprint);
	jout_string(j, "test", s->test);
	jout_bool(j, "advice", f->advice);
	jout_bool(j, "secondary", f->secondary);
	jout_bool(j, "suppressed", s->status == FINDING_SUPPRESSED);
	if (s->status == FINDING_SUPPRESSED)
		jout_string(j, "suppressed_by", s->reason);
	if (s->status == FINDING_EXPECTED) {
		jout_bool(j, "expected", true);
		jout_string(j, "expected_by", s->reason);
		jout_string(j, "expected_in", s->in_program ? "program" : "file");
	}
	if (f->relaxed && f->rule->relaxed_since >= 0)
		jout_string(j, "relaxed_since", acl_cann_names[f->rule->relaxed_since]);
	if (f->cause)
		jout_uint(j, "cause", f->cause);
}
