/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel binaries and their functions: how and where they were loaded, what is known of them, where they run.
 */
#include "checks/kernel.h"
#include "checks/pairs.h"

const uint16_t kernel_launches[] = {ACL_API_aclrtLaunchKernel, ACL_API_aclrtLaunchKernelV2,
	ACL_API_aclrtLaunchKernelWithArgsArray, ACL_API_aclrtLaunchKernelWithConfig,
	ACL_API_aclrtLaunchKernelWithHostArgs, ACL_API_aclrtLaunchSIMTKernelWithArgsArray,
	ACL_API_aclrtLaunchSIMTKernelWithHostArgs};
const unsigned kernel_launch_count = sizeof(kernel_launches) / sizeof(kernel_launches[0]);

/* --- binaries ------------------------------------------------------------------------------- */

static uint64_t flags_of(const aclrtBinaryLoadOptions *o)
{
	uint64_t flags = 0;

	for (size_t i = 0; o && o->options && i < o->numOpt && i < 16; i++) {
		flags |= BINARY_OPTIONS;
		if (o->options[i].type == ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD && o->options[i].value.isLazyLoad)
			flags |= BINARY_LAZY;
		if (o->options[i].type == ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE)
			flags |= BINARY_CPU;
	}
	return flags;
}

void binary_born(struct checks *c, const struct acl_event *ev, struct acl_object *o)
{
	(void)c;
	if (ev->api == ACL_API_aclrtBinaryLoadFromFile)
		st(&binary_state(o)->flags, flags_of(ACL_ARGS(ev, aclrtBinaryLoadFromFile)->options));
	else if (ev->api == ACL_API_aclrtBinaryLoadFromData)
		st(&binary_state(o)->flags, flags_of(ACL_ARGS(ev, aclrtBinaryLoadFromData)->options));
}

/* aclrtCreateBinary returns its object. */
static void described(struct checks *c, struct acl_event *ev)
{
	const void *data = ACL_ARGS(ev, aclrtCreateBinary)->data;
	struct acl_object *o;
	struct acl_place place;

	o = ev->result.p ? object_create(c, ev, ACL_HANDLE_BINARY_DESC, ev->result.p, 0) : NULL;
	if (o && data && map_find(c->memory, (uintptr_t)data, &place))
		st(&binary_desc_state(o)->data, block_ref(place.block, place.generation, false));
}

static void registered(struct checks *c, struct acl_event *ev)
{
	struct acl_object *b = object_live(c, ACL_HANDLE_BINARY, ACL_ARGS(ev, aclrtRegisterCpuFunc)->handle);

	if (b && succeeded(ev))
		atomic_fetch_or(&binary_state(b)->flags, BINARY_REGISTERED);
}

/* --- functions ------------------------------------------------------------------------------ */

struct acl_object *function_of(struct checks *c, const struct acl_event *ev)
{
	const void *value = *(const void *const *)ev->args;

	return value ? object_live(c, ACL_HANDLE_FUNCTION, value) : NULL;
}

static uint64_t device_bit(int device)
{
	return device >= 0 && device < 63 ? UINT64_C(1) << device : FUNCTION_ANYWHERE;
}

/*
 * The program got a function.  The runtime may hand the same handle out again:
 * of the same binary it is good on one device more, of another it is new.
 */
static struct acl_object *fetched(
	struct checks *c, struct acl_event *ev, const void *value, struct acl_object *binary, uint64_t name)
{
	struct acl_object *f = object_live(c, ACL_HANDLE_FUNCTION, value);
	acl_ref parent = binary ? object_ref(binary) : 0;
	uint64_t devices = device_bit(device_current(c, thread_of(ev)));

	if (binary)
		devices |= device_bit(ld(&binary->device));
	if (f && ld(&f->parent) != parent) {
		object_dead(c, f, NULL, ACL_OBJECT_BY_OWNER);
		f = NULL;
	}
	if (!f)
		f = object_create(c, ev, ACL_HANDLE_FUNCTION, value, ACL_OBJECT_LEARNED);
	if (!f)
		return NULL;
	st(&f->parent, parent);
	atomic_fetch_or(&function_state(f)->devices, devices);
	if (name)
		st(&function_state(f)->name, name);
	return f;
}

