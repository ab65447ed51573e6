/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of libbabeltrace2: one source.ctf.fs a trace directory, a muxer
 * that orders by time, and a sink that hands the messages to the reader.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

#define MAX_DEPTH 12 /* of directories below a path */
#define PROGRESS_EVENTS 65536
#define ADJUSTED_MAX 10000000000ll /* nanoseconds: of more than that there is another reason */
#define OFFSET_MAX 1e8 /* seconds: three years */

struct trace {
	char *directory;
	int64_t offset; /* nanoseconds that its clock is behind */
	uint64_t ended; /* by its clock, when the program had; UINT64_MAX = unknown */
};

struct reading {
	const struct ctf_reader *reader;
	bt_message_iterator *messages;
	struct trace *traces;
	unsigned n_traces;
	bool refused; /* by the reader */
	/* Span of time of all traces, for the bar. */
	int64_t begin, end;
	uint64_t events;
	int shown; /* percent, -1 = no bar */
};

/* --- finding traces -------------------------------------------------------- */

static void add_trace(struct reading *r, const char *path, int64_t offset)
{
	uint64_t ended = recording_ended(path);

	r->traces = need(realloc(r->traces, (r->n_traces + 1) * sizeof(*r->traces)));
	r->traces[r->n_traces++] = (struct trace){need(strdup(path)), offset, ended ? ended : UINT64_MAX};
}

static int ctf_by_name(const void *a, const void *b)
{
	const struct trace *x = a, *y = b;

	return strcmp(x->directory, y->directory);
}

/* A directory with a file "metadata" is a trace; others may hold some. */
static void find_below(struct reading *r, const char *path, int64_t offset, unsigned depth)
{
	char inner[4096];
	struct dirent *e;
	struct stat s;
	DIR *d;

	snprintf(inner, sizeof(inner), "%s/metadata", path);
	if (!filestat_path(inner, &s) && S_ISREG(s.st_mode)) {
		add_trace(r, path, offset);
		return;
	}
	d = depth < MAX_DEPTH ? opendir(path) : NULL;
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		if (snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name) >= (int)sizeof(inner))
			continue;
		if (!filestat_link(inner, &s) && S_ISDIR(s.st_mode))
			find_below(r, inner, offset, depth + 1);
	}
	if (d)
		closedir(d);
}

