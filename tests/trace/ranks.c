/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ranks that share something; files in the working directory tell one what the other has done.
 *
 *	ranks fixed	memory: the importer closes first
 *	ranks early	the exporter closes and frees while the other one still uses the memory
 *	ranks ended	it ends while the other one still uses the memory
 *	ranks unknown	the importer has no key of the exporter's
 *
 *	ranks event-fixed, notify-fixed		an event, a notify: as it should be
 *	ranks event-early, notify-early		its maker destroys it, and then the other one uses it
 *	ranks event-ended, notify-ended		its maker ends, and then the other one uses it
 *	ranks event-late, notify-late		it is destroyed before the other one opens it
 *	ranks event-unknown, notify-unknown	the other one has no key
 *	ranks event-vain, notify-vain		no rank records what one waits for
 *	ranks event-before			recorded before it was shared
 *
 *	ranks far, near		the notify lies on another device; near: with peer access
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"

#define SIZE (2u << 20)
#define KEY 65

#define CHECK(call)                                                                                          \
	do {                                                                                                 \
		aclError e_ = (call);                                                                        \
		if (e_ != ACL_SUCCESS) {                                                                     \
			printf(#call ": %d\n", e_);                                                          \
			exit(3);                                                                             \
		}                                                                                            \
	} while (0)

static void say(const char *name, const char *text, size_t size)
{
	char unfinished[32];
	int fd;

	snprintf(unfinished, sizeof(unfinished), "new.%d", (int)getpid());
	fd = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size || close(fd) || rename(unfinished, name))
		exit(4);
}

static void await(const char *name)
{
	const struct timespec nap = {.tv_nsec = 2000000};

	for (unsigned i = 0; access(name, F_OK); i++) {
		if (i == 10000)
			exit(5);
		nanosleep(&nap, NULL);
	}
}

/* Until the process of the exporter is gone, and its exit handlers have run. */
static void await_end(void)
{
	int fd = open("lives", O_RDWR);

	if (fd < 0 || flock(fd, LOCK_EX))
		exit(7);
	close(fd);
}

