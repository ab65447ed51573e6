/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks through the mapped modules for libraries that submit work or move
 * buffers below the acl functions, and for modules that import functions which
 * do.  The runtime's own libraries say nothing: they are always there.
 */
#include "interpose/runtime/other_submitters.h"

#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/runtime/library_name.h"
#include "interpose/common/compiler.h"
#include "interpose/runtime/elf_object.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/runtime/program_threads.h"

/* A text of its own, as pointers would have to be relocated; "" ends a list. */
typedef char beginning[20];

/* File names begin so. */
static const beginning libraries[][12] = {
	[CHECKS_OTHER_WORK] = {"libopapi", "libnnopbase", "libcust_opapi", "libhccl", "libtorch_npu",
		"libtriton", "libge_runner", "libmindspore", "libatb"},
	[CHECKS_OTHER_QUEUES] = {"libacl_tdt_queue", "libdatatransfer"},
};

/* Names of imported functions begin so. */
static const beginning functions[][12] = {
	[CHECKS_OTHER_WORK] = {"aclnn", "aclop", "aclmdlExecute", "Hccl", "aclblas", "acldvpp", "hi_mpi_",
		"halMem", "softnpu_launch_host"},
	[CHECKS_OTHER_QUEUES] = {"acltdt", "halMbuf"},
};

struct search {
	enum checks_other_submitter what;
	bool found;
};

NO_SANITIZE static bool begins_with_one(const char *name, const beginning *words)
{
	for (; **words; words++)
		if (!strncmp(name, *words, strlen(*words)))
			return true;
	return false;
}

NO_SANITIZE static bool leads_past(const char *name, enum checks_other_submitter what)
{
	/* rtMalloc, rtKernelLaunch …: the runtime's own interface, for both. */
	if (name[0] == 'r' && name[1] == 't' && name[2] >= 'A' && name[2] <= 'Z')
		return true;
	/* What we wrap is seen. */
	return begins_with_one(name, functions[what]) && acl_api_find(name) < 0;
}

NO_SANITIZE static bool refers_past(const struct elf_object *o, enum checks_other_submitter what)
{
	uint64_t at = 0;

	for (const ElfW(Rela) * r; (r = elf_object_relocation(o, &at));)
		if (IS_IMPORT(ELF64_R_TYPE(r->r_info)) && leads_past(elf_object_name(o, r), what))
			return true;
	return false;
}

static int each_module(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	const char *path = info->dlpi_name ? info->dlpi_name : "", *slash = strrchr(path, '/');
	struct elf_object object;

	(void)size;
	if (begins_with_one(slash ? slash + 1 : path, libraries[search->what]))
		search->found = true;
	else if (!is_cann_library(path) && elf_object_of(info, &object))
		search->found = refers_past(&object, search->what);
	return search->found;
}

static bool modules_submit(enum checks_other_submitter what)
{
	/* Once possible, always possible; until then what is mapped may change with every dlopen. */
	static _Atomic bool seen[2];
	struct search search = {.what = what};

	if (atomic_load_explicit(&seen[what], memory_order_relaxed))
		return true;
	module_walk(each_module, &search);
	atomic_store_explicit(&seen[what], search.found, memory_order_relaxed);
	return search.found;
}

bool other_submitters_possible(enum checks_other_submitter what)
{
	return what == CHECKS_OTHER_THREADS ? program_threads_possible() : modules_submit(what);
}
