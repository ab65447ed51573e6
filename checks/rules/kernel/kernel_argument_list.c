/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Argument lists of kernels (aclrtKernelArgs*).  The runtime keeps one list a
 * thread and begins it anew with every aclrtKernelArgsInit, under the same
 * handle; lists in the program's own memory are as many as it likes, and are
 * followed as far as the table grows.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binary_state.h"
#include "checks/state/launch_words.h"
#include "checks/state/memory_state.h"

#define CHUNK 64 /* lists of one piece of memory */
#define CHUNKS 64
#define PARAMS 128 /* a list takes no more */
#define SYSTEM_BYTES (64u << 10)

struct args_param {
	uint64_t handle;
	uint32_t size;
	bool holder;
	uint64_t word; /* its value, where that is one word; else 0 */
};

struct args_list {
	uint64_t handle;
	uint64_t function; /* its handle */
	uint64_t former; /* function the same handle was begun for and never launched; 0 = none */
	uint64_t bytes, capacity;
	uint32_t tid; /* whose list it is, 0 = in the program's memory */
	uint32_t n, limit; /* parameters there are, and may be */
	uint32_t gone; /* up to here, those behind n are from before the list was begun again */
	bool former_filled;
	bool final, buffer, launched;
	bool updated; /* a parameter, since it became final */
	bool packed; /* may be of the AI CPU: its parameters are not aligned */
	struct args_param params[PARAMS];
};

struct kernel_state {
	struct acl_lock lock;
	struct value_table numbers; /* handle -> 1 + number of its list */
	struct args_list *chunks[CHUNKS];
	uint32_t n; /* lists in use; none goes before its handle is needed for another */
};

/* What a look at a list came to; reported when the lock is free again. */
struct outcome {
	const struct acl_rule *rule; /* broken, NULL = none */
	const struct acl_rule *evaluated[3];
	const char *detail;
	const char *name[2];
	uint64_t value[2];
};

static struct kernel_state *kernels(struct checks *c)
{
	return module_state(c, kernel_args);
}

/* --- the table ---------------------------------------------------------------------------- */

static struct args_list *list_at(const struct kernel_state *k, uint32_t number)
{
	return &k->chunks[number / CHUNK][number % CHUNK];
}

/* Under the lock; NULL: not known. */
static struct args_list *list_find(struct kernel_state *k, uint64_t handle)
{
	uint64_t number = handle ? value_table_value(&k->numbers, handle) : 0;

	return number ? list_at(k, (uint32_t)number - 1) : NULL;
}

/* Under the lock: a list of its own for the handle, NULL = there are too many. */
static struct args_list *list_place(struct checks *c, struct kernel_state *k, uint64_t handle)
{
	struct args_list *l = list_find(k, handle);

	if (l)
		return l;
	if (k->n == CHUNK * CHUNKS)
		return NULL;
	if (k->n % CHUNK == 0 && !k->chunks[k->n / CHUNK])
		k->chunks[k->n / CHUNK] = checks_alloc(c, CHUNK * sizeof(*l));
	if (!k->chunks[k->n / CHUNK] || !value_table_set(c, &k->numbers, handle, 1 + (uint64_t)k->n))
		return NULL;
	return list_at(k, k->n++);
}

static struct args_param *param_find(struct args_list *l, uint64_t handle)
{
	for (unsigned i = 0; i < l->n && i < PARAMS; i++)
		if (l->params[i].handle == handle)
			return &l->params[i];
	return NULL;
}

/* The runtime gives a parameter's handle again when the list has as many parameters again. */
static bool param_is_gone(const struct args_list *l, uint64_t handle)
{
	for (unsigned i = l->n; i < l->gone && i < PARAMS; i++)
		if (l->params[i].handle == handle)
			return true;
	return false;
}

static bool in_some_list(struct kernel_state *k, uint64_t param)
{
	for (uint32_t i = 0; i < k->n; i++)
		if (param_find(list_at(k, i), param))
			return true;
	return false;
}

static uint64_t aligned(const struct args_list *l, uint64_t bytes)
{
	return l->packed ? bytes : (bytes + 7) & ~UINT64_C(7);
}

static const void *list_argument(const struct acl_call_record *call)
{
	return acl_arg_pointer(call->api, call->args, ACL_ROLE_ARGUMENTS);
}

