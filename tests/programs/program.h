/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of tests/documents, tests/patterns and tests/samples share.
 * Each is a complete AscendCL program that checks its own results:
 *
 *	program			does everything right
 *	program <mistake>	makes that one mistake, see the table beside it
 *
 * Everything a program learns goes to stdout, so that a run under the preload
 * library can be compared with a plain one.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "acl/acl.h"

namespace program
{

inline const char *mistake = "";
inline bool mistake_known;
inline std::atomic<int> failures{0};

inline void begin(int argc, char **argv)
{
	if (argc > 1)
		mistake = argv[1];
}

/* True when this run shall make the mistake of that name. */
inline bool broken(const char *name)
{
	if (std::strcmp(mistake, name) != 0)
		return false;
	mistake_known = true;
	return true;
}

inline bool report(aclError error, const char *call)
{
	if (error == ACL_SUCCESS)
		return true;
	std::printf("%s: error %d\n", call, error);
	failures++;
	return false;
}

inline void expect(bool right, const char *what)
{
	if (right)
		return;
	std::printf("wrong: %s\n", what);
	failures++;
}

/* The exit code: 0 = right results, 1 = not, 2 = this program does not know the mistake asked for. */
inline int end()
{
	if (*mistake && !mistake_known) {
		std::printf("no such mistake: %s\n", mistake);
		return 2;
	}
	std::printf("%s\n", failures ? "failed" : "ok");
	return failures != 0;
}

/* Stands for reading a file: a pattern that differs from byte to byte and from seed to seed. */
inline uint8_t pattern(size_t i, unsigned seed)
{
	return static_cast<uint8_t>(i * 131 + (i >> 8) + seed * 17);
}

inline void fill(void *memory, size_t size, unsigned seed)
{
	uint8_t *bytes = static_cast<uint8_t *>(memory);

	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern(i, seed);
}

inline bool holds(const void *memory, size_t size, unsigned seed)
{
	const uint8_t *bytes = static_cast<const uint8_t *>(memory);

	for (size_t i = 0; i < size; i++)
		if (bytes[i] != pattern(i, seed))
			return false;
	return true;
}

/* The next address that is a multiple of 64, as the document computes it (always moves on). */
inline char *align64(void *memory)
{
	return static_cast<char *>(memory) + 64 - reinterpret_cast<uintptr_t>(memory) % 64;
}

} /* namespace program */

/* A call whose error makes the program fail; the program goes on, as the documents' samples do. */
#define TRY(call) program::report((call), #call)

#endif
