/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel binaries and their functions: how and where they were loaded, what is known of them, where they run.
 */
#include "checks/state/binary_state.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/binding_state.h"
#include "checks/state/declared_kernel.h"
#include "checks/state/device_state.h"
#include "checks/state/lifecycle.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

/* --- binaries ------------------------------------------------------------------------------- */

static uint64_t flags_of(struct checks *c, const aclrtBinaryLoadOptions *options)
{
	aclrtBinaryLoadOptions o = {0};
	const aclrtBinaryLoadOption *at;
	struct program_array all;
	uint64_t flags = 0;

	program_read(c, options, &o, sizeof(o));
	program_array_open(&all, c, o.options, sizeof(*o.options), o.numOpt < 16 ? o.numOpt : 16);
	for (uint64_t i = 0; (at = program_array_at(&all, i)) != NULL; i++) {
		flags |= BINARY_OPTIONS;
		if (at->type == ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD && at->value.isLazyLoad)
			flags |= BINARY_LAZY;
		if (at->type == ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE)
			flags |= BINARY_CPU;
	}
	return flags;
}

void binary_created(struct checks *c, const struct acl_call_record *call, struct acl_object *o)
{
	if (acl_arg_has(call->api, ACL_ROLE_OPTIONS))
		store_relaxed(&binary_state(o)->flags,
			flags_of(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_OPTIONS)));
}

/* aclrtCreateBinary returns its object. */
static void described(struct checks *c, struct acl_call_record *call)
{
	const void *data = ACL_ARGS(call, aclrtCreateBinary)->data;
	struct acl_object *o;
	struct block_lookup place;

	o = call->result.p ? object_create(c, call, ACL_HANDLE_BINARY_DESC, call->result.p, 0) : NULL;
	if (o && data && map_find(memory_blocks(c), (uintptr_t)data, &place))
		store_relaxed(&binary_desc_state(o)->data, block_ref(place.block, place.generation, false));
}

static void binary_register_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *b =
		object_live(c, ACL_HANDLE_BINARY, ACL_ARGS(call, aclrtRegisterCpuFunc)->handle);

	if (b && succeeded(call))
		atomic_fetch_or(&binary_state(b)->flags, BINARY_REGISTERED);
}

/* --- functions ------------------------------------------------------------------------------ */

struct acl_object *function_of(struct checks *c, const struct acl_call_record *call)
{
	const void *value = *(const void *const *)call->args;

	return value && objects_any(c, ACL_HANDLE_FUNCTION) ? object_live(c, ACL_HANDLE_FUNCTION, value)
							    : NULL;
}

static uint64_t device_bit(int device)
{
	return device >= 0 && device < 63 ? UINT64_C(1) << device : FUNCTION_ANYWHERE;
}

/*
 * The program got a function.  The runtime may hand the same handle out again:
 * of the same binary it is good on one device more, of another it is new.
 */
static struct acl_object *fetched(struct checks *c, struct acl_call_record *call, const void *value,
	struct acl_object *binary, uint64_t name)
{
	struct acl_object *f = object_live(c, ACL_HANDLE_FUNCTION, value);
	acl_ref from = binary ? object_ref(binary) : 0;
	uint64_t devices = device_bit(device_current(c, thread_of(call)));

	if (binary)
		devices |= device_bit(load_relaxed(&binary->device));
	if (f && load_relaxed(&function_state(f)->binary) != from) {
		object_destroyed(c, f, NULL, ACL_OBJECT_BY_OWNER);
		f = NULL;
	}
	if (!f)
		f = object_create(c, call, ACL_HANDLE_FUNCTION, value, ACL_OBJECT_LEARNED);
	if (!f)
		return NULL;
	store_relaxed(&function_state(f)->binary, from);
	atomic_fetch_or(&function_state(f)->devices, devices);
	if (name)
		store_relaxed(&function_state(f)->name, name);
	return f;
}

/* Of a binary that was not seen loaded nothing is known, nor of a function of it, whatever had its handle. */
static void fetched_unknown(struct checks *c, const void *value)
{
	struct acl_object *f = object_live(c, ACL_HANDLE_FUNCTION, value);

	if (f)
		object_destroyed(c, f, NULL, ACL_OBJECT_BY_OWNER);
}

static void got(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtBinaryGetFunction *a = call->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->binHandle);

	if (!succeeded(call) || !a->funcHandle || !*a->funcHandle)
		return;
	if (binary)
		fetched(c, call, *a->funcHandle, binary,
			acl_arg_has(call->api, ACL_ROLE_KERNEL_NAME) ? program_text_key(c, a->kernelName)
								     : 0);
	else
		fetched_unknown(c, *a->funcHandle);
}

