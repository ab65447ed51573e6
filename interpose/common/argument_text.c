/* SPDX-License-Identifier: Apache-2.0 */
/* Turns raw argument values into what a reader expects: enum names, handles, error names, sizes. */
#include "interpose/common/argument_text.h"

#include <string.h>

#include "aclcheck/model.h"
#include "interpose/common/kernel_copy.h"

#define STRING_SHOWN 120
#define FIELDS_SHOWN 24

static int64_t load_int(const void *p, unsigned size)
{
	int64_t v = 0;

	switch (size) {
	case 1:
		return *(const int8_t *)p;
	case 2:
		return *(const int16_t *)p;
	case 4:
		return *(const int32_t *)p;
	case 8:
		memcpy(&v, p, sizeof(v));
		return v;
	default:
		return 0;
	}
}

static uint64_t load_uint(const void *p, unsigned size)
{
	uint64_t v = (uint64_t)load_int(p, size);

	return size < 8 ? v & ((UINT64_C(1) << (8 * size)) - 1) : v;
}

void decode_enum(struct text *t, int enum_index, int64_t value)
{
	const char *name = enum_index >= 0 ? acl_enum_name(enum_index, value) : NULL;

	if (name)
		text_str(t, name);
	else
		text_int(t, value);
}

void decode_error(struct text *t, int64_t code)
{
	const char *name = acl_error_name(code);

	if (!name) {
		text_int(t, code);
		return;
	}
	text_fmt(t, "%s (", name);
	text_int(t, code);
	text_char(t, ')');
}

/* One scalar as text; the same words are the strings of the JSON form. */
static void scalar(struct text *t, unsigned kind, unsigned size, int enum_index, const void *p)
{
	switch (kind) {
	case ACL_KIND_INT:
		text_int(t, load_int(p, size));
		break;
	case ACL_KIND_UINT:
		text_uint(t, load_uint(p, size));
		break;
	case ACL_KIND_BOOL:
		text_str(t, load_uint(p, size) ? "true" : "false");
		break;
	case ACL_KIND_ENUM:
		decode_enum(t, enum_index, load_int(p, size));
		break;
	case ACL_KIND_ERROR:
		decode_error(t, load_int(p, size));
		break;
	case ACL_KIND_FLOAT:
		text_hex(t, load_uint(p, size));
		break;
	default:
		if (load_uint(p, size))
			text_hex(t, load_uint(p, size));
		else
			text_str(t, "NULL");
	}
}

static void shown_string(struct text *t, const char *s)
{
	char buf[STRING_SHOWN + 2];
	size_t n;

	if (!kernel_copy_text(buf, s, sizeof(buf))) {
		text_hex(t, (uintptr_t)s);
		return;
	}
	n = strlen(buf);
	text_char(t, '"');
	text_safe(t, buf, n > STRING_SHOWN ? STRING_SHOWN : n);
	text_str(t, n > STRING_SHOWN ? "…\"" : "\"");
}

static void shown_struct(struct text *t, int index, const void *p)
{
	const struct acl_struct *s = index >= 0 ? &acl_structs[index] : NULL;

	text_char(t, '{');
	for (unsigned i = 0; s && i < s->n_fields && i < FIELDS_SHOWN; i++) {
		const struct acl_field *f = &acl_fields(s)[i];

		text_fmt(t, i ? ", %s=" : "%s=", acl_text(f->name));
		if (f->count > 1 || f->kind == ACL_KIND_STRUCT)
			text_str(t, "…");
		else
			scalar(t, f->kind, f->size, f->enum_index, (const char *)p + f->offset);
	}
	text_char(t, '}');
}

static void shown_param(struct text *t, const struct acl_param *p, const void *args)
{
	const char *at = (const char *)args + p->offset;
	const char *s;

	switch (p->kind) {
	case ACL_KIND_STRING:
		memcpy(&s, at, sizeof(s));
		if (s)
			shown_string(t, s);
		else
			text_str(t, "NULL");
		break;
	case ACL_KIND_STRUCT:
		shown_struct(t, p->struct_index, at);
		break;
	default:
		scalar(t, p->kind, p->size, p->enum_index, at);
	}
}

