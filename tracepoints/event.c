/* SPDX-License-Identifier: Apache-2.0 */
/* What LTTng's macros would make for each event, once for all: emitting, filters, registration. */
#include "tracepoints/event.h"

#include <pthread.h>
#include <lttng/ust-ringbuffer-context.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "tracepoints/provider.h"

const struct lttng_ust_probe_desc trace_no_events = {.struct_size = sizeof(struct lttng_ust_probe_desc),
	.provider_name = "acl",
	.major = LTTNG_UST_PROVIDER_MAJOR,
	.minor = LTTNG_UST_PROVIDER_MINOR};

/* --- filters --------------------------------------------------------------- */

/* What filters see of an event: a number, or length and place. */
union operand {
	int64_t number;
	double real;
	unsigned long length;
	const void *place;
};

static const struct lttng_ust_type_integer *integer_of(const struct lttng_ust_type_common *t)
{
	return (const struct lttng_ust_type_integer *)t;
}

/* At a bit of the event: a part of a byte, or whole ones. */
static int64_t read_integer(const char *bytes, size_t bit, const struct lttng_ust_type_integer *t)
{
	uint64_t value = 0;

	memcpy(&value, bytes + bit / CHAR_BIT, (t->size + CHAR_BIT - 1) / CHAR_BIT);
	value = value >> bit % CHAR_BIT << (64 - t->size);
	return t->signedness ? (int64_t)value >> (64 - t->size) : (int64_t)(value >> (64 - t->size));
}

static double read_float(const char *at, const struct lttng_ust_type_float *t)
{
	double wide;
	float narrow;

	if (t->mant_dig == DBL_MANT_DIG) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return (double)narrow;
}

/* The field at a bit; count is the number before it, the length of a sequence. Returns its size in bits. */
static size_t add_operand(union operand **to, const struct lttng_ust_event_field *field, const char *bytes,
	size_t bit, int64_t *count)
{
	const struct lttng_ust_type_common *t = field->type, *element;

	switch (t->type) {
	case lttng_ust_type_enum:
		t = ((const struct lttng_ust_type_enum *)t)->container_type;
		/* fall through */
	case lttng_ust_type_integer:
		*count = read_integer(bytes, bit, integer_of(t));
		if (!field->nofilter)
			(*to)++->number = *count;
		return integer_of(t)->size;
	case lttng_ust_type_float:
		(*to)++->real = read_float(bytes + bit / CHAR_BIT, (const struct lttng_ust_type_float *)t);
		return ((const struct lttng_ust_type_float *)t)->mant_dig == DBL_MANT_DIG ? 64 : 32;
	case lttng_ust_type_array:
		element = ((const struct lttng_ust_type_array *)t)->elem_type;
		*count = ((const struct lttng_ust_type_array *)t)->length;
		break;
	default:
		element = ((const struct lttng_ust_type_sequence *)t)->elem_type;
		break;
	}
	(*to)++->length = (unsigned long)*count;
	(*to)++->place = bytes + bit / CHAR_BIT;
	return (size_t)*count * integer_of(element)->size;
}

static void add_operands(union operand *to, const struct trace_bytes *b)
{
	size_t bit = 0;
	int64_t count = 0;

	for (size_t i = 0; i < b->class->nr_fields; i++)
		bit += add_operand(&to, b->class->fields[i], b->bytes, bit, &count);
}

/* On its own, since its stack is large. */
static __attribute__((noinline)) bool is_filtered_out(const struct lttng_ust_event_common *event,
	const struct trace_bytes *b, struct lttng_ust_probe_ctx *probe)
{
	union operand operands[2 * b->class->nr_fields];

	add_operands(operands, b);
	return event->run_filter(event, (const char *)operands, probe, NULL) != LTTNG_UST_EVENT_FILTER_ACCEPT;
}

static __attribute__((noinline)) void notify(const struct lttng_ust_event_common *event,
	const struct trace_bytes *b, struct lttng_ust_probe_ctx *probe)
{
	const struct lttng_ust_event_notifier *n = event->child;
	struct lttng_ust_notification_ctx context = {
		.struct_size = sizeof(context), .eval_capture = *(const volatile int *)&n->eval_capture};
	union operand operands[2 * b->class->nr_fields];

	add_operands(operands, b);
	n->notification_send(n, (const char *)operands, probe, &context);
}

/* --- emitting ----------------------------------------------------------------- */

static bool is_true(const int *value)
{
	return __builtin_expect(*(const volatile int *)value, 1);
}

static void event_record(const struct lttng_ust_event_common *event, const struct trace_bytes *b,
	struct lttng_ust_probe_ctx *probe)
{
	struct lttng_ust_event_recorder *recorder = event->child;
	const struct lttng_ust_channel_buffer_ops *to = recorder->chan->ops;
	struct lttng_ust_ring_buffer_ctx context;

	lttng_ust_ring_buffer_ctx_init(&context, recorder, b->size, 1, probe);
	if (to->event_reserve(&context) < 0)
		return;
	to->event_write(&context, b->bytes, b->size, 1);
	to->event_commit(&context);
}

static bool is_recording(const struct lttng_ust_event_common *event)
{
	const struct lttng_ust_event_recorder *recorder = event->child;
	const struct lttng_ust_channel_common *channel = recorder->chan->parent;

	return is_true(&channel->session->active) && is_true(&channel->enabled);
}

void trace_probe(void *session, const struct trace_bytes *b)
{
	const struct lttng_ust_event_common *event = session;
	struct lttng_ust_probe_ctx probe = {.struct_size = sizeof(probe), .ip = (void *)(uintptr_t)b->caller};
	bool records = event->type == LTTNG_UST_EVENT_TYPE_RECORDER;

	if ((records && !is_recording(event)) || !is_true(&event->enabled))
		return;
	if (__builtin_expect(*(const volatile int *)&event->eval_filter, 0) &&
		is_filtered_out(event, b, &probe))
		return;
	if (records)
		event_record(event, b, &probe);
	else
		notify(event, b, &probe);
}

/* What probes are called between. */
static void (*read_lock)(void), (*read_unlock)(void);

bool trace_events_start(void)
{
	if (!LTTNG_UST_TP_RCU_LINK_TEST())
		return false;
	read_lock = lttng_ust_tp_rcu_read_lock;
	read_unlock = lttng_ust_tp_rcu_read_unlock;
	return true;
}

void trace_emit(const struct lttng_ust_tracepoint *tracepoint, const struct trace_bytes *b)
{
	struct lttng_ust_tracepoint_probe *p;

	read_lock();
	p = __atomic_load_n(&tracepoint->probes, __ATOMIC_ACQUIRE);
	for (; p && p->func; p++)
		((void (*)(void *, const struct trace_bytes *))p->func)(p->data, b);
	read_unlock();
}

/* --- registration --------------------------------------------------------------- */

/*
 * LTTng lets one thread register at a time, and sessions answer before the next:
 * a second one that calls the function meanwhile waits, or its call would be lost.
 */
static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;

void trace_registration_lock(sigset_t *before)
{
	sigset_t all;

	/* A handler that calls would wait for its own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
	pthread_mutex_lock(&registering);
}

void trace_registration_unlock(const sigset_t *before)
{
	pthread_mutex_unlock(&registering);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

void trace_register(const struct trace_function *f)
{
	lttng_ust_tracepoint_dlopen_ptr->lttng_ust_tracepoint_module_register(
		f->tracepoints, (int)f->n_events);
	lttng_ust_probe_register(f->pair);
	if (f->call)
		lttng_ust_probe_register(f->call);
}
