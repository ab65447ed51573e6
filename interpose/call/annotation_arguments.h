/* SPDX-License-Identifier: Apache-2.0 */
/* What a program says with the macros of aclcheck.h, as a record of the checks has it. */
#ifndef INTERPOSE_ANNOTATION_ARGUMENTS_H
#define INTERPOSE_ANNOTATION_ARGUMENTS_H

#include <stddef.h>

#include "aclcheck/model.h"
#include "acl_api.h"

/* As aclcheck_annotate() gets it. */
struct annotation {
	unsigned what; /* ACLCHECK_SAYS_NAME ... */
	const void *object;
	size_t bytes;
	const void *stream;
	const char *text;
};

union annotation_arguments {
	struct acl_args_ACLCHECK_NAME name;
	struct acl_args_ACLCHECK_POOL pool;
	struct acl_args_ACLCHECK_POOL_END pool_end;
	struct acl_args_ACLCHECK_BLOCK block;
	struct acl_args_ACLCHECK_BLOCK_END block_end;
	struct acl_args_ACLCHECK_KERNEL_READS reads;
	struct acl_args_ACLCHECK_KERNEL_WRITES writes;
	struct acl_args_ACLCHECK_KERNEL kernel;
};

/* enum acl_annotation; ACL_NAMED_COUNT: unknown. */
unsigned annotation_arguments(const struct annotation *a, union annotation_arguments *to);

#endif