static void report(struct checks *c, struct acl_call_record *call, const struct outcome *v)
{
	const void *list = list_argument(call);

	for (unsigned i = 0; i < 3; i++)
		if (v->evaluated[i])
			rule_evaluated(call, v->evaluated[i]);
	if (v->rule)
		FINDING_BROKEN(c, call, v->rule,
			PARTS(list ? part_address("argsHandle", list) : part_none(),
				v->name[0] ? part_uint(v->name[0], v->value[0]) : part_none(),
				v->name[1] ? part_uint(v->name[1], v->value[1]) : part_none()),
			"%s", v->detail);
}

static struct outcome broken(struct outcome v, const struct acl_rule *rule, const char *detail)
{
	v.rule = rule;
	v.detail = detail;
	return v;
}

/* The list that the call is about, locked; NULL: it is not known, and nothing is locked. */
static struct args_list *list_lock(struct kernel_state *k, const struct acl_call_record *call)
{
	struct args_list *l;

	lock(&k->lock);
	l = list_find(k, (uintptr_t)list_argument(call));
	if (!l)
		unlock(&k->lock);
	return l;
}

/* --- beginning ------------------------------------------------------------------------------ */

static void begin(
	struct checks *c, struct acl_call_record *call, uint64_t handle, uint64_t capacity, bool own)
{
	struct acl_object *f = function_of(c, call), *b = binary_of(c, f);
	uint64_t params = f ? load_relaxed(&function_state(f)->params) : 0;
	struct kernel_state *k = kernels(c);
	struct args_list *l;
	uint64_t function = (uintptr_t)ACL_ARGS(call, aclrtKernelArgsInit)->funcHandle, former = 0;
	bool filled = false;

	lock(&k->lock);
	l = list_place(c, k, handle);
	if (l) {
		if (l->handle == handle && own && l->tid == call->tid && !l->launched &&
			l->function != function) {
			former = l->function;
			filled = l->n;
		}
		l->handle = handle;
		l->function = function;
		l->former = former;
		l->former_filled = filled;
		l->bytes = 0;
		l->capacity = capacity;
		l->gone = l->n > l->gone ? l->n : l->gone;
		l->tid = own ? call->tid : 0;
		l->n = 0;
		l->limit = !own && params && params - 1 < PARAMS ? (uint32_t)params - 1 : PARAMS;
		l->final = l->buffer = l->launched = l->updated = false;
		l->packed = !b || load_relaxed(&binary_state(b)->flags) & BINARY_CPU;
	}
	unlock(&k->lock);
	if (!l)
		checks_degrade(c, "more argument lists of kernels than the checker follows");
}

static void begun(struct checks *c, struct acl_call_record *call)
{
	void *const *out = (void *const *)ACL_ARGS(call, aclrtKernelArgsInit)->argsHandle;

	if (succeeded(call) && out && *out)
		begin(c, call, (uintptr_t)*out, SYSTEM_BYTES, true);
}

static void begun_by_user(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtKernelArgsInitByUserMem *a = call->args;

	if (succeeded(call) && a->argsHandle)
		begin(c, call, (uintptr_t)a->argsHandle, a->actualArgsSize, false);
}

/* Bytes from the handle to the end of its memory, when that is ours to know. */
static bool room_for_handle(
	struct checks *c, struct acl_call_record *call, const void *handle, uint64_t *bytes)
{
	struct block_lookup place;

	if (!handle || !lookup_find(c, call, handle, 0, &place))
		return false;
	*bytes = place.base + place.size - (uintptr_t)handle;
	return true;
}

static void beginning_by_user(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtKernelArgsInitByUserMem *a = call->args;
	struct acl_object *f = function_of(c, call);
	uint64_t args = f ? load_relaxed(&function_state(f)->args_size) : 0,
		 need = f ? load_relaxed(&function_state(f)->handle_size) : 0, room = 0;
	struct outcome v = {0};

	if (!need || !room_for_handle(c, call, a->argsHandle, &room))
		need = 0;
	if (!args && !need)
		return;
	v.evaluated[0] = RULE("kargs-usermem-size");
	if (args > a->actualArgsSize) {
		v = broken(v, RULE("kargs-usermem-size"),
			"The memory is smaller than aclrtKernelArgsGetMemSize returned.");
		v.name[0] = "actualArgsSize";
		v.value[0] = a->actualArgsSize;
		v.name[1] = "required";
		v.value[1] = args;
	} else if (need > room) {
		v = broken(v, RULE("kargs-usermem-size"),
			"The memory of the handle is smaller than aclrtKernelArgsGetHandleMemSize "
			"returned.");
		v.name[0] = "bytes";
		v.value[0] = room;
		v.name[1] = "required";
		v.value[1] = need;
	}
	report(c, call, &v);
}

