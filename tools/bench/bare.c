/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The baseline: an interposer that does nothing but forward through a pointer
 * it already has.  The same functions as the empty runtime.
 */
#include <dlfcn.h>

#include "bench.h"

#define EXPORT __attribute__((visibility("default")))

#define FORWARD(function, params, args)                                                                      \
	static aclError(*real_##function) params;                                                            \
	EXPORT aclError function params                                                                      \
	{                                                                                                    \
		return real_##function args;                                                                 \
	}

FORWARD(aclInit, (const char *c), (c))
FORWARD(aclrtSetDevice, (int32_t d), (d))
FORWARD(aclrtGetDevice, (int32_t * d), (d))
FORWARD(aclrtMalloc, (void **p, size_t n, aclrtMemMallocPolicy y), (p, n, y))
FORWARD(aclrtFree, (void *p), (p))
FORWARD(aclrtReserveMemAddress, (void **p, size_t n, size_t a, void *e, uint64_t f), (p, n, a, e, f))
FORWARD(aclrtReleaseMemAddress, (void *p), (p))
FORWARD(aclrtMallocHost, (void **p, size_t n), (p, n))
FORWARD(aclrtHostRegister, (void *p, uint64_t n, aclrtHostRegisterType t, void **d), (p, n, t, d))
FORWARD(aclrtHostUnregister, (void *p), (p))
FORWARD(aclrtCreateStream, (aclrtStream * s), (s))
FORWARD(aclrtCreateEventExWithFlag, (aclrtEvent * e, uint32_t f), (e, f))
FORWARD(aclrtRecordEvent, (aclrtEvent e, aclrtStream s), (e, s))
FORWARD(aclrtStreamWaitEvent, (aclrtStream s, aclrtEvent e), (s, e))
FORWARD(aclrtQueryEventStatus, (aclrtEvent e, aclrtEventRecordedStatus *s), (e, s))
FORWARD(aclrtMemcpyAsync, (void *d, size_t m, const void *s, size_t n, aclrtMemcpyKind k, aclrtStream t),
	(d, m, s, n, k, t))
FORWARD(aclrtMemcpyBatchAsync,
	(void **d, size_t *m, void **s, size_t *n, size_t b, aclrtMemcpyBatchAttr *a, size_t *i, size_t k,
		size_t *f, aclrtStream t),
	(d, m, s, n, b, a, i, k, f, t))
FORWARD(aclrtSynchronizeStream, (aclrtStream s), (s))
FORWARD(aclmdlRICaptureBegin, (aclrtStream s, aclmdlRICaptureMode m), (s, m))
FORWARD(aclmdlRICaptureEnd, (aclrtStream s, aclmdlRI *m), (s, m))
FORWARD(aclmdlRIExecuteAsync, (aclmdlRI m, aclrtStream s), (m, s))
FORWARD(aclrtStreamGetId, (aclrtStream s, int32_t *i), (s, i))
FORWARD(aclrtGetCurrentContext, (aclrtContext * c), (c))
FORWARD(aclrtSetCurrentContext, (aclrtContext c), (c))
FORWARD(aclrtDestroyStream, (aclrtStream s), (s))
FORWARD(aclrtDestroyEvent, (aclrtEvent e), (e))
FORWARD(aclrtSynchronizeEvent, (aclrtEvent e), (e))
FORWARD(aclrtFreeHost, (void *p), (p))
FORWARD(aclrtGetMemInfo, (aclrtMemAttr a, size_t *f, size_t *t), (a, f, t))
FORWARD(aclrtValueWrite, (void *a, uint64_t v, uint32_t f, aclrtStream s), (a, v, f, s))
FORWARD(aclrtValueWait, (void *a, uint64_t v, uint32_t f, aclrtStream s), (a, v, f, s))
FORWARD(aclrtLaunchKernel, (aclrtFuncHandle f, uint32_t b, const void *a, size_t n, aclrtStream s),
	(f, b, a, n, s))
FORWARD(aclmdlRICaptureTaskGrpBegin, (aclrtStream s), (s))
FORWARD(aclmdlRICaptureTaskGrpEnd, (aclrtStream s, aclrtTaskGrp *g), (s, g))
FORWARD(aclmdlRICaptureTaskUpdateBegin, (aclrtStream s, aclrtTaskGrp g), (s, g))
FORWARD(aclmdlRICaptureTaskUpdateEnd, (aclrtStream s), (s))

/* Called by the benchmark with the runtime to forward to. */
EXPORT void bare_bind(void *runtime);

void bare_bind(void *runtime)
{
#define BIND(function) real_##function = (__typeof__(real_##function))dlsym(runtime, #function);
	BENCH_FUNCTIONS(BIND)
#undef BIND
}

/* Preloaded: what comes behind it. */
__attribute__((constructor)) static void bind_next(void)
{
	bare_bind(RTLD_NEXT);
}
