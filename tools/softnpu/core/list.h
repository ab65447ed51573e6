/* SPDX-License-Identifier: Apache-2.0 */
/* Doubly linked lists with the links inside the elements. */
#ifndef SOFTNPU_LIST_H
#define SOFTNPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define list_for_each(pos, head, member)                                                                     \
	for (pos = container_of((head)->next, __typeof__(*pos), member); &pos->member != (head);             \
		pos = container_of(pos->member.next, __typeof__(*pos), member))

#define list_for_each_safe(pos, tmp, head, member)                                                           \
	for (pos = container_of((head)->next, __typeof__(*pos), member),                                     \
	    tmp = container_of(pos->member.next, __typeof__(*pos), member);                                  \
		&pos->member != (head);                                                                      \
		pos = tmp, tmp = container_of(tmp->member.next, __typeof__(*pos), member))

#define list_first(head, type, member) container_of((head)->next, type, member)

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add_tail(struct list *head, struct list *e)
{
	e->prev = head->prev;
	e->next = head;
	head->prev->next = e;
	head->prev = e;
}

static inline void list_add(struct list *head, struct list *e)
{
	list_add_tail(head->next, e);
}

/* A removed element is an empty list, so that removing it again does nothing. */
static inline void list_del(struct list *e)
{
	e->prev->next = e->next;
	e->next->prev = e->prev;
	list_init(e);
}

#endif
