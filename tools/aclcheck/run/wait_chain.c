/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread that waits would need to go on: from its stream along the waits among the last calls of its
 * process, up to one that none of them ends, or to a callback of the program.
 */
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/common/text.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/run/run.h"

#define STREAMS_MAX 32 /* on the way from one to the next */

struct chain {
	const json_t *threads; /* "last_calls" of the process */
	const char *stream[STREAMS_MAX]; /* looked at so far */
	unsigned n;
};

static int operation_of_call(const json_t *call)
{
	int api = acl_api_find(text_of(call, "call"));

	return api < 0 ? ACL_OP_NONE : (int)acl_apis[api].operation;
}

/* The argument with a handle of the kind; without one of it, the first. */
static const char *argument(const json_t *call, unsigned handle)
{
	int api = acl_api_find(text_of(call, "call"));
	const json_t *args = json_object_get(call, "args");

	for (unsigned i = 0; api >= 0 && i < acl_apis[api].n_params; i++) {
		const struct acl_param *p = &acl_params(&acl_apis[api])[i];

		if (p->handle == handle && p->dir == ACL_DIR_IN)
			return text_of(args, p->name);
	}
	return api >= 0 && handle == ACL_HANDLE_NONE ? text_of(args, acl_params(&acl_apis[api])[0].name) : "";
}

/* What the call waits for on its stream; NULL = nothing. */
static const struct signal_way *way_of(const json_t *call)
{
	int api = acl_api_find(text_of(call, "call"));
	const struct signal_way *way = NULL;

	return api >= 0 && signal_act((unsigned)api, &way) == SIGNAL_WAIT ? way : NULL;
}

static const json_t *record_of(const json_t *threads, unsigned operation, unsigned handle, const char *key)
{
	const json_t *thread, *call;
	size_t i, k;

	json_array_foreach(threads, i, thread)
	{
		json_array_foreach(json_object_get(thread, "calls"), k, call)
		{
			if (operation_of_call(call) == (int)operation && !strcmp(argument(call, handle), key))
				return call;
		}
	}
	return NULL;
}

static bool looked_at(struct chain *c, const char *stream)
{
	for (unsigned i = 0; i < c->n; i++)
		if (!strcmp(c->stream[i], stream))
			return true;
	if (c->n == STREAMS_MAX)
		return true;
	c->stream[c->n++] = stream;
	return false;
}

/* The waits and callbacks on the stream one after the other, those of each thread in their order. */
static const json_t *task_next(const struct chain *c, const char *stream, size_t *at)
{
	const json_t *thread, *call;
	size_t i, k, n = 0;

	json_array_foreach(c->threads, i, thread)
	{
		json_array_foreach(json_object_get(thread, "calls"), k, call)
		{
			if (n++ < *at || strcmp(argument(call, ACL_HANDLE_STREAM), stream) != 0 ||
				(!way_of(call) && operation_of_call(call) != ACL_OP_LAUNCH_HOST_FUNCTION))
				continue;
			*at = n;
			return call;
		}
	}
	return NULL;
}

static bool chain_from(struct chain *c, const char *stream, struct text *t);

/* A wait that is not ended, or of which the record waits itself. */
static bool wait_holds(struct chain *c, const char *stream, const json_t *call, struct text *t)
{
	const struct signal_way *w = way_of(call);
	const char *key = argument(call, w->handle), *recorder;
	const json_t *record = record_of(c->threads, w->record, w->handle, key);
	size_t before = t->len;

	if (!record) {
		text_fmt(t, "; stream %s waits for %s %s (%s), and none of the last calls %s", stream,
			w->what, key, text_of(call, "call"), w->act);
		return true;
	}
	recorder = argument(record, ACL_HANDLE_STREAM);
	if (!strcmp(recorder, stream))
		return false;
	text_fmt(t, "; stream %s waits for %s %s, which is left to stream %s (%s)", stream, w->what, key,
		recorder, text_of(record, "call"));
	if (chain_from(c, recorder, t))
		return true;
	t->len = before;
	t->buf[before] = 0;
	return false;
}

/* Adds the way to the first of them; false: there is none, and nothing is added. */
static bool chain_from(struct chain *c, const char *stream, struct text *t)
{
	const json_t *call;

	if (!*stream || looked_at(c, stream))
		return false;
	for (size_t at = 0; (call = task_next(c, stream, &at)) != NULL;) {
		if (way_of(call)) {
			if (wait_holds(c, stream, call, t))
				return true;
		} else if (!json_object_get(call, "inside")) {
			text_fmt(t, "; stream %s has the callback %s of %s, which may not have returned",
				stream, argument(call, ACL_HANDLE_NONE), text_of(call, "call"));
			return true;
		}
	}
	return false;
}

void wait_chain(struct text *t, const json_t *process, const json_t *call)
{
	struct chain c = {.threads = json_object_get(process, "last_calls")};
	const json_t *thread, *other;
	size_t i, k;

	switch (operation_of_call(call)) {
	case ACL_OP_SYNCHRONISE_STREAM:
		chain_from(&c, argument(call, ACL_HANDLE_STREAM), t);
		break;
	case ACL_OP_SYNCHRONISE_EVENT:
		other = record_of(
			c.threads, ACL_OP_RECORD_EVENT, ACL_HANDLE_EVENT, argument(call, ACL_HANDLE_EVENT));
		if (other)
			chain_from(&c, argument(other, ACL_HANDLE_STREAM), t);
		break;
	case ACL_OP_SYNCHRONISE_DEVICE:
		json_array_foreach(c.threads, i, thread)
		{
			json_array_foreach(json_object_get(thread, "calls"), k, other)
			{
				if (way_of(other) && chain_from(&c, argument(other, ACL_HANDLE_STREAM), t))
					return;
			}
		}
		break;
	}
}
