/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck.h - what libaclcheck.so offers to programs and debuggers.
 *
 * A program need not include or link anything to be checked:
 *	LD_PRELOAD=libaclcheck.so ./app
 */
#ifndef ACLCHECK_H
#define ACLCHECK_H

#include <stddef.h>

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

/*
 * Scopes of findings that are known and not to be counted: suppressed, with the
 * reason in the report.  Unlike an expected one, a finding need not come.  They
 * are closed as scopes of expected failure are, and nest with them.
 *
 *	ACLCHECK_IGNORE_BEGIN("async-copy-alignment", "slow and meant so: ticket 123");
 *	…
 *	ACLCHECK_IGNORE_END();
 */
#define ACLCHECK_IGNORE_BEGIN(rule, reason) ((void)ACLCHECK_OPEN_BY_("aclcheck_ignore_open", rule, reason))
#define ACLCHECK_IGNORE_END() ACLCHECK_CLOSE_(0)
#define ACLCHECK_IGNORE_SCOPE(rule, reason)                                                                  \
	__attribute__((cleanup(aclcheck_leave_), unused)) int ACLCHECK_NAME_(aclcheck_scope_, __LINE__) =    \
		ACLCHECK_OPEN_BY_("aclcheck_ignore_open", rule, reason)

/*
 * What the checker cannot see by itself.  Said of memory or objects that it does
 * not know, it does nothing; what cannot be meant so (a block outside of its
 * pool, a block ended twice) does nothing either, and the verdict of the run
 * is inconclusive for that reason.
 *
 * A name of a stream, event, model … or of memory, by its handle or address;
 * findings show it beside that.
 */
#define ACLCHECK_NAME(object, name) ACLCHECK_SAY_(ACLCHECK_SAYS_NAME, object, 0, NULL, name)

/*
 * A caching allocator's memory: the pool is (a part of) one allocation or
 * mapping, a block what is handed out of it.  From ACLCHECK_BLOCK to
 * ACLCHECK_BLOCK_END the block is memory of its own, with an end of its own and
 * nothing in it yet; later, until it is a block again, its use is one after
 * its release.  The end is when it may be handed out again, and not when the
 * allocator begins to wait for that.  stream: the one that it is for.
 */
#define ACLCHECK_POOL(memory, bytes) ACLCHECK_SAY_(ACLCHECK_SAYS_POOL, memory, bytes, NULL, NULL)
#define ACLCHECK_POOL_END(memory) ACLCHECK_SAY_(ACLCHECK_SAYS_POOL_END, memory, 0, NULL, NULL)
#define ACLCHECK_BLOCK(address, bytes, stream)                                                               \
	ACLCHECK_SAY_(ACLCHECK_SAYS_BLOCK, address, bytes, stream, NULL)
#define ACLCHECK_BLOCK_END(address) ACLCHECK_SAY_(ACLCHECK_SAYS_BLOCK_END, address, 0, NULL, NULL)

/*
 * All that the next kernel reads and writes which this thread launches on the
 * stream: it is then checked as a copy is, where another kernel may do anything.
 *
 *	ACLCHECK_KERNEL_READS(stream, in, bytes);
 *	ACLCHECK_KERNEL_WRITES(stream, out, bytes);
 *	aclrtLaunchKernelWithConfig(…, stream, …);
 *
 * A kernel that is not launched by a function of AscendCL (<<<>>>, aclnn) is
 * said to be on the stream just before it is launched:
 *
 *	ACLCHECK_KERNEL(stream, "add");
 *	add<<<blocks, 0, stream>>>(in, out);
 */
#define ACLCHECK_KERNEL_READS(stream, address, bytes)                                                        \
	ACLCHECK_SAY_(ACLCHECK_SAYS_KERNEL_READS, address, bytes, stream, NULL)
#define ACLCHECK_KERNEL_WRITES(stream, address, bytes)                                                       \
	ACLCHECK_SAY_(ACLCHECK_SAYS_KERNEL_WRITES, address, bytes, stream, NULL)
