/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/softnpu/sync/follow.h"

#include <stdlib.h>

static bool noted;

struct followed {
	int stream;
	uint64_t number; /* of its latest record that was waited for */
};

void follow_begin(void)
{
	noted = true;
}

void follow_recorded(struct stream *s, struct record *r)
{
	r->before = s->records;
	s->records += noted;
}

static struct followed *followed_find(const struct stream *s, int stream)
{
	for (unsigned i = 0; i < s->n_followed; i++)
		if (s->followed[i].stream == stream)
			return &s->followed[i];
	return NULL;
}

/* Without memory for it the stream is behind no other one. */
static struct followed *followed_add(struct stream *s, int stream)
{
	struct followed *all = realloc(s->followed, (s->n_followed + 1) * sizeof(*all));

	if (!all)
		return NULL;
	s->followed = all;
	all[s->n_followed] = (struct followed){stream, 0};
	return &all[s->n_followed++];
}

void follow_waits(struct stream *s, const struct record *r)
{
	struct followed *f;

	if (!noted)
		return;
	f = followed_find(s, r->stream);
	if (!f)
		f = followed_add(s, r->stream);
	if (f && f->number < r->before)
		f->number = r->before;
}

uint64_t follow_records(int stream)
{
	const struct stream *s = stream_of_id(stream);

	return s ? s->records : 0;
}

bool follow_is_behind(const struct stream *s, int stream, uint64_t records)
{
	const struct followed *f = followed_find(s, stream);

	return f && f->number >= records;
}

static void forget_one(struct object *o, void *gone)
{
	struct stream *s = container_of(o, struct stream, obj);
	struct followed *f = followed_find(s, ((struct stream *)gone)->id);

	if (f)
		*f = s->followed[--s->n_followed];
}

void follow_forget(struct stream *s)
{
	if (noted)
		objects_each(OBJ_STREAM, forget_one, s);
}