void decode_call(struct text *t, unsigned api, const void *args)
{
	const struct acl_api_info *info = &acl_apis[api];

	text_str(t, info->name);
	if (!args)
		return;
	text_char(t, '(');
	for (unsigned i = 0; i < info->n_params; i++) {
		text_fmt(t, i ? ", %s=" : "%s=", acl_params(info)[i].name);
		shown_param(t, &acl_params(info)[i], args);
	}
	text_char(t, ')');
}

void decode_call_json(struct jout *j, const char *key, unsigned api, const void *args)
{
	const struct acl_api_info *info = &acl_apis[api];

	jout_object(j, key);
	for (unsigned i = 0; args && i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		const char *at = (const char *)args + p->offset;
		char buf[2048];
		struct text t;

		if (p->kind == ACL_KIND_INT) {
			jout_int(j, p->name, load_int(at, p->size));
		} else if (p->kind == ACL_KIND_UINT) {
			jout_uint(j, p->name, load_uint(at, p->size));
		} else if (p->kind == ACL_KIND_BOOL) {
			jout_bool(j, p->name, load_uint(at, p->size) != 0);
		} else if (p->kind == ACL_KIND_STRING && load_uint(at, sizeof(void *)) &&
			   kernel_copy_text(buf, *(const char *const *)at, sizeof(buf))) {
			jout_string(j, p->name, buf);
		} else {
			text_init(&t, buf, sizeof(buf));
			shown_param(&t, p, args);
			jout_string(j, p->name, buf);
		}
	}
	jout_object_end(j);
}

void decode_stored_json(struct jout *j, const char *key, unsigned api, const void *args, size_t stored)
{
	const struct acl_api_info *info = &acl_apis[api];

	jout_object(j, key);
	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		char buf[1024];
		struct text t;

		text_init(&t, buf, sizeof(buf));
		if ((size_t)p->offset + p->size > stored)
			text_str(&t, "…");
		else if (p->kind == ACL_KIND_STRING)
			scalar(&t, ACL_KIND_POINTER, p->size, ACL_NONE, (const char *)args + p->offset);
		else
			shown_param(&t, p, args);
		jout_string(j, p->name, buf);
	}
	jout_object_end(j);
}

void decode_result(struct text *t, unsigned api, const union acl_result *result)
{
	const struct acl_api_info *info = &acl_apis[api];

	if (info->ret_kind == ACL_KIND_VOID)
		return;
	scalar(t, info->ret_kind, info->ret_size, ACL_NONE, result);
}

void decode_value(struct text *t, const struct acl_value *v)
{
	switch (v->form) {
	case ACL_VALUE_UINT:
		text_uint(t, v->u);
		break;
	case ACL_VALUE_INT:
		text_int(t, v->i);
		break;
	case ACL_VALUE_BYTES:
		text_size(t, v->u);
		break;
	case ACL_VALUE_ENUM:
		decode_enum(t, v->enum_index, v->i);
		break;
	case ACL_VALUE_ERROR:
		decode_error(t, v->i);
		break;
	case ACL_VALUE_TEXT:
		if (v->s)
			text_safe(t, v->s, 512);
		break;
	case ACL_VALUE_API:
		if (v->u < acl_named_count)
			text_str(t, acl_apis[v->u].name);
		break;
	default:
		if (v->u)
			text_hex(t, v->u);
		else
			text_str(t, "NULL");
	}
}

void decode_value_json(struct jout *j, const struct acl_value *v)
{
	char buf[1024];
	struct text t;

	if (v->form == ACL_VALUE_UINT || v->form == ACL_VALUE_BYTES) {
		jout_uint(j, v->name, v->u);
	} else if (v->form == ACL_VALUE_INT) {
		jout_int(j, v->name, v->i);
	} else if (v->form == ACL_VALUE_TEXT) {
		jout_string(j, v->name, v->s ? v->s : "");
	} else {
		text_init(&t, buf, sizeof(buf));
		decode_value(&t, v);
		jout_string(j, v->name, buf);
	}
}