_Static_assert(offsetof(struct acl_args_aclrtBinaryGetFunction, funcHandle) ==
		       offsetof(struct acl_args_aclrtBinaryGetFunctionByEntry, funcHandle),
	"forms of BinaryGetFunction differ");

static void got_cpu(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtRegisterCpuFunc *a = call->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->handle);

	binary_register_leave(c, call);
	if (binary && succeeded(call) && a->funcHandle && *a->funcHandle)
		fetched(c, call, *a->funcHandle, binary, 0);
}

/* The runtime answers with one that is loaded, whatever had its handle before. */
static void binary_answered(struct checks *c, struct acl_call_record *call)
{
	const aclrtBinHandle *out = ACL_ARGS(call, aclrtFunctionGetBinary)->binHandle;

	if (succeeded(call) && out && *out)
		object_answered(c, ACL_HANDLE_BINARY, *out);
}

static void got_by_symbol(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetFuncBySymbol *a = call->args;

	if (succeeded(call) && a->funcHandle && *a->funcHandle)
		fetched(c, call, *a->funcHandle, NULL, 0);
}

static void least(_Atomic uint64_t *p, uint64_t v)
{
	if (v && (!load_relaxed(p) || v < load_relaxed(p)))
		store_relaxed(p, v);
}

static void told_params(struct checks *c, struct acl_call_record *call)
{
	const size_t *count = ACL_ARGS(call, aclrtFunctionGetParamCount)->paramCount;
	struct acl_object *f = function_of(c, call);

	if (f && count && succeeded(call))
		store_relaxed(&function_state(f)->params, 1 + *count);
}

static void told_size(struct checks *c, struct acl_call_record *call)
{
	const size_t *size = ACL_ARGS(call, aclrtKernelArgsGetMemSize)->actualArgsSize;
	struct acl_object *f = function_of(c, call);

	if (f && size && succeeded(call))
		least(&function_state(f)->args_size, *size);
}

static void told_handle_size(struct checks *c, struct acl_call_record *call)
{
	const size_t *size = ACL_ARGS(call, aclrtKernelArgsGetHandleMemSize)->memSize;
	struct acl_object *f = function_of(c, call);

	if (f && size && succeeded(call))
		least(&function_state(f)->handle_size, *size);
}

/* --- launches ---------------------------------------------------------------------------------- */

static void binary_launch_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *b;
	uint64_t position = call->state.position;
	struct binary_state *state;
	unsigned i;

	if (!s || !position || !succeeded(call))
		return;
	stream_has_kernel(c, s, position, !kernel_accesses(call));
	/* With a model it runs when that does. */
	if (call->state.capture || (load_relaxed(&stream_state(s)->bound) && binding_of(c, s)))
		return;
	b = binary_of(c, function_of(c, call));
	if (!b)
		return;
	state = binary_state(b);
	for (i = 0; i < BINARY_LAUNCHES; i++)
		if (load_relaxed(&state->launches[i].stream) == object_ref(s))
			break;
	if (i == BINARY_LAUNCHES) {
		/* Position 0 while the pair is changed: nothing is pending there. */
		i = (unsigned)(counter_inc(&state->launched) % BINARY_LAUNCHES);
		store_release(&state->launches[i].position, 0);
		store_release(&state->launches[i].stream, object_ref(s));
	}
	raise_to(&state->launches[i].position, position);
}

static const struct check_hook hooks[] = {
	{ON_OP(CREATE_BINARY_DESCRIPTOR), ACL_LEAVE, described},
	{ON_OP_WITH(INFO_FUNCTION, BINARY), ACL_LEAVE, got},
	{ON_OP(BINARY_REGISTER_FUNCTION), ACL_LEAVE, got_cpu},
	{ON_OP_WITH(INFO_FUNCTION, SYMBOL), ACL_LEAVE, got_by_symbol},
	{ON_OP(INFO_FUNCTION_BINARY), ACL_LEAVE, binary_answered},
	{ON_OP(INFO_FUNCTION_PARAMETER_COUNT), ACL_LEAVE, told_params},
	{ON_OP(INFO_ARGUMENTS_SIZE), ACL_LEAVE, told_size},
	{ON_OP(INFO_ARGUMENTS_HANDLE_SIZE), ACL_LEAVE, told_handle_size},
	{ON_OP(LAUNCH_KERNEL), ACL_LEAVE, binary_launch_leave},
};

const struct check_module module_binary = {
	.order = 8,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
