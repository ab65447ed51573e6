/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is built on a new system loads on those with glibc 2.28: glibc 2.30 to 2.34 moved functions into
 * libc.so.6 under new versions, and kept the old ones. Included before all else; binaries name
 * libpthread.so.0 and libdl.so.2, where these functions are on old systems.
 */
#ifndef ACLCHECK_OLD_GLIBC_H
#define ACLCHECK_OLD_GLIBC_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ACLCHECK_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ACLCHECK_SANITIZED
#endif

/* A sanitizer has functions of its own in their place. */
#ifndef ACLCHECK_SANITIZED

#ifdef __x86_64__
#define OLD_GLIBC "GLIBC_2.2.5"
#define OLD_GLIBC_NAMES "GLIBC_2.12"
#define OLD_GLIBC_DLINFO "GLIBC_2.3.3"
#else
#define OLD_GLIBC "GLIBC_2.17"
#define OLD_GLIBC_NAMES "GLIBC_2.17"
#define OLD_GLIBC_DLINFO "GLIBC_2.17"
#endif

#define OLD_FUNCTION(name, version) __asm__(".symver " #name ", " #name "@" version)

OLD_FUNCTION(dlopen, OLD_GLIBC);
OLD_FUNCTION(dlsym, OLD_GLIBC);
OLD_FUNCTION(dlclose, OLD_GLIBC);
OLD_FUNCTION(dlinfo, OLD_GLIBC_DLINFO);
OLD_FUNCTION(pthread_create, OLD_GLIBC);
OLD_FUNCTION(pthread_attr_setstacksize, OLD_GLIBC);
OLD_FUNCTION(pthread_once, OLD_GLIBC);
OLD_FUNCTION(pthread_sigmask, OLD_GLIBC);
OLD_FUNCTION(pthread_key_create, OLD_GLIBC);
OLD_FUNCTION(pthread_getspecific, OLD_GLIBC);
OLD_FUNCTION(pthread_setspecific, OLD_GLIBC);
OLD_FUNCTION(pthread_setname_np, OLD_GLIBC_NAMES);

#endif
#endif
