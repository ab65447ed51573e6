/* SPDX-License-Identifier: Apache-2.0 */
/* An annotation's arguments by what it says. */
#include "interpose/call/annotation_arguments.h"

#include <stdint.h>

#include "aclcheck.h"

unsigned annotation_arguments(const struct annotation *a, union annotation_arguments *to)
{
	aclrtStream stream = (aclrtStream)(uintptr_t)a->stream;

	switch (a->what) {
	case ACLCHECK_SAYS_NAME:
		to->name = (struct acl_args_ACLCHECK_NAME){a->object, a->text};
		return ACL_ANNOTATION_NAME;
	case ACLCHECK_SAYS_POOL:
		to->pool = (struct acl_args_ACLCHECK_POOL){a->object, a->bytes};
		return ACL_ANNOTATION_POOL;
	case ACLCHECK_SAYS_POOL_END:
		to->pool_end = (struct acl_args_ACLCHECK_POOL_END){a->object};
		return ACL_ANNOTATION_POOL_END;
	case ACLCHECK_SAYS_BLOCK:
		to->block = (struct acl_args_ACLCHECK_BLOCK){a->object, a->bytes, stream};
		return ACL_ANNOTATION_BLOCK;
	case ACLCHECK_SAYS_BLOCK_END:
		to->block_end = (struct acl_args_ACLCHECK_BLOCK_END){a->object};
		return ACL_ANNOTATION_BLOCK_END;
	case ACLCHECK_SAYS_KERNEL_READS:
		to->reads = (struct acl_args_ACLCHECK_KERNEL_READS){stream, a->object, a->bytes};
		return ACL_ANNOTATION_KERNEL_READS;
	case ACLCHECK_SAYS_KERNEL_WRITES:
		to->writes = (struct acl_args_ACLCHECK_KERNEL_WRITES){stream, a->object, a->bytes};
		return ACL_ANNOTATION_KERNEL_WRITES;
	case ACLCHECK_SAYS_KERNEL:
		to->kernel = (struct acl_args_ACLCHECK_KERNEL){stream, a->text};
		return ACL_ANNOTATION_KERNEL;
	}
	return ACL_NAMED_COUNT;
}
