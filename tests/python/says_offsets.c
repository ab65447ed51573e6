/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that looks like CPython 3.13 to a reader, says CODE_LINES where code objects have their line
 * table, and has them where 3.13 has: says_offsets CODE_LINES.  Its innermost frames break a rule.
 */
#include <acl/acl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 14
#define LINES_AT 136

uint64_t PyCode_Type[2], PyUnicode_Type[2], PyBytes_Type[2], _PyRuntime[64];
const unsigned long Py_Version = 0x030d00f0;

void _PyEval_EvalFrameDefault(void *memory);

/* Sizes of 3.13's objects and more: what is not filled in points nowhere. */
static struct {
	_Alignas(8) uint8_t state[256], code[2048], name[64], lines[64], frame[FRAMES][128];
} objects;

static void put(uint8_t *object, unsigned at, uint64_t value)
{
	memcpy(object + at, &value, sizeof(value));
}

static void put_pointer(uint8_t *object, unsigned at, const void *value)
{
	put(object, at, (uintptr_t)value);
}

static void make_code(void)
{
	uint8_t *text = objects.name, *lines = objects.lines;

	put_pointer(text, 8, PyUnicode_Type);
	put(text, 16, 1);
	put(text, 32, 1 << 2 | 1 << 5 | 1 << 6);
	memcpy(text + 40, "f", 2);
	put_pointer(lines, 8, PyBytes_Type);
	put(lines, 16, 2);
	memcpy(lines + 32, (const uint8_t[]){0x80 | 13 << 3 | 7, 0}, 2);
	put_pointer(objects.code, 8, PyCode_Type);
	put(objects.code, 68, 7);
	put_pointer(objects.code, 112, text);
	put_pointer(objects.code, 128, text);
	put_pointer(objects.code, LINES_AT, lines);
}

static void make_frames(void)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		uint8_t *frame = objects.frame[i];

		memset(frame, 0, sizeof(objects.frame[i]));
		put_pointer(frame, 0, objects.code);
		put_pointer(frame, 8, i + 1 < FRAMES ? objects.frame[i + 1] : NULL);
		put_pointer(frame, 56, objects.code + 200);
	}
	put_pointer(objects.state, 72, objects.frame[0]);
	put(objects.state, 152, (uint64_t)pthread_self());
}

/* The numbers of 3.13's _Py_DebugOffsets, up to where instructions begin. */
static void say_offsets(uint64_t code_lines)
{
	memcpy(_PyRuntime, "xdebugpy", 8);
	_PyRuntime[1] = Py_Version;
	_PyRuntime[23] = 72;
	_PyRuntime[24] = 152;
	_PyRuntime[29] = 8;
	_PyRuntime[30] = 0;
	_PyRuntime[31] = 56;
	_PyRuntime[33] = 70;
	_PyRuntime[35] = 112;
	_PyRuntime[37] = 128;
	_PyRuntime[38] = code_lines;
	_PyRuntime[39] = 68;
	_PyRuntime[43] = 200;
}

__attribute__((noinline)) void _PyEval_EvalFrameDefault(void *memory)
{
	aclError error = aclrtMemset(memory, 64, 0, 128);

	printf("%d\n", error);
}

int main(int argc, char **argv)
{
	void *memory = NULL;
	pthread_key_t key;

	memset(&objects, 0xff, sizeof(objects));
	make_code();
	make_frames();
	say_offsets(argc > 1 ? strtoul(argv[1], NULL, 10) : LINES_AT);
	if (pthread_key_create(&key, NULL) || pthread_setspecific(key, objects.state))
		return 2;
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
	_PyEval_EvalFrameDefault(memory);
	aclrtFree(memory);
	aclrtResetDevice(0);
	return aclFinalize();
}