#define ACLCHECK_KERNEL(stream, name) ACLCHECK_SAY_(ACLCHECK_SAYS_KERNEL, NULL, 0, stream, name)

/*
 * Which calls of the process are recorded while something records (aclcheck
 * trace, LTTng): those of all threads that begin between START and STOP.  Where
 * neither was said all are, unless the setting trace_from says "program".
 * Findings are recorded in any case.
 */
#define ACLCHECK_TRACE_START() ACLCHECK_SAY_(ACLCHECK_SAYS_TRACE_START, NULL, 0, NULL, NULL)
#define ACLCHECK_TRACE_STOP() ACLCHECK_SAY_(ACLCHECK_SAYS_TRACE_STOP, NULL, 0, NULL, NULL)

/* --- how it is done: nothing below is for use by name ------------------------------ */

/* What is said; numbers stay as they are, and a library that does not know one does nothing. */
enum {
	ACLCHECK_SAYS_NAME = 1,
	ACLCHECK_SAYS_POOL = 2,
	ACLCHECK_SAYS_POOL_END = 3,
	ACLCHECK_SAYS_BLOCK = 4,
	ACLCHECK_SAYS_BLOCK_END = 5,
	ACLCHECK_SAYS_KERNEL_READS = 6,
	ACLCHECK_SAYS_KERNEL_WRITES = 7,
	ACLCHECK_SAYS_KERNEL = 8,
	ACLCHECK_SAYS_TRACE_START = 16, /* to 31: the recording */
	ACLCHECK_SAYS_TRACE_STOP = 17
};

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
#define ACLCHECK_OPEN_(rule, reason) ACLCHECK_OPEN_BY_("aclcheck_expect_open", rule, reason)
#define ACLCHECK_OPEN_BY_(function, rule, reason)                                                            \
	__extension__({                                                                                      \
		int (*aclcheck_open_)(const char *, const char *);                                           \
		ACLCHECK_FIND_(function, aclcheck_open_);                                                    \
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

/* Without the tool the arguments are not evaluated. */
#define ACLCHECK_SAY_(what, object, bytes, stream, text)                                                     \
	__extension__({                                                                                      \
		void (*aclcheck_say_)(unsigned, const void *, size_t, const void *, const char *);           \
		ACLCHECK_FIND_("aclcheck_annotate", aclcheck_say_);                                          \
		if (aclcheck_say_)                                                                           \
			aclcheck_say_((what), (object), (bytes), (stream), (text));                          \
	})

static __inline__ __attribute__((unused)) void aclcheck_leave_(const int *scope)
{
	if (*scope)
		ACLCHECK_CLOSE_(*scope);
}

#ifdef __cplusplus
}

/* The same by objects: what is said holds until they go. */
namespace aclcheck
{

class scope
{
      public:
	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;

      protected:
	explicit scope(int number) : number_(number)
	{
	}
	~scope()
	{
		aclcheck_leave_(&number_);
	}

      private:
	int number_;
};

struct expect : scope {
	expect(const char *rule, const char *reason) : scope(ACLCHECK_OPEN_(rule, reason))
	{
	}
};

struct ignore : scope {
	ignore(const char *rule, const char *reason)
	    : scope(ACLCHECK_OPEN_BY_("aclcheck_ignore_open", rule, reason))
	{
	}
};

class pool
{
      public:
	pool(const void *memory, size_t bytes) : memory_(memory)
	{
		ACLCHECK_POOL(memory, bytes);
	}
	~pool()
	{
		ACLCHECK_POOL_END(memory_);
	}
	pool(const pool &) = delete;
	pool &operator=(const pool &) = delete;

      private:
	const void *memory_;
};

class block
{
      public:
	block(const void *address, size_t bytes, const void *stream) : address_(address)
	{
		ACLCHECK_BLOCK(address, bytes, stream);
	}
	~block()
	{
		ACLCHECK_BLOCK_END(address_);
	}
	block(const block &) = delete;
	block &operator=(const block &) = delete;

      private:
	const void *address_;
};

} /* namespace aclcheck */
#endif

#endif
