/* SPDX-License-Identifier: Apache-2.0 */
#include "order_model.h"

#include <string.h>

const char *const broken_rules[BROKEN_RULES] = {"stream-race-copy", "stream-race-set",
	"async-result-used-before-sync", "free-in-flight", "free-host-in-flight", "use-after-free",
	"free-double", "event-wait-before-record", "event-sync-before-record",
	"capture-resource-freed-before-destroy", "capture-host-buffer-freed", "mdlri-concurrent-execute",
	"mdlri-destroy-running"};

void model_begin(struct model *m)
{
	memset(m, 0, sizeof(*m));
	memset(m->before, -1, sizeof(m->before));
	memset(m->last, -1, sizeof(m->last));
	memset(m->record, -1, sizeof(m->record));
	memset(m->alive, true, sizeof(m->alive));
	memset(m->executes, -1, sizeof(m->executes));
	for (unsigned i = 0; i < MODELS; i++)
		m->graph[i].number = -1;
	m->stream[0] = -1;
	m->n = 1; /* before all */
}

static int node_add(struct model *m, int stream)
{
	m->stream[m->n] = stream;
	return (int)m->n++;
}

static void edge_add(struct model *m, int from, int to)
{
	for (unsigned i = 0; from >= 0 && i < EDGES; i++)
		if (m->before[to][i] < 0) {
			m->before[to][i] = from;
			return;
		}
}

/* All ways back from the node, whatever they are. */
static bool comes_before(const struct model *m, int first, int node)
{
	bool seen[NODES] = {false};
	int open[NODES];
	unsigned n = 0;

	open[n++] = node;
	while (n) {
		int at = open[--n];

		if (at == first)
			return true;
		for (unsigned i = 0; i < EDGES && m->before[at][i] >= 0; i++)
			if (!seen[m->before[at][i]]) {
				seen[m->before[at][i]] = true;
				open[n++] = m->before[at][i];
			}
	}
	return false;
}

static bool touches_unit(const struct touched *t, unsigned unit)
{
	if (unit < t->at)
		return false;
	return t->rows ? (unit - t->at) % 2 == 0 && (unit - t->at) / 2 < t->units : unit - t->at < t->units;
}

/* Both touch a unit of the same memory, and one of them writes. */
static bool collide(const struct touched *a, const struct touched *b)
{
	if (!a->units || !b->units || a->block != b->block || a->life != b->life || !(a->writes || b->writes))
		return false;
	for (unsigned unit = 0; unit < UNITS; unit++)
		if (touches_unit(a, unit) && touches_unit(b, unit))
			return true;
	return false;
}

static struct touched touched_by(const struct model *m, const struct step *s, bool writes)
{
	unsigned block = writes ? s->dst : s->src;

	return (struct touched){.block = (uint8_t)block,
		.at = writes ? s->dst_at : s->src_at,
		.units = s->units,
		.rows = s->kind == STEP_COPY_ROWS,
		.writes = writes,
		.sets = s->kind == STEP_SET,
		.life = m->life[block]};
}

/* Tasks that may run at the same time as the node and touch the same. */
static unsigned tasks_met(const struct model *m, int node, const struct touched *t, int *other)
{
	unsigned broken = 0;

	for (int i = 0; i < (int)m->n; i++)
		for (unsigned k = 0; k < TOUCHED; k++) {
			const struct touched *earlier = &m->touched[i][k];

			if (m->stream[i] < 0 || i == node || !collide(earlier, t) || comes_before(m, i, node))
				continue;
			broken |= earlier->sets || t->sets ? BROKEN_RACE_SET : BROKEN_RACE_COPY;
			*other = m->stream[i];
		}
	return broken;
}

static unsigned accesses(struct model *m, const struct step *s, int node, int *other)
{
	struct touched t[TOUCHED] = {touched_by(m, s, true)};
	unsigned broken = 0;

	if (s->kind != STEP_SET)
		t[1] = touched_by(m, s, false);
	for (unsigned i = 0; i < 2; i++)
		if (t[i].units && !m->alive[t[i].block])
			broken |= block_is_host(t[i].block) ? BROKEN_UNKNOWN : BROKEN_USE_AFTER_FREE;
	if (broken & BROKEN_UNKNOWN)
		return BROKEN_UNKNOWN;
	for (unsigned i = 0; i < 2; i++)
		broken |= tasks_met(m, node, &t[i], other);
	memcpy(m->touched[node], t, sizeof(t));
	return broken;
}

static int task_add(struct model *m, const struct step *s, int host)
{
	int task = node_add(m, s->stream);

	edge_add(m, host, task);
	edge_add(m, m->last[s->stream], task);
	m->last[s->stream] = task;
	return task;
}

/* --- models ------------------------------------------------------------------------------------ */

