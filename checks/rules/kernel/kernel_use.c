/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about kernel binaries and launches: where they belong, when they may go, which forms go together. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/plain_format.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/rules/process/handle_kind.h"
#include "checks/state/binary_state.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

/* Functions that were not seen to be made are launched over and over: these were looked at. */
#define UNSEEN 32u

struct unseen_functions {
	_Atomic uintptr_t value[UNSEEN];
};

/* Known from its loading on. */
static bool loaded(struct acl_object *binary)
{
	return binary && !(load_relaxed(&binary->flags) & ACL_OBJECT_INHERITED);
}

/* --- loading ------------------------------------------------------------------------------- */

static void loading_file(struct checks *c, struct acl_call_record *call)
{
	char path[201];

	if (program_text(c, ACL_ARGS(call, aclrtBinaryLoadFromFile)->binPath, path, sizeof(path)) && path[0])
		FINDING(c, call, "kernel-binpath-relative", path[0] != '/', NO_PARTS,
			"\"%.200s\" depends on the directory the program is started in.", path);
}

static bool data_is_gone(struct checks *c, struct acl_object *desc)
{
	uint64_t data = load_relaxed(&binary_desc_state(desc)->data);

	return data && !block_of(c, data);
}

/* aclrtBinaryLoad and aclrtDestroyBinary: both begin with the description. */
static void using_description(struct checks *c, struct acl_call_record *call)
{
	const void *value = ACL_ARGS(call, aclrtBinaryLoad)->binary;
	struct acl_object *o = value ? object_find(c, ACL_HANDLE_BINARY_DESC, value) : NULL;
	bool gone, freed;

	if (!o)
		return;
	gone = load_acquire(&o->state) == ACL_OBJECT_DESTROYED ||
	       (load_relaxed(&o->state) == ACL_OBJECT_DESTROYING && call->state.destroying != object_ref(o));
	freed = acl_apis[call->api].operation == ACL_OP_CREATE_BINARY && data_is_gone(c, o);
	FINDING(c, call, "kernel-createbinary-data-freed", gone || freed,
		PARTS(part_address("binary", value), part_object("description", o)), "%s",
		gone ? "aclrtDestroyBinary was called for it before."
		     : "The memory with its data was freed before.");
}

/* --- unloading ------------------------------------------------------------------------------ */

static void unloading_elsewhere(struct checks *c, struct acl_call_record *call, struct acl_object *binary)
{
	struct acl_object *own = context_of(c, binary), *current;
	int from, now;
	bool known;

	current = context_current(c, thread_of(call), &known);
	/* With options the runtime takes the binary from every device. */
	if (!own || !object_usable(own) || !current ||
		load_relaxed(&binary_state(binary)->flags) & BINARY_OPTIONS)
		return;
	from = load_relaxed(&own->device);
	now = load_relaxed(&current->device);
	FINDING(c, call, "kernel-binary-unload-context", own != current,
		PARTS(part_object("binary", binary), part_object("its context", own),
			part_object("current context", current)),
		"The binary was loaded in a context of device %d, the current one is %s of device %d.", from,
		from == now ? "another" : "one", now);
}

/* False: none of its kernels was launched. *busy: a stream on which one may surely still run. */
static bool kernels_launched(struct checks *c, struct acl_object *binary, struct acl_object **busy)
{
	bool launched = false;

	for (unsigned i = 0; i < BINARY_LAUNCHES; i++) {
		struct binary_launch *l = &binary_state(binary)->launches[i];
		uint64_t position = load_acquire(&l->position);
		struct acl_object *s = position ? object_of(c, load_acquire(&l->stream)) : NULL;

		launched |= position != 0;
		/* A stream that came in the place of another has a position after it. */
		if (task_surely_pending(c, s, position) && load_relaxed(&l->position) == position)
			*busy = s;
	}
	return launched;
}

/* The same of models that are built with its kernels. */
static bool built_with(struct checks *c, struct acl_object *binary, struct acl_object **busy)
{
	struct model_execution execution;
	struct acl_object *model;
	struct model_use use;
	bool built = false;

	if (!object_captured(binary))
		return false;
	for (uint32_t at = 0; (model = model_using_next(c, object_ref(binary), &at, &use)) != NULL;) {
		if (load_relaxed(&model_state(model)->status) != MODEL_BUILT)
			continue;
		built = true;
		if (model_executing(c, model, &execution))
			*busy = execution.stream;
	}
	return built;
}

static void unloading(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *binary =
		object_live(c, ACL_HANDLE_BINARY, acl_arg_pointer(call->api, call->args, ACL_ROLE_BINARY));
	struct acl_object *busy = NULL;
	bool launched;

	if (!loaded(binary))
		return;
	launched = kernels_launched(c, binary, &busy);
	launched |= built_with(c, binary, &busy);
	if (busy)
		stream_loses(call, busy);
	if (launched)
		FINDING(c, call, "kernel-binary-unload-pending", busy,
			PARTS(part_object("binary", binary), part_object("stream", busy)),
			"One of its kernels was launched on %s, and nothing the host did shows "
			"that it is done.",
			STREAM_TEXT(busy));
	unloading_elsewhere(c, call, binary);
}

