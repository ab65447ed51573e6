/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a program's or library's file, which may say what it likes. Without libelf: few hosts have
 * it. */
#ifndef TOOLS_ACLCHECK_ELF_FILE_H
#define TOOLS_ACLCHECK_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables of 32-bit files are as those of 64 bits. */
struct elf_file {
	int fd;
	bool narrow; /* 32 bits */
	uint64_t size;
	Elf64_Ehdr head;
	Elf64_Phdr *segments;
	size_t n_segments;
	Elf64_Shdr *sections;
	size_t n_sections;
};

/* False: it is no such file of this machine's byte order. The descriptor stays the caller's. */
bool elf_file_open(struct elf_file *e, int fd);
void elf_file_close(struct elf_file *e);

/* The first segment of a type, or NULL. */
const Elf64_Phdr *elf_file_segment(const struct elf_file *e, uint32_t type);
/* Bytes of the file, a NUL behind them, to be freed; NULL: it does not have them. */
char *elf_file_piece(const struct elf_file *e, uint64_t at, uint64_t size);
/* The same for what is loaded at an address. */
char *elf_file_loaded(const struct elf_file *e, uint64_t address, uint64_t size);
/* Entries of size bytes at a place of the file, to be freed; NULL with *n = 0: none. */
Elf64_Dyn *elf_file_dynamic(const struct elf_file *e, uint64_t at, uint64_t size, size_t *n);
Elf64_Sym *elf_file_symbols(const struct elf_file *e, uint64_t at, uint64_t size, size_t *n);

#endif
