/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plug-in of qemu's: how many instructions of the emulated machine run from each entry of bench_counted to
 * the bench_ended that follows, a line each into the file FILE (-plugin …,out=FILE). The process has one
 * thread.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Version 1 of the interface, as far as it is used: its header is in no package. */
#define EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info;

enum { WITHOUT_REGISTERS = 0, ADD_U64 = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(
	uint64_t id, void (*translated)(uint64_t, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_insn_exec_cb(
	struct qemu_plugin_insn *instruction, void (*run)(unsigned, void *), int registers, void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(
	struct qemu_plugin_insn *instruction, int operation, void *at, uint64_t operand);

EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

static uint64_t executed, begun;
static bool counting;
static FILE *out;

static void begins(unsigned processor, void *unused)
{
	(void)processor, (void)unused;
	if (!counting)
		begun = executed;
	counting = true;
}

static void ends(unsigned processor, void *unused)
{
	(void)processor, (void)unused;
	if (!counting)
		return;
	fprintf(out, "%" PRIu64 "\n", executed - begun);
	fflush(out);
	counting = false;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
		const char *function = qemu_plugin_insn_symbol(instruction);

		qemu_plugin_register_vcpu_insn_exec_inline(instruction, ADD_U64, &executed, 1);
		if (function && !strcmp(function, "bench_counted"))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, begins, WITHOUT_REGISTERS, NULL);
		else if (function && !strcmp(function, "bench_ended"))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, ends, WITHOUT_REGISTERS, NULL);
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
	if (!out)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
