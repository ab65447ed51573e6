/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: the states and their callbacks; there is no device state to save. */
#include "tools/softnpu/core/snapshot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"

enum state { RUNNING, PROCESS_LOCKED, BACKED_UP };

static enum state state;

bool npu_snapshot_locked;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

void npu_snapshot_wait(void)
{
	pthread_mutex_lock(&gate);
	while (npu_snapshot_locked)
		pthread_cond_wait(&opened, &gate);
	pthread_mutex_unlock(&gate);
}

#define STAGES (ACL_RT_SNAPSHOT_UNLOCK_POST + 1)
#define MAX_CALLBACKS 8

static struct {
	aclrtSnapShotCallBack fn;
	void *args;
} callbacks[STAGES][MAX_CALLBACKS];

void snapshot_forget(void)
{
	state = RUNNING;
	npu_snapshot_locked = false;
	pthread_mutex_init(&gate, NULL);
	pthread_cond_init(&opened, NULL);
	memset(callbacks, 0, sizeof(callbacks));
}

static aclError snapshot_add(aclrtSnapShotStage stage, aclrtSnapShotCallBack fn, void *args)
{
	int place = -1;

	for (int i = 0; i < MAX_CALLBACKS; i++) {
		if (callbacks[stage][i].fn == fn)
			return npu_err(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED,
				"the callback is registered already");
		if (!callbacks[stage][i].fn && place < 0)
			place = i;
	}
	if (place < 0)
		return npu_err(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED, "no more than %d callbacks",
			MAX_CALLBACKS);
	callbacks[stage][place].fn = fn;
	callbacks[stage][place].args = args;
	return ACL_SUCCESS;
}

static aclError snapshot_drop(aclrtSnapShotStage stage, aclrtSnapShotCallBack fn)
{
	for (int i = 0; i < MAX_CALLBACKS; i++)
		if (callbacks[stage][i].fn == fn) {
			callbacks[stage][i].fn = NULL;
			return ACL_SUCCESS;
		}
	return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the callback is not registered");
}

static aclError check_callback(aclrtSnapShotStage stage, aclrtSnapShotCallBack fn)
{
	if ((unsigned)stage >= STAGES || !fn)
		return npu_err(
			ACL_ERROR_RT_PARAM_INVALID, "unknown stage %d, or the callback is NULL", stage);
	return ACL_SUCCESS;
}

aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback, void *args)
{
	aclError rc = check_callback(stage, callback);

	return rc ? rc : LOCKED(snapshot_add(stage, callback, args));
}

aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback)
{
	aclError rc = check_callback(stage, callback);

	return rc ? rc : LOCKED(snapshot_drop(stage, callback));
}

/* Whether a callback refuses, which it does by another answer than 0. Without the lock. */
static bool refused(aclrtSnapShotStage stage, int callback, int device)
{
	aclrtSnapShotCallBack fn;
	void *args;

	npu_lock();
	fn = device_is_open(device) ? callbacks[stage][callback].fn : NULL;
	args = callbacks[stage][callback].args;
	npu_unlock();
	return fn && fn(device, args);
}

/* Each callback is called for each device that is open. */
static aclError run(aclrtSnapShotStage stage)
{
	for (int i = 0; i < MAX_CALLBACKS; i++)
		for (int device = 0; device < MAX_DEVICES; device++)
			if (refused(stage, i, device))
				return npu_err(ACL_ERROR_SNAPSHOT_CALLBACK_FAILED,
					"a callback of stage %d failed", stage);
	return ACL_SUCCESS;
}

static aclError in(enum state is, enum state or, aclError code)
{
	if (state != is && state != or)
		return npu_err(code, "not in this state of the snapshot");
	return ACL_SUCCESS;
}

static aclError become(enum state now)
{
	state = now;
	pthread_mutex_lock(&gate);
	__atomic_store_n(&npu_snapshot_locked, now != RUNNING, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&gate);
	return ACL_SUCCESS;
}

static aclError change(enum state from, enum state from2, enum state to, aclError code)
{
	aclError rc = in(from, from2, code);

	return rc ? rc : become(to);
}

/* What is backed up is that of the contexts there are, of whatever device. */
static aclError back_up(void)
{
	if (!contexts_exist())
		return npu_err(ACL_ERROR_RT_CONTEXT_NULL, "there is no context to back up");
	return ACL_SUCCESS;
}

/* Older functions had no parameters: what is there then is not theirs. */
static aclError snapshot_check(int pid, const void *args)
{
	if (npu_fact(NPU_SNAPSHOTS_NAME_THE_PROCESS) && (pid != getpid() || args))
		return npu_err(ACL_ERROR_INVALID_PARAM, "pid is not this process, or the arguments not NULL");
	return ACL_SUCCESS;
}

aclError aclrtSnapShotProcessLock(int pid, void *reserve)
{
	aclError rc = snapshot_check(pid, reserve);

	if (!rc)
		rc = run(ACL_RT_SNAPSHOT_LOCK_PRE);
	return rc ? rc : LOCKED(change(RUNNING, RUNNING, PROCESS_LOCKED, ACL_ERROR_SNAPSHOT_LOCK_FAILED));
}

aclError aclrtSnapShotProcessUnlock(int pid, void *reserve)
{
	aclError rc = snapshot_check(pid, reserve);

	if (!rc)
		rc = LOCKED(change(PROCESS_LOCKED, BACKED_UP, RUNNING, ACL_ERROR_SNAPSHOT_UNLOCK_FAILED));
	return rc ? rc : run(ACL_RT_SNAPSHOT_UNLOCK_POST);
}

/* The state changes last: where a callback refuses, the function may be called again. */
aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args)
{
	aclError rc = snapshot_check(pid, args);

	if (!rc)
		rc = LOCKED(in(PROCESS_LOCKED, PROCESS_LOCKED, ACL_ERROR_SNAPSHOT_BACKUP_FAILED));
	if (!rc)
		rc = run(ACL_RT_SNAPSHOT_BACKUP_PRE);
	if (!rc)
		rc = LOCKED(back_up());
	if (!rc)
		rc = run(ACL_RT_SNAPSHOT_BACKUP_POST);
	return rc ? rc : LOCKED(become(BACKED_UP));
}

aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args)
{
	aclError rc = snapshot_check(pid, args);

	if (!rc)
		rc = LOCKED(in(BACKED_UP, BACKED_UP, ACL_ERROR_SNAPSHOT_RESTORE_FAILED));
	if (!rc)
		rc = run(ACL_RT_SNAPSHOT_RESTORE_PRE);
	if (!rc)
		rc = run(ACL_RT_SNAPSHOT_RESTORE_POST);
	return rc ? rc : LOCKED(become(PROCESS_LOCKED));
}