static void got(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtBinaryGetFunction *a = ev->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->binHandle);

	/* Of a binary nobody saw loaded nothing is known. */
	if (binary && succeeded(ev) && a->funcHandle && *a->funcHandle)
		fetched(c, ev, *a->funcHandle, binary,
			ev->api == ACL_API_aclrtBinaryGetFunction && a->kernelName
				? key_of_text(a->kernelName)
				: 0);
}

_Static_assert(offsetof(struct acl_args_aclrtBinaryGetFunction, funcHandle) ==
		       offsetof(struct acl_args_aclrtBinaryGetFunctionByEntry, funcHandle),
	"forms of BinaryGetFunction differ");

static void got_cpu(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtRegisterCpuFunc *a = ev->args;
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->handle);

	registered(c, ev);
	if (binary && succeeded(ev) && a->funcHandle && *a->funcHandle)
		fetched(c, ev, *a->funcHandle, binary, 0);
}

static void got_by_symbol(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetFuncBySymbol *a = ev->args;

	if (succeeded(ev) && a->funcHandle && *a->funcHandle)
		fetched(c, ev, *a->funcHandle, NULL, 0);
}

static void least(_Atomic uint64_t *p, uint64_t v)
{
	if (v && (!ld(p) || v < ld(p)))
		st(p, v);
}

static void told_params(struct checks *c, struct acl_event *ev)
{
	const size_t *count = ACL_ARGS(ev, aclrtFunctionGetParamCount)->paramCount;
	struct acl_object *f = function_of(c, ev);

	if (f && count && succeeded(ev))
		st(&function_state(f)->params, 1 + *count);
}

static void told_size(struct checks *c, struct acl_event *ev)
{
	const size_t *size = ACL_ARGS(ev, aclrtKernelArgsGetMemSize)->actualArgsSize;
	struct acl_object *f = function_of(c, ev);

	if (f && size && succeeded(ev))
		least(&function_state(f)->args_size, *size);
}

static void told_handle_size(struct checks *c, struct acl_event *ev)
{
	const size_t *size = ACL_ARGS(ev, aclrtKernelArgsGetHandleMemSize)->memSize;
	struct acl_object *f = function_of(c, ev);

	if (f && size && succeeded(ev))
		least(&function_state(f)->handle_size, *size);
}

/* --- launches ---------------------------------------------------------------------------------- */

static void launched(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *b;
	uint64_t position = ev->carry[CARRY_POSITION];
	struct binary_state *state;
	unsigned i;

	if (!s || !position || !succeeded(ev))
		return;
	raise_to(&stream_state(s)->kernel, position);
	b = ev->carry[CARRY_CAPTURE] ? NULL : binary_of(c, function_of(c, ev));
	if (!b)
		return;
	state = binary_state(b);
	for (i = 0; i < BINARY_LAUNCHES; i++)
		if (ld(&state->launches[i].stream) == object_ref(s))
			break;
	if (i == BINARY_LAUNCHES) {
		/* Position 0 while the pair is changed: nothing is pending there. */
		i = (unsigned)(bump(&state->launched) % BINARY_LAUNCHES);
		st_release(&state->launches[i].position, 0);
		st_release(&state->launches[i].stream, object_ref(s));
	}
	raise_to(&state->launches[i].position, position);
}

static void binary_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned i = 0; i < kernel_launch_count; i++)
		add(binder, kernel_launches[i], ACL_LEAVE, launched);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtCreateBinary, ACL_LEAVE, described},
	{ACL_API_aclrtBinaryGetFunction, ACL_LEAVE, got},
	{ACL_API_aclrtBinaryGetFunctionByEntry, ACL_LEAVE, got},
	{ACL_API_aclrtRegisterCpuFunc, ACL_LEAVE, got_cpu},
	{ACL_API_aclrtGetFuncBySymbol, ACL_LEAVE, got_by_symbol},
	{ACL_API_aclrtFunctionGetParamCount, ACL_LEAVE, told_params},
	{ACL_API_aclrtKernelArgsGetMemSize, ACL_LEAVE, told_size},
	{ACL_API_aclrtKernelArgsGetHandleMemSize, ACL_LEAVE, told_handle_size},
};

const struct acl_topic topic_binary = {
	.name = "binaries",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = binary_bind,
};
