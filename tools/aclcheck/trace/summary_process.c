/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says of a process as a whole. */
#include <limits.h>
#include <stdlib.h>

#include "tools/aclcheck/trace/summary.h"

/* Behind all ranks where it has none. */
static unsigned long rank_of(const struct process_state *p)
{
	char *end;
	unsigned long rank = p->rank && *p->rank ? strtoul(p->rank, &end, 10) : ULONG_MAX;

	return rank == ULONG_MAX || *end ? ULONG_MAX : rank;
}

/* The ranks of a job are started in any order. */
int process_by_rank(const void *a, const void *b)
{
	const struct process_state *x = *(struct process_state *const *)a,
				   *y = *(struct process_state *const *)b;

	if (rank_of(x) != rank_of(y))
		return rank_of(x) < rank_of(y) ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

bool summary_lacks_calls(const struct process_state *p)
{
	return p->made > p->calls - p->inside;
}

unsigned summary_lacking_processes(const struct summary *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_processes; i++)
		n += summary_lacks_calls(s->processes[i]) && !s->processes[i]->chosen;
	return n;
}

bool summary_lacks_memory(const struct process_state *p)
{
	return p->memory.unknown_frees || summary_lacks_calls(p);
}

bool summary_was_killed(const struct process_state *p)
{
	return p->killed && !p->verdict;
}

void process_free(struct process_state *p)
{
	struct thread_state *t, *next_thread;
	struct copy_stat *c, *next_copy;

	HASH_ITER(hh, p->threads, t, next_thread)
	{
		HASH_DEL(p->threads, t);
		free(t->open);
		free(t);
	}
	HASH_ITER(hh, p->copies, c, next_copy)
	{
		HASH_DEL(p->copies, c);
		free(c);
	}
	memory_free(&p->memory);
	code_modules_free(p);
	code_python_free(p);
	sites_free(p);
	free(p->command);
	free(p->rank);
	free(p->host);
	free(p->verdict);
	free(p);
}
