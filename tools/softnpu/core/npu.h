/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every file of the software runtime shares: the lock, the CANN profile,
 * error reporting.
 *
 * Locking: npu_lock() guards all objects and tables.  Work itself (copies,
 * kernels, host functions) runs in the workers outside the lock, and so does
 * every callback.  Functions whose comment does not say otherwise expect it held.
 * A thread that holds it takes no signals, so a handler of the program may call us.
 */
#ifndef SOFTNPU_NPU_H
#define SOFTNPU_NPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "acl/acl_rt.h"
#include "tools/softnpu/core/config.h"
#include "tools/softnpu/core/list.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN_UP(x, a) (((x) + (a)-1) / (a) * (a))

#define SOFTNPU_PUBLIC __attribute__((visibility("default")))

void npu_lock(void);
void npu_unlock(void);
/* Of a thread that is ours: it takes no signals anyway. */
void npu_own_thread(void);

/* What threads wait for under the lock; zero is its beginning, and nothing is to be done at its end. */
struct npu_condition {
	_Atomic uint32_t changes;
};

/* Waits with the lock released; deadline in npu_now() time, 0 = none. False when the deadline passed. True:
 * it may have changed, and a signal counts. */
bool npu_wait(struct npu_condition *c, uint64_t deadline);
void npu_changed(struct npu_condition *c);
/* For a condition of which one waiting thread is enough. */
void npu_changed_for_one(struct npu_condition *c);
/* The lock survives fork. The child starts as a process that has made no call: what it has not done. */
void init_forget(void);
void snapshot_forget(void);
void timeouts_forget(void);
void labels_forget(void);
void allocators_forget(void);
void symbols_forget(void);
void options_forget(void);
void limits_forget(void);
void faults_forget(void);
void errors_forget(void);
/* What a forked child forgets stays reachable: leak checkers shall not see it as lost. */
void npu_keep(const void *p);

#define LOCKED(expr)                                                                                         \
	({                                                                                                   \
		npu_lock();                                                                                  \
		aclError rc_ = (expr);                                                                       \
		npu_unlock();                                                                                \
		rc_;                                                                                         \
	})

/* Under the lock: find sets name to an object (and is its answer), then the action happens. */
#define LOCKED_WITH(type, name, find, action)                                                                \
	LOCKED(({                                                                                            \
		struct type *name = NULL;                                                                    \
		aclError found_ = (find);                                                                    \
		if (!found_) {                                                                               \
			action;                                                                              \
		}                                                                                            \
		found_;                                                                                      \
	}))

/* Monotonic time in nanoseconds. */
uint64_t npu_now(void);
/* Absolute time of a timeout in milliseconds; -1 (for ever) gives 0. */
uint64_t npu_deadline_ms(int64_t ms);

/*
 * Notes an error for aclrtGetLastError and aclGetRecentErrMsg, logs it, and
 * returns code.  Needs no lock.
 */
#define npu_err(code, ...)                                                                                   \
	({                                                                                                   \
		aclError code_ = (code);                                                                     \
		npu_note_error(code_, __VA_ARGS__);                                                          \
		code_;                                                                                       \
	})
#define NPU_ANY_CODE -1
/* What a stream ended in that the runtime takes for its state: model aborted, overflow, end of a sequence. */
#define NPU_STREAM_STATES -2
/* From here on the thread does not note that code; returns what is to be handed to npu_note_again. */
aclError npu_unnoted(aclError code);
void npu_note_again(const aclError *before);
void npu_note_error(aclError code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void npu_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