static unsigned captured(struct model *m, const struct step *s)
{
	struct touched t[TOUCHED] = {touched_by(m, s, true), touched_by(m, s, false),
		{.block = s->set,
			.at = s->set_at,
			.units = s->set_units,
			.writes = true,
			.sets = true,
			.life = m->life[s->set]}};

	if (m->graph[s->model].number >= 0)
		return 0;
	for (unsigned i = 0; i < TOUCHED; i++)
		if (!m->alive[t[i].block])
			return block_is_host(t[i].block) ? BROKEN_UNKNOWN : BROKEN_USE_AFTER_FREE;
	m->graph[s->model].number = m->graphs++;
	memcpy(m->graph[s->model].touched, t, sizeof(t));
	return 0;
}

/* Executions of the model that may run at the same time as the node. */
static bool is_running(const struct model *m, int number, int node)
{
	for (int i = 0; i < (int)m->n; i++)
		if (i != node && m->executes[i] == number && !comes_before(m, i, node))
			return true;
	return false;
}

static unsigned executed(struct model *m, const struct step *s, int host, int *other)
{
	int number = m->graph[s->model].number, node;
	unsigned broken = 0;

	if (number < 0)
		return 0;
	node = task_add(m, s, host);
	for (unsigned i = 0; i < TOUCHED; i++)
		broken |= tasks_met(m, node, &m->graph[s->model].touched[i], other);
	if (is_running(m, number, node))
		broken |= BROKEN_CONCURRENT;
	memcpy(m->touched[node], m->graph[s->model].touched, sizeof(m->touched[node]));
	m->executes[node] = number;
	return broken;
}

static unsigned destroyed(struct model *m, const struct step *s, int host)
{
	int number = m->graph[s->model].number;

	m->graph[s->model].number = -1;
	return number >= 0 && is_running(m, number, host) ? BROKEN_DESTROY_RUNNING : 0;
}

static bool is_captured(const struct model *m, unsigned block)
{
	for (unsigned i = 0; i < MODELS; i++)
		for (unsigned k = 0; k < TOUCHED && m->graph[i].number >= 0; k++)
			if (m->graph[i].touched[k].block == block)
				return true;
	return false;
}

static unsigned freed(struct model *m, unsigned block, int node, int *other)
{
	struct touched all = {
		.block = (uint8_t)block, .units = UNITS, .writes = true, .life = m->life[block]};
	bool in_flight = m->alive[block] && tasks_met(m, node, &all, other);
	bool host = block_is_host(block);
	unsigned broken = 0;

	if (!m->alive[block])
		return BROKEN_DOUBLE_FREE;
	m->alive[block] = false;
	if (is_captured(m, block))
		broken |= host ? BROKEN_CAPTURED_HOST_FREED : BROKEN_CAPTURED_FREED;
	if (in_flight)
		broken |= host ? BROKEN_HOST_FREE_IN_FLIGHT : BROKEN_FREE_IN_FLIGHT;
	return broken;
}

static unsigned event_step(struct model *m, const struct step *s, int host)
{
	int record = m->record[s->event];

	switch (s->kind) {
	case STEP_RECORD:
		m->record[s->event] = task_add(m, s, host);
		return 0;
	case STEP_WAIT:
		edge_add(m, record, task_add(m, s, host));
		return record < 0 ? BROKEN_WAIT_UNRECORDED : 0;
	default:
		edge_add(m, record, host);
		if (record >= 0)
			return 0;
		return s->kind == STEP_SYNC_EVENT ? BROKEN_SYNC_UNRECORDED : BROKEN_UNKNOWN;
	}
}

unsigned model_step(struct model *m, const struct step *s, int *other)
{
	int host = node_add(m, -1);

	*other = -1;
	edge_add(m, m->host, host);
	m->host = host;
	switch (s->kind) {
	case STEP_COPY:
	case STEP_COPY_ROWS:
	case STEP_SET:
		return accesses(m, s, task_add(m, s, host), other);
	case STEP_COPY_NOW: {
		unsigned broken = accesses(m, s, host, other);

		return broken & (BROKEN_RACE_COPY | BROKEN_RACE_SET) ? BROKEN_USE_BEFORE_SYNC : broken;
	}
	case STEP_SYNC_STREAM:
	case STEP_QUERY_STREAM:
		edge_add(m, m->last[s->stream], host);
		return 0;
	case STEP_SYNC_DEVICE:
		for (unsigned i = 0; i < STREAMS; i++)
			edge_add(m, m->last[i], host);
		return 0;
	case STEP_FREE:
		return freed(m, s->dst, host, other);
	case STEP_ALLOCATE:
		/* One that lives is left alone. */
		if (!m->alive[s->dst])
			m->life[s->dst]++;
		m->alive[s->dst] = true;
		return 0;
	case STEP_CAPTURE:
		return captured(m, s);
	case STEP_REPLAY:
		return executed(m, s, host, other);
	case STEP_DESTROY:
		return destroyed(m, s, host);
	default:
		return event_step(m, s, host);
	}
}

unsigned model_first_broken(const struct program *p, unsigned *rules)
{
	static struct model m;
	int other;

	model_begin(&m);
	for (unsigned i = 0; i < p->n; i++) {
		*rules = model_step(&m, &p->step[i], &other);
		if (*rules)
			return i;
	}
	*rules = 0;
	return p->n;
}
