/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a pointer map by address, for questions about ranges: a search tree
 * that stays balanced because each block's priority is its hashed address (a treap).
 * All under the map's lock; look-ups of single addresses never come here.
 */
#include "checks/engine/pointer_map_inside.h"

static struct acl_block *node(struct pointer_map *map, uint32_t link)
{
	return block_at(map, link - 1);
}

static uint64_t base_of(struct acl_block *b)
{
	return load_relaxed(&b->base);
}

static uint64_t priority(struct acl_block *b)
{
	/* The upper half of the product depends on all bits of the address. */
	return mix64(mix64(base_of(b)));
}

void order_enter(struct pointer_map *map, struct acl_block *b)
{
	uint32_t *link = &map->root, *left = &b->left, *right = &b->right, rest;
	struct acl_block *n;

	while (*link && priority(n = node(map, *link)) >= priority(b))
		link = base_of(b) < base_of(n) ? &n->left : &n->right;
	rest = *link;
	*link = b->index + 1;
	/* What was there is split: below the block to its left, above it to its right. */
	while (rest) {
		n = node(map, rest);
		if (base_of(n) < base_of(b)) {
			*left = rest;
			left = &n->right;
			rest = n->right;
		} else {
			*right = rest;
			right = &n->left;
			rest = n->left;
		}
	}
	*left = *right = 0;
}

void order_drop(struct pointer_map *map, struct acl_block *b)
{
	uint32_t *link = &map->root, left, right;

	while (*link && *link != b->index + 1)
		link = base_of(b) < base_of(node(map, *link)) ? &node(map, *link)->left
							      : &node(map, *link)->right;
	if (!*link)
		return;
	left = b->left;
	right = b->right;
	while (left && right) {
		struct acl_block *l = node(map, left), *r = node(map, right);

		if (priority(l) >= priority(r)) {
			*link = left;
			link = &l->right;
			left = l->right;
		} else {
			*link = right;
			link = &r->left;
			right = r->left;
		}
	}
	*link = left ? left : right;
}

struct acl_block *order_from(struct pointer_map *map, uint64_t address)
{
	struct acl_block *found = NULL;

	for (uint32_t at = map->root; at;) {
		struct acl_block *n = node(map, at);

		if (base_of(n) >= address) {
			found = n;
			at = n->left;
		} else {
			at = n->right;
		}
	}
	return found;
}

void order_renew(struct pointer_map *map)
{
	struct acl_block *b;

	map->root = 0;
	map_each(map, b) order_enter(map, b);
}
