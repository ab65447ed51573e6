/* SPDX-License-Identifier: Apache-2.0 */
/* Real things in place of DEVICE, OTHER, HOST and HANDLE, made when first asked for. */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "real.h"
#include "softnpu.h"

#define MEMORY (64u << 20) /* for the greatest range that a scenario names */

static atomic_uint functions_begun;

static int no_function(void)
{
	atomic_fetch_add(&functions_begun, 1);
	return 0;
}

void pair_launched_begins(void)
{
	for (unsigned ms = 0; !atomic_load(&functions_begun) && ms < 5000; ms++)
		usleep(1000);
}

static void *device_memory(void)
{
	void *p = NULL;

	aclrtMalloc(&p, MEMORY, ACL_MEM_MALLOC_HUGE_FIRST);
	return p;
}

static void *managed_memory(void)
{
	void *p = NULL;

	aclrtMemAllocManaged(&p, MEMORY, ACL_RT_MEM_ATTACH_GLOBAL);
	return p;
}

static void *host_memory(void)
{
	void *p = NULL;

	aclrtMallocHost(&p, MEMORY);
	return p;
}

static void *stream(void)
{
	aclrtStream s = NULL;

	aclrtCreateStream(&s);
	return s;
}

static void *event(void)
{
	aclrtEvent e = NULL;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	aclrtRecordEvent(e, NULL);
	aclrtSynchronizeStream(NULL);
	return e;
}

static void *context(void)
{
	aclrtContext x = NULL;

	aclrtCreateContext(&x, 0);
	return x;
}

static void *notify(void)
{
	aclrtNotify n = NULL;

	aclrtCreateNotify(&n, 0);
	return n;
}

static void *label(void)
{
	aclrtLabel l = NULL;

	aclrtCreateLabel(&l);
	return l;
}

static void *pool(void)
{
	static const aclrtMemPoolProps props = {.location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtMemPool p = NULL;

	aclrtMemPoolCreate(&p, &props);
	return p;
}

static void *physical(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle h = NULL;

	aclrtMallocPhysical(&h, 2u << 20, &prop, 0);
	return h;
}

static void *cnt_notify(void)
{
	aclrtCntNotify n = NULL;

	aclrtCntNotifyCreate(&n, 0);
	return n;
}

static void *buffer(void)
{
	aclrtMbuf b = NULL;

	aclrtAllocBuf(&b, 4096);
	return b;
}

static void *group_info(void)
{
	aclrtGroupInfo *info = aclrtCreateGroupInfo();

	aclrtGetAllGroupInfo(info);
	return info;
}

static void *binary(void)
{
	aclrtBinHandle b = NULL;

	aclrtBinaryLoadFromData("a binary", 8, NULL, &b);
	return b;
}

static void *function(void)
{
	aclrtFuncHandle f = NULL;

	aclrtBinaryGetFunction(binary(), "kernel", &f);
	return f;
}

static void *model(void)
{
	aclmdlRI m = NULL;
	aclrtStream s = NULL;

	aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT);
	aclmdlRIBuildBegin(&m, 0);
	aclmdlRIBindStream(m, s, 0);
	aclmdlRIEndTask(m, s);
	aclmdlRIBuildEnd(m, NULL);
	return m;
}

static void *(*const make[ACL_HANDLE_COUNT])(void) = {
	[ACL_HANDLE_STREAM] = stream,
	[ACL_HANDLE_EVENT] = event,
	[ACL_HANDLE_CONTEXT] = context,
	[ACL_HANDLE_NOTIFY] = notify,
	[ACL_HANDLE_LABEL] = label,
	[ACL_HANDLE_POOL] = pool,
	[ACL_HANDLE_PHYS_MEM] = physical,
	[ACL_HANDLE_CNT_NOTIFY] = cnt_notify,
	[ACL_HANDLE_MBUF] = buffer,
	[ACL_HANDLE_GROUP_INFO] = group_info,
	[ACL_HANDLE_BINARY] = binary,
	[ACL_HANDLE_FUNCTION] = function,
	[ACL_HANDLE_MODEL] = model,
};

static void *object(unsigned kind)
{
	static void *made[ACL_HANDLE_COUNT];

	if (kind >= ACL_HANDLE_COUNT || !make[kind])
		return HANDLE;
	if (!made[kind])
		made[kind] = make[kind]();
	return made[kind];
}

/* A host symbol that stands for a kernel and for a variable. */
static void *symbol(void)
{
	static char stands;
	static bool registered;

	if (!registered) {
		softnpu_register_function(&stands, "kernel");
		softnpu_register_variable(&stands, "g", 64);
		registered = true;
	}
	return &stands;
}

static bool is_symbol(const struct acl_param *p)
{
	return p->kind == ACL_KIND_POINTER && (!strcmp(p->name, "symbol") || !strcmp(p->name, "func"));
}

/* Where a dummy address leads, or the address itself. */
static void *place(char *address, bool managed)
{
	static struct {
		char *dummy, *real;
		void *(*make)(void);
	} dummies[] = {
		{DEVICE, NULL, device_memory}, {OTHER, NULL, device_memory}, {HOST, NULL, host_memory}};

	for (unsigned i = 0; i < sizeof(dummies) / sizeof(dummies[0]); i++) {
		if (address < dummies[i].dummy || address >= dummies[i].dummy + 0x8000)
			continue;
		if (!dummies[i].real)
			dummies[i].real = managed ? managed_memory() : dummies[i].make();
		return dummies[i].real + (address - dummies[i].dummy);
	}
	return address;
}

void standin_fill(unsigned api, void *args)
{
	const struct acl_api_info *info = &acl_apis[api];
	bool managed = strstr(info->name, "Managed");

	for (unsigned i = 0; i < info->n_params; i++) {
		const struct acl_param *p = &acl_params(info)[i];
		void **value = (void **)((char *)args + p->offset);

		if (api == ACL_API_aclrtBinaryGetGlobal)
			symbol(); /* its name is known from then on */
		if (p->size != sizeof(void *) || p->kind < ACL_KIND_HANDLE)
			continue;
		if (*value == HANDLE && is_symbol(p))
			*value = symbol();
		else if (*value == HANDLE)
			*value = p->kind == ACL_KIND_CALLBACK ? (void *)no_function : object(p->handle);
		else if (p->kind == ACL_KIND_POINTER)
			*value = place(*value, managed);
	}
}