/* NULL or empty; a text that cannot be read may be a name. */
static bool no_name(struct checks *c, const char *name)
{
	char first;

	return !name || (program_read(c, name, &first, 1) && !first);
}

/* --- the AI CPU -------------------------------------------------------------------------------- */

static void kernel_register_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtRegisterCpuFunc *a = call->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->handle);
	bool nameless = no_name(c, a->funcName) || no_name(c, a->kernelName), other;

	if (!nameless && !loaded(binary))
		return;
	other = loaded(binary) && !(load_relaxed(&binary_state(binary)->flags) & BINARY_CPU);
	FINDING(c, call, "kernel-cpu-func-only", nameless || other, PARTS(part_address("handle", a->handle)),
		"%s",
		nameless ? "The function or the kernel has no name."
			 : "The binary was loaded without ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE.");
}

/* Functions of CPU kernels that came as data are not found before they are registered. */
static void not_found(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtBinaryGetFunction *a = call->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->binHandle);

	if (!loaded(binary) || !acl_arg_has(call_site_api(object_created(c, binary)), ACL_ROLE_DATA) ||
		!(load_relaxed(&binary_state(binary)->flags) & BINARY_CPU))
		return;
	FINDING(c, call, "kernel-cpu-func-only",
		!(load_relaxed(&binary_state(binary)->flags) & BINARY_REGISTERED),
		PARTS(part_address("binHandle", a->binHandle)),
		"aclrtRegisterCpuFunc was not called for this binary.");
}

/* --- launches ------------------------------------------------------------------------------------ */

/* Good on the devices it was loaded or fetched on only. */
static bool of_one_device(const struct checks *c, struct acl_object *function, struct acl_object *binary)
{
	if (binary)
		return loaded(binary) &&
		       !acl_arg_has(call_site_api(object_created(c, binary)), ACL_ROLE_PATH);
	return !load_relaxed(&function_state(function)->binary) &&
	       acl_arg_has(call_site_api(object_created(c, function)), ACL_ROLE_SYMBOL);
}

static void other_device(struct checks *c, struct acl_call_record *call, struct acl_object *function)
{
	struct acl_object *s = stream_of(call), *binary = binary_of(c, function);
	uint64_t devices = load_relaxed(&function_state(function)->devices);
	int device = s && object_usable(s) ? load_relaxed(&s->device) : -1;

	if (!checks_happened(c, WHEN_DEVICES) || device < 0 || device >= 63 || !devices ||
		devices == FUNCTION_ANYWHERE || !of_one_device(c, function, binary))
		return;
	FINDING(c, call, "kernel-wrong-device", !(devices >> device & 1),
		PARTS(part_int("device", device), part_object("binary", binary), part_object("stream", s)),
		"The stream belongs to device %d, the kernel was loaded for device %d.", device,
		__builtin_ctzll(devices));
}

/* It went with its binary; what went with a context or device has rules of its own. */
static bool is_unloaded(struct checks *c, struct acl_call_record *call, struct acl_object *function,
	const struct acl_rule *rule)
{
	struct acl_object *binary = object_of(c, load_relaxed(&function_state(function)->binary));

	if (!loaded(binary))
		return false;
	return FINDING_OF(c, call, rule,
		load_relaxed(&binary->state) == ACL_OBJECT_DESTROYED &&
			!(load_relaxed(&binary->flags) & ACL_OBJECT_BY_OWNER),
		PARTS(part_object("binary", binary)), "The binary of this kernel was unloaded before.");
}

/* The first parameter is no function that is known: its binary, perhaps. */
static void no_function(struct checks *c, struct acl_call_record *call)
{
	struct unseen_functions *u = module_state(c, kernel);
	const void *value = *(const void *const *)call->args;
	_Atomic uintptr_t *known = &u->value[((uintptr_t)value >> 4) % UNSEEN];

	if (!value || load_relaxed(known) == (uintptr_t)value)
		return;
	if (!handle_of_another_kind(
		    c, call, ACL_HANDLE_FUNCTION, acl_params(&acl_apis[call->api])->name, value))
		store_relaxed(known, (uintptr_t)value);
}

static void launching(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *function = function_of(c, call);

	if (!function)
		no_function(c, call);
	else if (!is_unloaded(c, call, function, RULE("kernel-null-func")))
		other_device(c, call, function);
}

static void using_function(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *function = function_of(c, call);

	if (!function)
		no_function(c, call);
	else
		is_unloaded(c, call, function, RULE("kernel-binary-double-unload"));
}

