/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses to one block by address, for the question which of them touch a range:
 * a search tree that stays balanced by random priorities (a treap), each node with
 * the highest end below it.  No recursion: it runs on the program's stack.
 */
#ifndef CHECKS_ACCESS_TREE_H
#define CHECKS_ACCESS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum access_flag {
	ACCESS_READS = 1u << 0,
	ACCESS_WRITES = 1u << 1,
	ACCESS_SETS = 1u << 2, /* writes one value everywhere */
	ACCESS_REDUCES = 1u << 3, /* combines with what is there: several may, in the same way */
	ACCESS_DESCRIBES = 1u << 4, /* the device reads addresses there */
	ACCESS_ALLOCATES = 1u << 5, /* the memory is there behind it, or up to it */
	ACCESS_HINT = 1u << 6, /* moves or caches what is there, or is itself order: it must be there, and may
				  be read and written */
	ACCESS_MAYBE = 1u << 7, /* of a model: whether the task runs is decided when the model does */
	ACCESS_ANY_USE = 63 /* all but these two */
};

/* One task's access to a block: rows of width bytes, pitch bytes apart; pitch 0: all from start to end. */
struct pending_access {
	uint64_t start, end;
	uint64_t high; /* highest end of it and what is below it */
	uint64_t pitch, width;
	uint64_t stream, position; /* acl_ref, and the task's position there; of a model: block_ref of the
				      memory, and where the task was captured (pending_model.c) */
	uint64_t caller;
	uint32_t tid, priority;
	uint16_t api;
	uint16_t left, right; /* index + 1, 0 = none */
	uint8_t flags; /* enum access_flag */
	uint8_t shared : 1; /* of a block: another one may touch some of its bytes */
	uint8_t reduction : 7; /* with ACCESS_REDUCES: how; in whatever order those of one number run, the
				  result is the same */
};

#define ACCESS_TREE_NODES 1536
#define ACCESS_TREE_DEPTH 64 /* random priorities make it a third of that */

struct access_tree {
	struct pending_access *at;
	uint64_t origin; /* where the first node began */
	uint16_t root, free; /* index + 1; free ones are chained by left */
	uint16_t n, room; /* nodes in use, nodes there are */
	uint16_t writes; /* nodes in use that write */
	uint8_t link_shift; /* of the links beside it, pending_access.c: it stands in a gap of this one */
};

/* In place of a node with the same start and end. */
void access_tree_replace(
	struct access_tree *t, struct pending_access *node, const struct pending_access *access);
/* A new node, its start and what is not of the tree to be filled before it enters; NULL: no room. */
struct pending_access *access_tree_take(struct access_tree *t);
/* false: the tree is too deep, and the node is not in it. */
bool access_tree_enter(struct access_tree *t, struct pending_access *node);
bool access_tree_remove(struct access_tree *t, struct pending_access *node);

/* A node that begins there, the first on the way; NULL: none. */
struct pending_access *access_tree_at(const struct access_tree *t, uint64_t start);

/* Nodes that touch [start, end), one after the other; the tree must not change meanwhile. */
struct access_walk {
	const struct access_tree *tree;
	uint64_t start, end;
	unsigned n;
	uint16_t open[ACCESS_TREE_DEPTH];
};

void access_walk_begin(struct access_walk *w, const struct access_tree *t, uint64_t start, uint64_t end);
/* The same of all accesses. */
static inline void access_walk_all(struct access_walk *w, const struct access_tree *t)
{
	access_walk_begin(w, t, 0, UINT64_MAX);
}
struct pending_access *access_walk_next(struct access_walk *w);

/* The next of all accesses, as they came; *at begins at 0. Of a tree that none was ever removed from. */
static inline struct pending_access *access_each(const struct access_tree *t, unsigned *at)
{
	return *at < t->n ? &t->at[(*at)++] : NULL;
}

/* Whether both touch a byte; the first such range. Rows are compared one by one, without an answer where
 * there are too many. */
bool accesses_overlap(
	const struct pending_access *a, const struct pending_access *b, uint64_t *start, uint64_t *end);
/* Whether a touches every byte that b touches. */
bool access_covers(const struct pending_access *a, const struct pending_access *b);

#endif