/* "TRACE@SECONDS": takes the offset off the path, unless a file has that name. */
static int64_t take_offset(char *path)
{
	char *at = strrchr(path, '@'), *end;
	struct stat s;
	double seconds;

	if (!at || !at[1] || !filestat_path(path, &s))
		return 0;
	seconds = strtod(at + 1, &end);
	if (*end || !(seconds > -OFFSET_MAX && seconds < OFFSET_MAX))
		return 0;
	*at = 0;
	return (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
}

static bool find_at(struct reading *r, char *path)
{
	int64_t offset = take_offset(path);
	unsigned before = r->n_traces;
	struct stat s;

	if (filestat_path(path, &s)) {
		command_say("%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(s.st_mode))
		find_below(r, path, offset, 0);
	if (r->n_traces == before)
		command_say("%s: no CTF trace in it (nothing was recorded, or it is something else)", path);
	return r->n_traces > before;
}

static bool find_traces(struct reading *r, char *const *paths, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char *path = need(strdup(paths[i]));
		bool found = find_at(r, path);

		free(path);
		if (!found)
			return false;
	}
	qsort(r->traces, r->n_traces, sizeof(*r->traces), ctf_by_name);
	return true;
}

static bool check_metadata(const struct reading *r)
{
	for (unsigned i = 0; i < r->n_traces; i++) {
		char path[4096 + 16];
		const char *wrong;

		snprintf(path, sizeof(path), "%s/metadata", r->traces[i].directory);
		wrong = ctf_metadata_wrong(path);
		if (wrong) {
			command_say("%s %s", path, wrong);
			return false;
		}
		if (!ctf_streams_end(r->traces[i].directory))
			return false;
	}
	return true;
}

/* --- clocks ------------------------------------------------------------------ */

/*
 * Each recording has measured for itself how far its machine's clock is from the time of day, and meanwhile
 * that is adjusted. Recordings of one boot have one clock: with the offset of the first of them their events
 * are in the order in which they came.
 */
static void align_clocks(struct reading *r)
{
	struct ctf_clock *clocks = need(calloc(r->n_traces, sizeof(*clocks)));

	for (unsigned i = 0; i < r->n_traces; i++) {
		unsigned first = 0;

		ctf_clock(r->traces[i].directory, &clocks[i]);
		while (first < i && (!*clocks[i].boot || strcmp(clocks[first].boot, clocks[i].boot) != 0))
			first++;
		if (first < i && llabs(clocks[first].offset - clocks[i].offset) < ADJUSTED_MAX)
			r->traces[i].offset += clocks[first].offset - clocks[i].offset;
	}
	free(clocks);
}

/* --- errors ---------------------------------------------------------------- */

/* The innermost cause is the one that says what is wrong with the file. */
static bool fail(const char *what)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *cause = "out of memory";

	if (error && bt_error_get_cause_count(error))
		cause = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	command_say("%s cannot be read: %.*s", what, (int)strcspn(cause, "\n"), cause);
	if (error)
		bt_error_release(error);
	return false;
}

/* --- the sink -------------------------------------------------------------- */

static void show_progress(struct reading *r, int64_t now)
{
	int percent = 100;

	if (r->shown < 0)
		return;
	if (r->end > r->begin)
		percent = (int)(100 * ((double)(now - r->begin) / (double)(r->end - r->begin)));
	if (percent == r->shown || percent < 0 || percent > 100)
		return;
	r->shown = percent;
	dprintf(isolated_terminal, "\r[%-40.*s] %3d %%", percent * 40 / 100,
		"########################################", percent);
}

static bool handle_event(struct reading *r, const bt_message *m)
{
	const bt_clock_snapshot *clock = NULL;
	const bt_event *event = bt_message_event_borrow_event_const(m);
	int64_t now;

	if (bt_stream_class_borrow_default_clock_class_const(
		    bt_event_class_borrow_stream_class_const(bt_event_borrow_class_const(event))))
		clock = bt_message_event_borrow_default_clock_snapshot_const(m);
	if (++r->events % PROGRESS_EVENTS == 0 && clock &&
		bt_clock_snapshot_get_ns_from_origin(clock, &now) ==
			BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		show_progress(r, now);
	return r->reader->event(r->reader->context, event, clock);
}

/* The program's end, by the clock of its trace. */
static uint64_t program_end(const struct reading *r, const bt_trace *trace)
{
	const char *name = bt_trace_get_name(trace), *slash = name ? strrchr(name, '/') : NULL;
	unsigned long i = slash ? strtoul(slash + 1, NULL, 10) : r->n_traces;

	return i < r->n_traces ? r->traces[i].ended : UINT64_MAX;
}

static void handle_packet_end(struct reading *r, const bt_message *m)
{
	const bt_stream *stream = bt_packet_borrow_stream_const(bt_message_packet_end_borrow_packet_const(m));
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	uint64_t end, program;
	int64_t ns;

	if (!r->reader->written || !bt_stream_class_packets_have_end_default_clock_snapshot(class))
		return;
	end = bt_clock_snapshot_get_value(bt_message_packet_end_borrow_default_clock_snapshot_const(m));
	program = program_end(r, bt_stream_borrow_trace_const(stream));
	if (bt_clock_class_cycles_to_ns_from_origin(bt_stream_class_borrow_default_clock_class_const(class),
		    end < program ? end : program, &ns) == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		r->reader->written(r->reader->context, bt_stream_class_borrow_trace_class_const(class), ns);
}

static bool handle(struct reading *r, const bt_message *m)
{
	uint64_t count = 0;

	switch (bt_message_get_type(m)) {
	case BT_MESSAGE_TYPE_EVENT:
		return handle_event(r, m);
	case BT_MESSAGE_TYPE_PACKET_END:
		handle_packet_end(r, m);
		return true;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(m, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
			count = 0;
		if (r->reader->discarded)
			r->reader->discarded(r->reader->context, count);
		return true;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(m, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
			count = 0;
		if (r->reader->lost)
			r->reader->lost(r->reader->context, count);
		return true;
	default:
		return true;
	}
}

static bt_graph_simple_sink_component_initialize_func_status sink_start(
	bt_message_iterator *messages, void *data)
{
	struct reading *r = data;

	r->messages = messages;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status sink_consume(
	bt_message_iterator *messages, void *data)
{
	struct reading *r = data;
	bt_message_array_const batch;
	uint64_t n;
	bool more = true;
	bt_message_iterator_next_status status = bt_message_iterator_next(messages, &batch, &n);

	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return (bt_graph_simple_sink_component_consume_func_status)status;
	for (uint64_t i = 0; i < n; i++) {
		more = more && handle(r, batch[i]);
		bt_message_put_ref(batch[i]);
	}
	r->refused = !more;
	return more ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK
		    : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
}

/* --- the graph ------------------------------------------------------------- */

static const bt_component_class_source *source_class(void)
{
	static const bt_plugin *plugin;

	if (!plugin && bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
			       BT_PLUGIN_FIND_STATUS_OK)
		return NULL;
	return bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
}

static const bt_component_class_filter *muxer_class(void)
{
	static const bt_plugin *plugin;

	if (!plugin && bt_plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
			       BT_PLUGIN_FIND_STATUS_OK)
		return NULL;
	return bt_plugin_borrow_filter_component_class_by_name_const(plugin, "muxer");
}

/* The source puts the host before the name. */
static bt_value *source_parameters(const struct reading *r, const struct trace *t)
{
	char number[24];
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (params && bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
			      BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
		bt_value_array_append_string_element(inputs, t->directory);
	snprintf(number, sizeof(number), "/%td", t - r->traces);
	if (params)
		bt_value_map_insert_string_entry(params, "trace-name", number);
	if (params && t->offset)
		bt_value_map_insert_signed_integer_entry(params, "clock-class-offset-ns", t->offset);
	return params;
}

/* Asks for the span of time of a trace; without an answer there is just no bar. */
static void add_span(struct reading *r, const bt_value *params)
{
	const bt_value *traces = NULL, *streams, *range;
	bt_query_executor *q =
		bt_query_executor_create(bt_component_class_source_as_component_class_const(source_class()),
			"babeltrace.trace-infos", params);

	if (q && bt_query_executor_query(q, &traces) == BT_QUERY_EXECUTOR_QUERY_STATUS_OK) {
		const bt_value *t = bt_value_array_borrow_element_by_index_const(traces, 0);

		streams = bt_value_map_borrow_entry_value_const(t, "stream-infos");
		for (uint64_t i = 0; streams && i < bt_value_array_get_length(streams); i++) {
			int64_t begin, end;

			range = bt_value_map_borrow_entry_value_const(
				bt_value_array_borrow_element_by_index_const(streams, i), "range-ns");
			if (!range)
				continue;
			begin = bt_value_integer_signed_get(
				bt_value_map_borrow_entry_value_const(range, "begin"));
			end = bt_value_integer_signed_get(
				bt_value_map_borrow_entry_value_const(range, "end"));
			r->begin = begin < r->begin ? begin : r->begin;
			r->end = end > r->end ? end : r->end;
		}
		bt_value_put_ref(traces);
	}
	bt_query_executor_put_ref(q);
	bt_current_thread_clear_error();
}

static bool connect_ports(
	bt_graph *graph, const bt_component_source *source, const bt_component_filter *muxer)
{
	uint64_t n = bt_component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < n; i++) {
		/* The muxer always has one more port than is connected. */
		uint64_t free_port = bt_component_filter_get_input_port_count(muxer) - 1;

		if (bt_graph_connect_ports(graph,
			    bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer, free_port),
			    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	}
	return true;
}

static bool add_source(struct reading *r, bt_graph *graph, const bt_component_filter *muxer, unsigned index)
{
	const bt_component_source *source = NULL;
	bt_value *params = source_parameters(r, &r->traces[index]);
	char name[32];
	bool ok;

	snprintf(name, sizeof(name), "trace-%u", index);
	if (r->shown >= 0 && params)
		add_span(r, params);
	ok = params &&
	     bt_graph_add_source_component(graph, source_class(), name, params, BT_LOGGING_LEVEL_NONE,
		     &source) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
	     connect_ports(graph, source, muxer);
	bt_value_put_ref(params);
	return ok || fail(r->traces[index].directory);
}

static bool build(struct reading *r, bt_graph *graph)
{
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;

	if (bt_graph_add_filter_component(graph, muxer_class(), "order", NULL, BT_LOGGING_LEVEL_NONE,
		    &muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		return fail("the trace");
	for (unsigned i = 0; i < r->n_traces; i++)
		if (!add_source(r, graph, muxer, i))
			return false;
	if (bt_graph_add_simple_sink_component(graph, "reader", sink_start, sink_consume, NULL, r, &sink) !=
			BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
		bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
			bt_component_sink_borrow_input_port_by_index_const(sink, 0),
			NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
		return fail("the trace");
	return true;
}

static bool run(struct reading *r)
{
	bt_graph *graph = bt_graph_create(0);
	bool ok = graph && build(r, graph);
	bt_graph_run_status status;

	if (ok) {
		status = bt_graph_run(graph);
		ok = status == BT_GRAPH_RUN_STATUS_OK;
		if (r->shown > 0)
			dprintf(isolated_terminal, "\r\033[K");
		if (!ok)
			fail(r->n_traces == 1 ? r->traces[0].directory : "one of the traces");
	}
	bt_graph_put_ref(graph);
	return ok && !r->refused;
}

static void report_lacks(const struct reading *r)
{
	unsigned lacks = 0;

	for (unsigned i = 0; i < r->n_traces; i++)
		lacks |= recording_lacks(r->traces[i].directory);
	if (lacks && r->reader->lacks)
		r->reader->lacks(r->reader->context, lacks);
}

bool ctf_read(char *const *paths, unsigned n_paths, const struct ctf_reader *reader)
{
	struct reading r = {.reader = reader,
		.begin = INT64_MAX,
		.end = INT64_MIN,
		.shown = reader->progress && isolated_terminal >= 0 ? 0 : -1};
	bool ok;

	if (!source_class() || !muxer_class()) {
		command_say("the plug-ins of libbabeltrace2 are missing: install babeltrace2");
		return false;
	}
	ok = find_traces(&r, paths, n_paths) && check_metadata(&r);
	if (ok)
		align_clocks(&r);
	ok = ok && run(&r);
	if (ok)
		report_lacks(&r);
	for (unsigned i = 0; i < r.n_traces; i++)
		free(r.traces[i].directory);
	free(r.traces);
	return ok;
}

/* --- fields ---------------------------------------------------------------- */

uint64_t ctf_uint(const bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return bt_field_integer_unsigned_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return (uint64_t)bt_field_integer_signed_get_value(field);
	return 0;
}

/* libbabeltrace2 2.0 clears the length of an empty text and leaves an earlier event's in its place. */
const char *ctf_string(const bt_field *field)
{
	if (!bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_STRING))
		return NULL;
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

void ctf_text(const bt_field *field, char *text, size_t size)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	size_t n = 0;

	if (ctf_string(field)) {
		snprintf(text, size, "%s", ctf_string(field));
		return;
	}
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		for (; n < bt_field_array_get_length(field) && n + 1 < size; n++)
			text[n] =
				(char)ctf_uint(bt_field_array_borrow_element_field_by_index_const(field, n));
	text[n] = 0;
}