/* A task of a model gets another kernel. */
static void task_given_function(struct checks *c, struct acl_call_record *call)
{
	const void *given = acl_arg_pointer(call->api, call->args, ACL_ROLE_PARAMETERS);
	struct acl_object *function = NULL;
	aclmdlRITaskParams p;

	if (objects_any(c, ACL_HANDLE_FUNCTION) && program_read(c, given, &p, sizeof(p)) &&
		p.type == ACL_MODEL_RI_TASK_KERNEL && p.kernelTaskParams.funcHandle)
		function = object_live(c, ACL_HANDLE_FUNCTION, p.kernelTaskParams.funcHandle);
	if (function)
		is_unloaded(c, call, function, RULE("kernel-binary-double-unload"));
}

/* Functions that begin with a function of a binary; launches have a rule of their own. */
static void function_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct acl_api_info *info = &acl_apis[api];

		if (info->n_params && acl_params(info)->role == ACL_ROLE_FUNCTION &&
			acl_params(info)->dir == ACL_DIR_IN && info->operation != ACL_OP_LAUNCH_KERNEL)
			add(binder, api, ACL_ENTER, using_function);
	}
}

static void launching_plain(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *binary = binary_of(c, function_of(c, call));
	unsigned made_by;

	if (!loaded(binary))
		return;
	made_by = call_site_api(object_created(c, binary));
	FINDING(c, call, "kernel-launch-api-mismatch", !acl_arg_has(made_by, ACL_ROLE_BINARY_DESCRIPTOR),
		PARTS(part_object("binary", binary)), "The binary of this kernel came from %s.",
		acl_apis[made_by].name);
}

#define PAGE 4096
#define ARRAY_PIECE 32u

/*
 * First element that is NULL, count when none is.  The runtime reads them all,
 * but an array that is too short may end where memory ends: no further than the
 * page the array begins in, which it must read in any case.
 */
static uint64_t first_missing(struct checks *c, void *const *args, uint64_t count)
{
	uint64_t room = (PAGE - (uintptr_t)args % PAGE) / sizeof(*args), n;
	void *piece[ARRAY_PIECE];

	room = count < room ? count : room;
	for (uint64_t i = 0; i < room; i += n) {
		n = room - i < ARRAY_PIECE ? room - i : ARRAY_PIECE;
		if (!program_trusted(c, args + i, piece, n * sizeof(piece[0])))
			return count;
		for (uint64_t k = 0; k < n; k++)
			if (!piece[k])
				return i + k;
	}
	return count;
}

static void launching_array(struct checks *c, struct acl_call_record *call)
{
	void *const *args = acl_arg_pointer(call->api, call->args, ACL_ROLE_ARGUMENT_ARRAY);
	struct acl_object *function = function_of(c, call);
	uint64_t count = function ? load_relaxed(&function_state(function)->params) : 0, at;
	char element[40];

	if (!count--)
		return;
	at = args ? first_missing(c, args, count) : 0;
	FINDING(c, call, "kernel-args-array-count", at != count,
		PARTS(part_address("args", args), part_uint("parameters", count)),
		"%s is NULL, the kernel takes %llu parameters.",
		args ? plain_print(element, sizeof(element), "Element %llu of args", (unsigned long long)at)
		     : "args",
		(unsigned long long)count);
}

/* The program has asked how many there are. */
static void parameter_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *function = function_of(c, call);
	uint64_t count = function ? load_relaxed(&function_state(function)->params) : 0;
	uint64_t index = acl_arg_value(call->api, call->args, ACL_ROLE_INDEX);

	if (count--)
		FINDING(c, call, "kernel-getglobal-null", index >= count,
			PARTS(part_uint("paramIndex", index), part_uint("parameters", count)),
			"The kernel has %llu parameters, counted from 0.", (unsigned long long)count);
}

static const struct check_hook hooks[] = {
	{ON_OP_WITH(CREATE_BINARY, PATH), ACL_ENTER, loading_file},
	{ON_OP(DESTROY_BINARY_DESCRIPTOR), ACL_ENTER, using_description},
	{ON_OP_WITH(CREATE_BINARY, BINARY_DESCRIPTOR), ACL_ENTER, using_description},
	{ON_OP(DESTROY_BINARY), ACL_ENTER, unloading},
	{ON_OP(BINARY_REGISTER_FUNCTION), ACL_ENTER, kernel_register_enter},
	{ON_OP_WITH(INFO_FUNCTION, KERNEL_NAME), ACL_FAILED, not_found},
	/* The documents ask it of this function alone. */
	{ACL_API_aclrtLaunchKernel, ACL_ENTER, launching_plain},
	{ON_OP_WITH(LAUNCH_KERNEL, ARGUMENT_ARRAY), ACL_ENTER, launching_array},
	{ON_OP(LAUNCH_KERNEL), ACL_ENTER, launching},
	{ON_OP(INFO_FUNCTION_PARAMETER), ACL_ENTER, parameter_enter},
	{ON_OP(TASK_SET_PARAMETERS), ACL_ENTER, task_given_function},
};

const struct check_module module_kernel = {
	.state_size = sizeof(struct unseen_functions),
	.bind = function_bind,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
