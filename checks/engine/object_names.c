/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts stay for good, each once: a program has few names for the many
 * objects it makes.
 */
#include "checks/engine/object_names.h"

#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"

#define NAME_TEXT 64 /* bytes of a name with its end, more are cut off */
#define NAMES 65536

struct names_state {
	struct value_table of; /* reference -> text */
	struct value_table texts; /* key of a text -> text */
	_Atomic uint32_t n;
};

static struct names_state *names(struct checks *c)
{
	return module_state(c, names);
}

const char *object_name_of(struct checks *c, uint64_t ref)
{
	return (const char *)(uintptr_t)value_table_value(&names(c)->of, ref);
}

const char *block_name_of(struct checks *c, const struct acl_block *block)
{
	struct acl_block *b = (struct acl_block *)block;

	return object_name_of(
		c, block_ref(b, load_relaxed(&b->generation), load_relaxed(&b->kind) == MEM_REGISTERED));
}

/* The text as it is kept; NULL: there are too many, or no memory. */
static const char *text_keep(struct checks *c, const char *text, size_t bytes)
{
	uint64_t key = KEY_OF_TEXT;
	const char *known;
	char *fresh;

	for (size_t i = 0; i < bytes; i++)
		key = key_with_byte(key, (unsigned char)text[i]);
	key |= 1;
	known = (const char *)(uintptr_t)value_table_value(&names(c)->texts, key);
	if (known)
		return known;
	fresh = counter_inc(&names(c)->n) < NAMES ? checks_alloc(c, bytes + 1) : NULL;
	if (!fresh)
		return NULL;
	memcpy(fresh, text, bytes);
	return value_table_set(c, &names(c)->texts, key, (uintptr_t)fresh) ? fresh : NULL;
}

static void block_name(struct checks *c, struct pointer_map *map, uint64_t address, const char *text)
{
	struct block_lookup place;
	uint64_t ref;

	if (!map || !map_find(map, address, &place) || place.base != address)
		return;
	ref = block_ref(place.block, place.generation, map == c->maps[MAP_REGISTERED]);
	value_table_set_of(c, &names(c)->of, ref, ref, (uintptr_t)text);
}

/* Whatever there is with this handle, or at this address. */
static void name_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_ACLCHECK_NAME *a = call->args;
	uint64_t address = (uintptr_t)a->object;
	char given[NAME_TEXT];
	const char *text;
	struct acl_object *o;

	if (!a->object || !a->name || !program_text(c, a->name, given, sizeof(given)))
		return;
	text = text_keep(c, given, strlen(given));
	if (!text)
		return;
	for (unsigned kind = 1; kind < ACL_HANDLE_COUNT; kind++)
		if (c->kinds[kind] && (o = object_live(c, kind, a->object)) != NULL)
			value_table_set_object(c, &names(c)->of, o, (uintptr_t)text);
	block_name(c, load_acquire(&c->declared), address, text);
	block_name(c, c->maps[MAP_MEMORY], address, text);
	block_name(c, c->maps[MAP_REGISTERED], address, text);
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_NAME, ACL_LEAVE, name_leave},
};

const struct check_module module_names = {
	.state_size = sizeof(struct names_state),
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
