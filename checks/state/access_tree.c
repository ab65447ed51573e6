/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses by address: the tree, and what two accesses have in common. */
#include "checks/state/access_tree.h"
#include "checks/engine/atomics.h"

#define ROWS 256 /* that are compared one by one */

static struct pending_access *node_of(const struct access_tree *t, uint16_t link)
{
	return &t->at[link - 1];
}

static uint16_t link_of(const struct access_tree *t, const struct pending_access *node)
{
	return (uint16_t)(node - t->at + 1);
}

/* Nodes of one start are in the order of their places. */
static bool comes_before(const struct pending_access *a, const struct pending_access *b)
{
	return a->start != b->start ? a->start < b->start : a < b;
}

static void high_renew(const struct access_tree *t, struct pending_access *n)
{
	n->high = n->end;
	if (n->left && node_of(t, n->left)->high > n->high)
		n->high = node_of(t, n->left)->high;
	if (n->right && node_of(t, n->right)->high > n->high)
		n->high = node_of(t, n->right)->high;
}

static void high_renew_path(const struct access_tree *t, const uint16_t *path, unsigned depth)
{
	while (depth)
		high_renew(t, node_of(t, path[--depth]));
}

struct pending_access *access_tree_take(struct access_tree *t)
{
	struct pending_access *node;

	if (t->free) {
		node = node_of(t, t->free);
		t->free = node->left;
		return node;
	}
	return t->n < t->room ? &t->at[t->n] : NULL;
}

static void node_free(struct access_tree *t, struct pending_access *node)
{
	t->writes -= (node->flags & ACCESS_WRITES) != 0;
	node->stream = 0; /* whoever remembers it finds another access */
	node->left = t->free;
	t->free = link_of(t, node);
	t->n--;
}

bool access_tree_enter(struct access_tree *t, struct pending_access *node)
{
	uint16_t path[ACCESS_TREE_DEPTH], *link = &t->root, *left = &node->left, *right = &node->right, rest;
	unsigned depth = 0;

	if (!t->n++)
		t->origin = node->start;
	t->writes += (node->flags & ACCESS_WRITES) != 0;
	/* Not by addresses, which differ from run to run, nor by the place of the node, which a replay need
	 * not find: what is met first decides what is said. */
	node->priority =
		(uint32_t)mix64(mix64((node->start - t->origin) ^ node->position << 20) ^ node->stream);
	while (*link && node_of(t, *link)->priority >= node->priority && depth < ACCESS_TREE_DEPTH) {
		path[depth++] = *link;
		link = comes_before(node, node_of(t, *link)) ? &node_of(t, *link)->left
							     : &node_of(t, *link)->right;
	}
	rest = *link;
	*link = link_of(t, node);
	/* What was there is split: below the node to its left, above it to its right. */
	if (depth < ACCESS_TREE_DEPTH)
		path[depth++] = *link;
	while (rest && depth < ACCESS_TREE_DEPTH) {
		struct pending_access *n = node_of(t, rest);

		path[depth++] = rest;
		if (comes_before(n, node)) {
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
	high_renew_path(t, path, depth);
	return !rest && depth < ACCESS_TREE_DEPTH;
}

void access_tree_replace(
	struct access_tree *t, struct pending_access *node, const struct pending_access *access)
{
	struct pending_access links = *node;

	t->writes -= (node->flags & ACCESS_WRITES) != 0;
	t->writes += (access->flags & ACCESS_WRITES) != 0;
	*node = *access;
	node->high = links.high;
	node->priority = links.priority;
	node->left = links.left;
	node->right = links.right;
}

bool access_tree_remove(struct access_tree *t, struct pending_access *node)
{
	uint16_t path[ACCESS_TREE_DEPTH], *link = &t->root, left = node->left, right = node->right;
	unsigned depth = 0;

	while (*link && node_of(t, *link) != node) {
		if (depth == ACCESS_TREE_DEPTH)
			return false;
		path[depth++] = *link;
		link = comes_before(node, node_of(t, *link)) ? &node_of(t, *link)->left
							     : &node_of(t, *link)->right;
	}
	if (!*link)
		return false;
	while (left && right) {
		bool first = node_of(t, left)->priority >= node_of(t, right)->priority;

		if (depth == ACCESS_TREE_DEPTH)
			return false;
		*link = path[depth++] = first ? left : right;
		link = first ? &node_of(t, left)->right : &node_of(t, right)->left;
		*(first ? &left : &right) = *link;
	}
	*link = left ? left : right;
	high_renew_path(t, path, depth);
	node_free(t, node);
	return true;
}

struct pending_access *access_tree_at(const struct access_tree *t, uint64_t start)
{
	uint16_t link = t->root;

	while (link) {
		struct pending_access *node = node_of(t, link);

		if (node->start == start)
			return node;
		link = start < node->start ? node->left : node->right;
	}
	return NULL;
}

/* --- what touches a range ------------------------------------------------------------------ */

void access_walk_begin(struct access_walk *w, const struct access_tree *t, uint64_t start, uint64_t end)
{
	w->tree = t;
	w->start = start;
	w->end = end;
	w->n = t->root != 0;
	w->open[0] = t->root;
}

struct pending_access *access_walk_next(struct access_walk *w)
{
	while (w->n) {
		struct pending_access *node = node_of(w->tree, w->open[--w->n]);

		if (node->high <= w->start)
			continue;
		if (node->right && node->start < w->end && w->n < ACCESS_TREE_DEPTH)
			w->open[w->n++] = node->right;
		if (node->left && w->n < ACCESS_TREE_DEPTH)
			w->open[w->n++] = node->left;
		if (node->start < w->end && node->end > w->start)
			return node;
	}
	return NULL;
}

/* --- two accesses ----------------------------------------------------------------------------- */

static uint64_t rows_of(const struct pending_access *a)
{
	return a->pitch ? (a->end - a->start - a->width) / a->pitch + 1 : 1;
}

static bool ranges_overlap(uint64_t from, uint64_t to, uint64_t *start, uint64_t *end)
{
	if (from >= *end || to <= *start)
		return false;
	*start = from > *start ? from : *start;
	*end = to < *end ? to : *end;
	return true;
}

/* One range, and the rows of the other; *start and *end hold the range, then what is common. */
static bool range_overlaps(const struct pending_access *rows, uint64_t *start, uint64_t *end)
{
	uint64_t row;

	if (!rows->pitch)
		return ranges_overlap(rows->start, rows->end, start, end);
	row = *start > rows->start ? (*start - rows->start) / rows->pitch : 0;
	for (unsigned i = 0; i < 2 && row < rows_of(rows); i++, row++) {
		uint64_t from = rows->start + row * rows->pitch;

		if (ranges_overlap(from, from + rows->width, start, end))
			return true;
	}
	return false;
}

bool accesses_overlap(
	const struct pending_access *a, const struct pending_access *b, uint64_t *start, uint64_t *end)
{
	uint64_t rows;

	if (rows_of(a) > rows_of(b)) {
		const struct pending_access *swap = a;

		a = b;
		b = swap;
	}
	rows = rows_of(a);
	for (uint64_t i = 0; i < rows && i < ROWS; i++) {
		*start = a->start + i * a->pitch;
		*end = a->pitch ? *start + a->width : a->end;
		if (range_overlaps(b, start, end))
			return true;
	}
	return false;
}

bool access_covers(const struct pending_access *a, const struct pending_access *b)
{
	if (a->start > b->start || a->end < b->end)
		return false;
	return !a->pitch ||
	       (a->start == b->start && a->end == b->end && a->pitch == b->pitch && a->width == b->width);
}
