/* SPDX-License-Identifier: Apache-2.0 */
/* Read piece by piece: a file that shrinks meanwhile is a short read, and large ones are not mapped. */
#include "tools/aclcheck/run/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "tools/aclcheck/common/command.h"

#define OWN_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

static bool read_all(int fd, char *to, uint64_t size, uint64_t at)
{
	for (uint64_t done = 0; done < size;) {
		ssize_t n = pread(fd, to + done, size - done, (off_t)(at + done));

		if (n <= 0)
			return false;
		done += (uint64_t)n;
	}
	return true;
}

char *elf_file_piece(const struct elf_file *e, uint64_t at, uint64_t size)
{
	char *piece;

	if (!size || at > e->size || size > e->size - at)
		return NULL;
	piece = need(malloc(size + 1));
	piece[size] = '\0';
	if (read_all(e->fd, piece, size, at))
		return piece;
	free(piece);
	return NULL;
}

char *elf_file_loaded(const struct elf_file *e, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *s = &e->segments[i];

		if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
			return elf_file_piece(e, address - s->p_vaddr + s->p_offset, size);
	}
	return NULL;
}

/* A table as that of 64 bits; widen says how an entry of 32 bits becomes one. */
static void *table(const struct elf_file *e, uint64_t at, uint64_t size, size_t narrow, size_t wide,
	void (*widen)(void *to, const void *from), size_t *n)
{
	const size_t each = e->narrow ? narrow : wide;
	char *piece = elf_file_piece(e, at, size / each * each), *widened;

	*n = piece ? size / each : 0;
	if (!piece || !e->narrow)
		return piece;
	widened = need(calloc(*n, wide));
	for (size_t i = 0; i < *n; i++)
		widen(widened + i * wide, piece + i * narrow);
	free(piece);
	return widened;
}

static void widen_segment(void *to, const void *from)
{
	const Elf32_Phdr *s = from;

	*(Elf64_Phdr *)to = (Elf64_Phdr){
		.p_type = s->p_type, .p_offset = s->p_offset, .p_vaddr = s->p_vaddr, .p_filesz = s->p_filesz};
}

static void widen_section(void *to, const void *from)
{
	const Elf32_Shdr *s = from;

	*(Elf64_Shdr *)to = (Elf64_Shdr){.sh_type = s->sh_type,
		.sh_offset = s->sh_offset,
		.sh_size = s->sh_size,
		.sh_link = s->sh_link};
}

static void widen_dynamic(void *to, const void *from)
{
	const Elf32_Dyn *d = from;

	*(Elf64_Dyn *)to = (Elf64_Dyn){.d_tag = d->d_tag, .d_un.d_val = d->d_un.d_val};
}

static void widen_symbol(void *to, const void *from)
{
	const Elf32_Sym *s = from;

	*(Elf64_Sym *)to = (Elf64_Sym){.st_name = s->st_name, .st_shndx = s->st_shndx};
}

Elf64_Dyn *elf_file_dynamic(const struct elf_file *e, uint64_t at, uint64_t size, size_t *n)
{
	return table(e, at, size, sizeof(Elf32_Dyn), sizeof(Elf64_Dyn), widen_dynamic, n);
}

Elf64_Sym *elf_file_symbols(const struct elf_file *e, uint64_t at, uint64_t size, size_t *n)
{
	return table(e, at, size, sizeof(Elf32_Sym), sizeof(Elf64_Sym), widen_symbol, n);
}

static bool read_head(struct elf_file *e)
{
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr h;

	if (!read_all(e->fd, (char *)ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
		ident[EI_DATA] != OWN_ORDER)
		return false;
	if (ident[EI_CLASS] == ELFCLASS64)
		return read_all(e->fd, (char *)&e->head, sizeof(e->head), 0);
	if (ident[EI_CLASS] != ELFCLASS32 || !read_all(e->fd, (char *)&h, sizeof(h), 0))
		return false;
	e->narrow = true;
	e->head = (Elf64_Ehdr){
		.e_phoff = h.e_phoff, .e_phnum = h.e_phnum, .e_shoff = h.e_shoff, .e_shnum = h.e_shnum};
	return true;
}

bool elf_file_open(struct elf_file *e, int fd)
{
	struct stat st;
	size_t segment, section;

	memset(e, 0, sizeof(*e));
	e->fd = fd;
	if (fd < 0 || filestat_fd(fd, &st) || st.st_size < 0)
		return false;
	e->size = (uint64_t)st.st_size;
	if (!read_head(e))
		return false;
	segment = e->narrow ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
	section = e->narrow ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	e->segments = table(e, e->head.e_phoff, e->head.e_phnum * segment, sizeof(Elf32_Phdr),
		sizeof(Elf64_Phdr), widen_segment, &e->n_segments);
	e->sections = table(e, e->head.e_shoff, e->head.e_shnum * section, sizeof(Elf32_Shdr),
		sizeof(Elf64_Shdr), widen_section, &e->n_sections);
	return true;
}

void elf_file_close(struct elf_file *e)
{
	free(e->segments);
	free(e->sections);
	e->segments = NULL;
	e->sections = NULL;
}

const Elf64_Phdr *elf_file_segment(const struct elf_file *e, uint32_t type)
{
	for (size_t i = 0; i < e->n_segments; i++)
		if (e->segments[i].p_type == type)
			return &e->segments[i];
	return NULL;
}