static void asking_size(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtKernelArgsGetMemSize *a = call->args;
	struct acl_object *b = binary_of(c, function_of(c, call));
	struct outcome v = {0};

	/* Those of the AI CPU are not aligned. */
	if (!b || load_relaxed(&binary_state(b)->flags) & BINARY_CPU)
		return;
	v.evaluated[0] = RULE("kargs-usermem-size");
	if (a->userArgsSize % 8)
		v = broken(v, RULE("kargs-usermem-size"),
			"Each parameter takes a multiple of 8 bytes, the sum is none.");
	v.name[0] = "userArgsSize";
	v.value[0] = a->userArgsSize;
	report(c, call, &v);
}

/* --- filling ----------------------------------------------------------------------------------- */

static bool other_thread(const struct args_list *l, const struct acl_call_record *call)
{
	return l->tid && l->tid != call->tid;
}

static struct outcome check_room(struct outcome v, const struct args_list *l, uint64_t size, bool parameter)
{
	uint64_t used = aligned(l, l->bytes), after = size < UINT64_MAX - used ? used + size : UINT64_MAX;

	v.evaluated[2] = RULE("kargs-too-many");
	if (parameter && l->n >= l->limit) {
		v = broken(v, RULE("kargs-too-many"), "The list has as many parameters as it takes.");
		v.name[0] = "parameters";
		v.value[0] = l->n;
	} else if (after > l->capacity) {
		v = broken(v, RULE("kargs-too-many"), "The parameters are larger than their memory.");
		v.name[0] = "bytes";
		v.value[0] = after;
		v.name[1] = "memory";
		v.value[1] = l->capacity;
	}
	return v;
}

static struct outcome check_open(const struct acl_call_record *call, const struct args_list *l)
{
	struct outcome v = {0};

	v.evaluated[0] = RULE("kargs-append-after-finalize");
	if (l->tid)
		v.evaluated[1] = RULE("kargs-handle-thread");
	if (other_thread(l, call)) {
		v = broken(v, RULE("kargs-handle-thread"),
			"The list belongs to the thread that called aclrtKernelArgsInit.");
		v.name[0] = "its thread";
		v.value[0] = l->tid;
	} else if (l->final) {
		v = broken(v, RULE("kargs-append-after-finalize"),
			"aclrtKernelArgsFinalize was called for the list before.");
	}
	return v;
}

static void appending(struct checks *c, struct acl_call_record *call)
{
	bool holder = acl_apis[call->api].operation == ACL_OP_ARGUMENTS_APPEND_PLACEHOLDER;
	struct kernel_state *k = kernels(c);
	struct outcome v = {0};
	struct args_list *l;

	l = list_lock(k, call);
	if (!l)
		return;
	v = check_open(call, l);
	if (!v.rule && l->buffer)
		v = broken(v, RULE("kargs-append-after-placeholder-buffer"),
			"The buffer of a placeholder was taken before: the list cannot grow any "
			"more.");
	if (!v.rule)
		v = check_room(v, l,
			holder ? sizeof(void *) : ACL_ARGS(call, aclrtKernelArgsAppend)->paramSize, true);
	unlock(&k->lock);
	rule_evaluated(call, RULE("kargs-append-after-placeholder-buffer"));
	report(c, call, &v);
}

/* What the call has read of the program; 0: it is not one word. */
static uint64_t word_given(struct checks *c, const struct acl_call_record *call)
{
	const void *at = acl_arg_pointer(call->api, call->args, ACL_ROLE_DATA);
	uint64_t word = 0;

	return at && acl_arg_value(call->api, call->args, ACL_ROLE_BYTES) == sizeof(word) &&
			       program_trusted(c, at, &word, sizeof(word))
		       ? word
		       : 0;
}

static void appended(struct checks *c, struct acl_call_record *call)
{
	bool holder = acl_apis[call->api].operation == ACL_OP_ARGUMENTS_APPEND_PLACEHOLDER;
	uint64_t size = holder ? sizeof(void *) : ACL_ARGS(call, aclrtKernelArgsAppend)->paramSize;
	void *const *out =
		holder ? (void *const *)ACL_ARGS(call, aclrtKernelArgsAppendPlaceHolder)->paramHandle
		       : (void *const *)ACL_ARGS(call, aclrtKernelArgsAppend)->paramHandle;
	struct kernel_state *k = kernels(c);
	struct args_list *l;
	uint64_t word;

	if (!succeeded(call) || !out)
		return;
	/* Not under the lock: the host reads the program's memory, and a trace keeps what it read. */
	word = word_given(c, call);
	l = list_lock(k, call);
	if (!l)
		return;
	l->bytes = aligned(l, l->bytes) + size;
	if (l->n < PARAMS)
		l->params[l->n] = (struct args_param){(uintptr_t)*out, (uint32_t)size, holder, word};
	l->n++;
	unlock(&k->lock);
}