static void live(void)
{
	int fd = open("lives", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		exit(7);
}

static void receive(char *key, bool known)
{
	int fd;

	await("key");
	fd = open("key", O_RDONLY);
	if (fd < 0 || (known && read(fd, key, KEY) != KEY))
		exit(6);
	close(fd);
}

static bool is(const char *mode, const char *end)
{
	size_t n = strlen(mode), m = strlen(end);

	return n >= m && !strcmp(mode + n - m, end);
}

/* The other one is done with it, or has only begun to use it. */
static void await_other(const char *mode)
{
	if (is(mode, "early") || is(mode, "ended"))
		await("used");
	else if (!is(mode, "late"))
		await("closed");
}

/* Before the importer goes on with what may be gone. */
static void await_owner(const char *mode)
{
	say("used", "", 0);
	if (is(mode, "early"))
		await("freed");
	if (is(mode, "ended"))
		await_end();
}

/* --- memory -------------------------------------------------------------------------- */

static void export_memory(const char *mode)
{
	char key[KEY] = "";
	void *memory;

	CHECK(aclrtMalloc(&memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemset(memory, SIZE, 1, SIZE));
	CHECK(aclrtIpcMemGetExportKey(
		memory, SIZE, key, KEY, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	say("key", key, KEY);
	await_other(mode);
	if (is(mode, "ended"))
		return;
	CHECK(aclrtIpcMemClose(key));
	CHECK(aclrtFree(memory));
	say("freed", "", 0);
}

static void import_memory(const char *mode)
{
	char key[KEY] = "none";
	void *memory;

	receive(key, !is(mode, "unknown"));
	if (aclrtIpcMemImportByKey(&memory, key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS) ==
		ACL_SUCCESS) {
		CHECK(aclrtMemset(memory, SIZE, 2, SIZE));
		await_owner(mode);
		if (!is(mode, "fixed"))
			aclrtMemset(memory, 64, 3, 64);
		aclrtIpcMemClose(key);
	}
	say("closed", "", 0);
}

/* --- events --------------------------------------------------------------------------- */

static void make_event(const char *mode)
{
	aclrtIpcEventHandle handle;
	char key[KEY] = "";
	aclrtStream stream;
	aclrtEvent event;

	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
	if (is(mode, "before"))
		CHECK(aclrtRecordEvent(event, stream));
	CHECK(aclrtIpcGetEventHandle(event, &handle));
	if (!is(mode, "before") && !is(mode, "vain"))
		CHECK(aclrtRecordEvent(event, stream));
	if (is(mode, "late"))
		CHECK(aclrtDestroyEvent(event));
	memcpy(key, &handle, sizeof(handle));
	say("key", key, KEY);
	await_other(mode);
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtDestroyStream(stream));
	if (!is(mode, "late") && !is(mode, "ended"))
		CHECK(aclrtDestroyEvent(event));
	say("freed", "", 0);
}

static void open_event(const char *mode)
{
	aclrtIpcEventHandle handle = {.reserved = "none"};
	char key[KEY] = "none";
	aclrtStream stream;
	aclrtEvent event;

	CHECK(aclrtCreateStream(&stream));
	receive(key, true);
	if (!is(mode, "unknown"))
		memcpy(&handle, key, sizeof(handle));
	if (aclrtIpcOpenEventHandle(handle, &event) == ACL_SUCCESS) {
		CHECK(aclrtStreamWaitEvent(stream, event));
		CHECK(aclrtSynchronizeStream(stream));
		await_owner(mode);
		if (is(mode, "early") || is(mode, "ended"))
			aclrtStreamWaitEvent(stream, event);
		CHECK(aclrtDestroyEvent(event));
	}
	CHECK(aclrtSynchronizeStream(stream));
	CHECK(aclrtDestroyStream(stream));
	say("closed", "", 0);
}

/* --- notifies ---------------------------------------------------------------------------- */

static void make_notify(const char *mode)
{
	char key[KEY] = "";
	aclrtStream stream;
	aclrtNotify notify;

	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
	CHECK(aclrtNotifyGetExportKey(notify, key, KEY, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
	if (is(mode, "late"))
		CHECK(aclrtDestroyNotify(notify));
	say("key", key, KEY);
	if (is(mode, "fixed") || is(mode, "vain")) {
		CHECK(aclrtWaitAndResetNotify(notify, stream, is(mode, "vain") ? 1 : 0));
		if (is(mode, "fixed"))
			CHECK(aclrtSynchronizeStream(stream));
	}
	await_other(mode);
	CHECK(aclrtDestroyStream(stream));
	if (!is(mode, "late") && !is(mode, "ended"))
		CHECK(aclrtDestroyNotify(notify));
	say("freed", "", 0);
}

static void open_notify(const char *mode)
{
	bool far = is(mode, "far") || is(mode, "near");
	char key[KEY] = "none";
	aclrtStream stream;
	aclrtNotify notify;

	CHECK(aclrtCreateStream(&stream));
	receive(key, !is(mode, "unknown"));
	if (is(mode, "near"))
		CHECK(aclrtDeviceEnablePeerAccess(0, 0));
	if (aclrtNotifyImportByKey(&notify, key,
		    far ? ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT : ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS) ==
		ACL_SUCCESS) {
		await_owner(mode);
		if (!is(mode, "vain"))
			aclrtRecordNotify(notify, stream);
		CHECK(aclrtSynchronizeStream(stream));
		CHECK(aclrtDestroyNotify(notify));
	}
	CHECK(aclrtDestroyStream(stream));
	say("closed", "", 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "fixed", *rank = getenv("RANK");
	bool event = !strncmp(mode, "event-", 6), other = rank && !strcmp(rank, "1");
	bool far = is(mode, "far") || is(mode, "near"), notify = far || !strncmp(mode, "notify-", 7);
	int32_t device = far && other;

	if (!other)
		live();
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(device));
	if (other)
		(event ? open_event : notify ? open_notify : import_memory)(mode);
	else
		(event ? make_event : notify ? make_notify : export_memory)(mode);
	CHECK(aclrtResetDevice(device));
	CHECK(aclFinalize());
	return 0;
}
