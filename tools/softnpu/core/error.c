/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and messages of the calling thread; the log. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/softnpu/core/npu.h"

static __thread aclError last_error, unnoted;
static __thread char recent_message[512];

void errors_forget(void)
{
	last_error = unnoted = ACL_SUCCESS;
	*recent_message = '\0';
}

/* Once: each line of the log would say it again. */
static void cannot_open(const char *path)
{
	static atomic_bool said;
	char line[200];
	int len = snprintf(line, sizeof(line), "softnpu: SOFTNPU_LOG=%.100s: %s\n", path, strerror(errno));

	if (atomic_exchange(&said, true))
		return;
	if (write(STDERR_FILENO, line, len < (int)sizeof(line) ? (size_t)len : sizeof(line) - 1) < 0)
		errno = 0;
}

static void log_line(const char *line, size_t len)
{
	const char *path = CFG_STR(log);
	int fd;

	if (!*path)
		return;
	fd = strcmp(path, "-") ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : STDERR_FILENO;
	if (fd < 0) {
		cannot_open(path);
		return;
	}
	if (write(fd, line, len) < 0)
		errno = 0;
	if (fd != STDERR_FILENO)
		close(fd);
}

static void log_text(const char *fmt, va_list ap)
{
	char line[640];
	int head, len, saved = errno;

	if (!*CFG_STR(log))
		return;
	head = snprintf(line, sizeof(line), "softnpu[%d]: ", (int)getpid());
	len = vsnprintf(line + head, sizeof(line) - (size_t)head - 1, fmt, ap);
	len = len < 0 ? 0 : len;
	len = head + len < (int)sizeof(line) - 1 ? head + len : (int)sizeof(line) - 2;
	line[len++] = '\n';
	log_line(line, (size_t)len);
	errno = saved;
}

void npu_log(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_text(fmt, ap);
	va_end(ap);
}

/* What the program itself logs stands beside the runtime's lines. */
void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
	static const char *const levels[] = {"debug", "info", "warning", "error"};
	char text[400];
	va_list ap;

	if (!fmt)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	npu_log("%s %s:%u %s: %s", (unsigned)logLevel < ARRAY_SIZE(levels) ? levels[logLevel] : "?",
		file ? file : "?", line, func ? func : "?", text);
}

aclError npu_unnoted(aclError code)
{
	aclError before = unnoted;

	unnoted = code;
	return before;
}

void npu_note_again(const aclError *before)
{
	unnoted = *before;
}

static bool is_stream_state(aclError code)
{
	return code == ACL_ERROR_RT_END_OF_SEQUENCE || code == ACL_ERROR_RT_MODEL_ABORT_NORMAL ||
	       code == ACL_ERROR_RT_AICORE_OVER_FLOW || code == ACL_ERROR_RT_AIVEC_OVER_FLOW ||
	       code == ACL_ERROR_RT_OVER_FLOW || code == ACL_ERROR_RT_SOCKET_CLOSE;
}

/* What the outer layer refuses never gets there: its codes are 1000xx, 2000xx, 5000xx. */
static bool is_noted(aclError code)
{
	if (code / 1000 % 100 != 7 || code == unnoted || unnoted == NPU_ANY_CODE)
		return false;
	return unnoted != NPU_STREAM_STATES || !is_stream_state(code);
}

void npu_note_error(aclError code, const char *fmt, ...)
{
	va_list ap;
	int len;

	if (is_noted(code))
		last_error = code;
	len = snprintf(recent_message, sizeof(recent_message), "%d: ", code);
	va_start(ap, fmt);
	vsnprintf(recent_message + len, sizeof(recent_message) - (size_t)len, fmt, ap);
	va_end(ap);
	npu_log("%s", recent_message);
}

const char *aclGetRecentErrMsg(void)
{
	static __thread char shown[sizeof(recent_message)];

	if (!*recent_message)
		return NULL;
	memcpy(shown, recent_message, sizeof(shown));
	*recent_message = '\0';
	return shown;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
	if (level != ACL_RT_THREAD_LEVEL)
		return ACL_ERROR_INVALID_PARAM;
	return last_error;
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
	aclError code = aclrtPeekAtLastError(level);

	if (level == ACL_RT_THREAD_LEVEL)
		last_error = ACL_SUCCESS;
	return code;
}
