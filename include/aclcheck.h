/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck.h - what libaclcheck.so offers to programs and debuggers.
 *
 * A program need not include or link anything to be checked:
 *	LD_PRELOAD=libaclcheck.so ./app
 */
#ifndef ACLCHECK_H
#define ACLCHECK_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Called by the tool at each finding it shows, on the thread that made the
 * call, before the call is forwarded (or after it, for findings that need the
 * result).  Does nothing; made for `break aclcheck_break` in a debugger.
 */
void aclcheck_break(void);

/* Version of the loaded library, "0.1.0"; static storage. */
const char *aclcheck_version(void);

/*
 * Scopes of expected failure: a test that breaks a rule on purpose says so.
 *
 *	ACLCHECK_EXPECT_BEGIN("stream-destroy-twice", "the destroy must be refused");
 *	aclrtDestroyStream(stream);
 *	ACLCHECK_EXPECT_END();
 *
 * or, closed by the end of the block, whichever way it is left (C and C++):
 *
 *	ACLCHECK_EXPECT_SCOPE("stream-*", "the destroy must be refused");
 *
 * A finding of this thread that the innermost matching scope takes is shown as
 * expected and does not fail the run; a scope that ends without one does.  The
 * rule is an id in which * and ? are wildcards.  Scopes nest, 16 deep; those
 * open at fork also hold in the child, those open at the exit hold for what is
 * found there (leaks).  Without the tool all of this does nothing; nothing has
 * to be linked.
 */
#define ACLCHECK_EXPECT_BEGIN(rule, reason) ((void)ACLCHECK_OPEN_(rule, reason))
#define ACLCHECK_EXPECT_END() ACLCHECK_CLOSE_(0)
#define ACLCHECK_EXPECT_SCOPE(rule, reason)                                                                  \
	__attribute__((cleanup(aclcheck_leave_), unused)) int ACLCHECK_NAME_(aclcheck_scope_, __LINE__) =    \
		ACLCHECK_OPEN_(rule, reason)

/* --- how it is done: nothing below is for use by name ------------------------------ */

#define ACLCHECK_NAME_(a, b) ACLCHECK_PASTE_(a, b)
#define ACLCHECK_PASTE_(a, b) a##b

/*
 * The address of a function of the tool, NULL without it.  A plain weak
 * reference would be settled to NULL by the linker of a position-dependent
 * program; one through the GOT is left to the loader.
 */
#if defined(__ELF__) && defined(__x86_64__) && !defined(__ILP32__)
#define ACLCHECK_FIND_(name, out) __asm__(".weak " name "\n\tmovq " name "@GOTPCREL(%%rip), %0" : "=r"(out))
#elif defined(__ELF__) && defined(__aarch64__) && !defined(__ILP32__)
#define ACLCHECK_FIND_(name, out)                                                                            \
	__asm__(".weak " name "\n\tadrp %0, :got:" name "\n\tldr %0, [%0, :got_lo12:" name "]" : "=r"(out))
#else
#define ACLCHECK_FIND_(name, out) ((out) = 0)
#endif

/* How many scopes of the thread are open then, 0 without the tool. Macros: the line is the program's. */
#define ACLCHECK_OPEN_(rule, reason)                                                                         \
	__extension__({                                                                                      \
		int (*aclcheck_open_)(const char *, const char *);                                           \
		ACLCHECK_FIND_("aclcheck_expect_open", aclcheck_open_);                                      \
		aclcheck_open_ ? aclcheck_open_((rule), (reason)) : 0;                                       \
	})

/* The innermost one; with a number that opening gave, that one and those opened after it. */
#define ACLCHECK_CLOSE_(scope)                                                                               \
	__extension__({                                                                                      \
		void (*aclcheck_close_)(int);                                                                \
		ACLCHECK_FIND_("aclcheck_expect_close", aclcheck_close_);                                    \
		if (aclcheck_close_)                                                                         \
			aclcheck_close_(scope);                                                              \
	})

static __inline__ __attribute__((unused)) void aclcheck_leave_(const int *scope)
{
	if (*scope)
		ACLCHECK_CLOSE_(*scope);
}

#ifdef __cplusplus
}
#endif

#endif