/* A parameter handle as this list has it, another has it, or none. */
static struct outcome check_param(
	struct kernel_state *k, struct args_list *l, struct outcome v, uint64_t handle, bool holder)
{
	struct args_param *p = param_find(l, handle);
	bool other = !p && in_some_list(k, handle), gone = !p && !other && param_is_gone(l, handle);

	if (!p && !other && !gone)
		return v;
	v.evaluated[1] = RULE("kargs-param-mismatch");
	if (gone)
		return broken(v, RULE("kargs-param-mismatch"),
			"The parameter is gone: the list was begun again after it was appended.");
	if (other)
		return broken(v, RULE("kargs-param-mismatch"), "The parameter belongs to another list.");
	if (p->holder == holder)
		return v;
	return broken(v, RULE("kargs-param-mismatch"),
		holder ? "The parameter was appended with a value, it is not a placeholder."
		       : "The parameter is a placeholder: it has no value to update.");
}

static void buffer_taking(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtKernelArgsGetPlaceHolderBuffer *a = call->args;
	struct kernel_state *k = kernels(c);
	struct outcome v = {0};
	struct args_list *l;

	l = list_lock(k, call);
	if (!l)
		return;
	v.evaluated[0] = RULE("kargs-append-after-finalize");
	if (l->final)
		v = broken(v, RULE("kargs-append-after-finalize"),
			"aclrtKernelArgsFinalize was called for the list before.");
	else
		v = check_param(k, l, v, (uintptr_t)a->paramHandle, true);
	if (!v.rule)
		v = check_room(v, l, a->dataSize, false);
	unlock(&k->lock);
	report(c, call, &v);
}

static void buffer_taken(struct checks *c, struct acl_call_record *call)
{
	struct kernel_state *k = kernels(c);
	struct args_list *l;

	if (!succeeded(call))
		return;
	l = list_lock(k, call);
	if (!l)
		return;
	l->bytes = aligned(l, l->bytes) + ACL_ARGS(call, aclrtKernelArgsGetPlaceHolderBuffer)->dataSize;
	l->buffer = true;
	unlock(&k->lock);
}

static void updating(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtKernelArgsParaUpdate *a = call->args;
	struct kernel_state *k = kernels(c);
	struct outcome v = {0};
	struct args_param *p;
	struct args_list *l;

	l = list_lock(k, call);
	if (!l)
		return;
	v = check_param(k, l, v, (uintptr_t)a->paramHandle, false);
	p = param_find(l, (uintptr_t)a->paramHandle);
	if (!v.rule && p && a->paramSize != p->size) {
		v = broken(v, RULE("kargs-param-mismatch"),
			"The new value has another size than the parameter had when it was "
			"appended.");
		v.name[0] = "paramSize";
		v.value[0] = a->paramSize;
		v.name[1] = "appended";
		v.value[1] = p->size;
	}
	unlock(&k->lock);
	report(c, call, &v);
}

static void list_finalize_leave(struct checks *c, struct acl_call_record *call)
{
	struct kernel_state *k = kernels(c);
	struct args_list *l;

	if (!succeeded(call))
		return;
	l = list_lock(k, call);
	if (!l)
		return;
	l->final = true;
	l->updated = false;
	unlock(&k->lock);
}

/* A changed parameter needs another finalize. */
static void updated(struct checks *c, struct acl_call_record *call)
{
	uint64_t param = (uintptr_t)acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETER);
	struct kernel_state *k = kernels(c);
	struct args_param *p;
	struct args_list *l;
	uint64_t word;

	if (!succeeded(call))
		return;
	word = word_given(c, call);
	l = list_lock(k, call);
	if (!l)
		return;
	p = param_find(l, param);
	l->updated = true;
	if (p)
		p->word = word;
	unlock(&k->lock);
}

/* --- launching ------------------------------------------------------------------------------------ */

/* What is known of two functions does not distinguish them: same name, or as many parameters. */
static bool alike(struct checks *c, uint64_t a, uint64_t b)
{
	struct acl_object *f = object_live(c, ACL_HANDLE_FUNCTION, (void *)(uintptr_t)a),
			  *g = object_live(c, ACL_HANDLE_FUNCTION, (void *)(uintptr_t)b);

	if (!f || !g)
		return false;
	return (load_relaxed(&function_state(f)->name) &&
		       load_relaxed(&function_state(f)->name) == load_relaxed(&function_state(g)->name)) ||
	       (load_relaxed(&function_state(f)->params) &&
		       load_relaxed(&function_state(f)->params) == load_relaxed(&function_state(g)->params));
}

static struct outcome check_launch(
	const struct acl_call_record *call, const struct args_list *l, uint64_t function)
{
	struct outcome v = {0};

	v.evaluated[0] = RULE("kargs-launch-not-finalized");
	v.evaluated[1] = RULE("kargs-handle-foreign-func");
	if (l->tid)
		v.evaluated[2] = RULE("kargs-handle-thread");
	if (other_thread(l, call)) {
		v = broken(v, RULE("kargs-handle-thread"),
			"The list belongs to the thread that called aclrtKernelArgsInit.");
		v.name[0] = "its thread";
		v.value[0] = l->tid;
	} else if (l->former && l->former == function) {
		v = broken(v, RULE("kargs-handle-thread"),
			"aclrtKernelArgsInit was called again on this thread before the launch: the handle "
			"now means the list of another function.");
	} else if (!l->final || l->updated) {
		v = broken(v, RULE("kargs-launch-not-finalized"),
			"aclrtKernelArgsFinalize was not called after the last change of the list.");
	} else if (l->function != function) {
		v = broken(v, RULE("kargs-handle-foreign-func"),
			"The list was begun for another function than is launched.");
	}
	return v;
}

static void launching(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtLaunchKernelWithConfig *a = call->args;
	struct kernel_state *k = kernels(c);
	struct outcome v = {0};
	uint64_t begun_for;
	bool lost; /* parameters that were appended before the list was begun again */
	struct args_list *l;

	l = list_lock(k, call);
	if (!l)
		return;
	v = check_launch(call, l, (uintptr_t)a->funcHandle);
	begun_for = l->function;
	lost = l->former_filled || other_thread(l, call);
	unlock(&k->lock);
	if ((v.rule == RULE("kargs-handle-foreign-func") ||
		    (v.rule == RULE("kargs-handle-thread") && !lost)) &&
		alike(c, begun_for, (uintptr_t)a->funcHandle))
		v.rule = NULL;
	report(c, call, &v);
}

static void list_launch_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t words[LAUNCH_WORDS];
	struct kernel_state *k = kernels(c);
	struct args_list *l;
	unsigned n = 0;

	if (!succeeded(call))
		return;
	l = list_lock(k, call);
	if (l) {
		l->launched = true;
		l->former = 0;
		for (; n < l->n && n < LAUNCH_WORDS; n++)
			words[n] = l->params[n].word;
		unlock(&k->lock);
	}
	launch_words_add(c, call, words, n);
}

static void kernels_forked(struct checks *c)
{
	struct kernel_state *k = kernels(c);

	/* Threads have other ids here. */
	value_table_clear(&k->numbers);
	k->n = 0;
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_ARGUMENTS_SIZE), ACL_ENTER, asking_size},
	{ON_OP(CREATE_ARGUMENTS), ACL_LEAVE, begun},
	{ON_OP(ARGUMENTS_INIT_IN_MEMORY), ACL_ENTER, beginning_by_user},
	{ON_OP(ARGUMENTS_INIT_IN_MEMORY), ACL_LEAVE, begun_by_user},
	{ON_OP(ARGUMENTS_APPEND), ACL_ENTER, appending},
	{ON_OP(ARGUMENTS_APPEND_PLACEHOLDER), ACL_ENTER, appending},
	{ON_OP(ARGUMENTS_APPEND), ACL_LEAVE, appended},
	{ON_OP(ARGUMENTS_APPEND_PLACEHOLDER), ACL_LEAVE, appended},
	{ON_OP(ARGUMENTS_PLACEHOLDER_BUFFER), ACL_ENTER, buffer_taking},
	{ON_OP(ARGUMENTS_PLACEHOLDER_BUFFER), ACL_LEAVE, buffer_taken},
	{ON_OP(ARGUMENTS_UPDATE), ACL_ENTER, updating},
	{ON_OP(ARGUMENTS_UPDATE), ACL_LEAVE, updated},
	{ON_OP(ARGUMENTS_FINALIZE), ACL_LEAVE, list_finalize_leave},
	{ON_OP_WITH(LAUNCH_KERNEL, ARGUMENTS), ACL_ENTER, launching},
	{ON_OP_WITH(LAUNCH_KERNEL, ARGUMENTS), ACL_LEAVE, list_launch_leave},
};

const struct check_module module_kernel_args = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct kernel_state),
	.forked = kernels_forked,
};
