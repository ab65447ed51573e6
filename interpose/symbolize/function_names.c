/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the symbol around an address in an ELF file; the file is not trusted, every offset is checked. */
#include "interpose/symbolize/function_names.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/common/tool_memory.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/file_status.h"

bool elf_image_map(struct elf_image *image, const char *path)
{
	int fd = tool_open(path, O_RDONLY | O_NOCTTY, 0);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd < 0)
		return false;
	if (!filestat_fd(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(Elf64_Ehdr))
		p = mmap(tool_memory_place((size_t)st.st_size), (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	image->data = p;
	image->size = (size_t)st.st_size;
	return true;
}

static bool inside(const struct elf_image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static const Elf64_Shdr *section(const struct elf_image *image, unsigned index)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)image->data;

	if (index >= eh->e_shnum || eh->e_shentsize != sizeof(Elf64_Shdr) || eh->e_shoff % 8 ||
		!inside(image, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(Elf64_Shdr)))
		return NULL;
	return (const Elf64_Shdr *)(image->data + eh->e_shoff) + index;
}

struct best {
	const Elf64_Sym *sym;
	const char *name;
	uint64_t start;
};

/* A global name beats a local alias of the same place, the shorter name the longer: the choice must not
 * depend on order. */
static bool better(const struct best *b, const Elf64_Sym *sym, const char *name)
{
	if (!b->sym || sym->st_value != b->start)
		return !b->sym || sym->st_value > b->start;
	if (ELF64_ST_BIND(sym->st_info) != ELF64_ST_BIND(b->sym->st_info))
		return ELF64_ST_BIND(sym->st_info) == STB_GLOBAL;
	return strlen(name) < strlen(b->name) ||
	       (strlen(name) == strlen(b->name) && strcmp(name, b->name) < 0);
}

static void scan(const struct elf_image *image, const Elf64_Shdr *table, uint64_t address, bool nearest,
	struct best *best)
{
	const Elf64_Shdr *names = section(image, table->sh_link);
	const Elf64_Sym *sym = (const Elf64_Sym *)(image->data + table->sh_offset);
	uint64_t n = table->sh_size / sizeof(*sym);

	if (!names || table->sh_offset % 8 || !inside(image, table->sh_offset, table->sh_size) ||
		!inside(image, names->sh_offset, names->sh_size) || !names->sh_size ||
		image->data[names->sh_offset + names->sh_size - 1])
		return;
	for (uint64_t i = 0; i < n; i++, sym++) {
		unsigned type = ELF64_ST_TYPE(sym->st_info);
		const char *name;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || sym->st_shndx == SHN_UNDEF ||
			sym->st_value > address || sym->st_name >= names->sh_size)
			continue;
		if (!nearest && sym->st_size && address - sym->st_value >= sym->st_size)
			continue;
		name = image->data + names->sh_offset + sym->st_name;
		if (*name && better(best, sym, name)) {
			best->sym = sym;
			best->name = name;
			best->start = sym->st_value;
		}
	}
}

static const Elf64_Shdr *table_of(const struct elf_image *image, unsigned type)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)image->data;

	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const Elf64_Shdr *sh = section(image, i);

		if (sh && sh->sh_type == type)
			return sh;
	}
	return NULL;
}

static bool is_elf64(const struct elf_image *image)
{
	return !memcmp(image->data, ELFMAG, SELFMAG) && image->data[EI_CLASS] == ELFCLASS64;
}

const void *elf_section(const struct elf_image *image, const char *name, size_t *size)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)image->data;
	const Elf64_Shdr *names = is_elf64(image) ? section(image, eh->e_shstrndx) : NULL;
	size_t n = strlen(name) + 1;

	if (!names || !inside(image, names->sh_offset, names->sh_size))
		return NULL;
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const Elf64_Shdr *sh = section(image, i);

		if (!sh || sh->sh_name > names->sh_size || n > names->sh_size - sh->sh_name ||
			memcmp(image->data + names->sh_offset + sh->sh_name, name, n) != 0)
			continue;
		if (sh->sh_type == SHT_NOBITS || (sh->sh_flags & SHF_COMPRESSED) ||
			!inside(image, sh->sh_offset, sh->sh_size))
			return NULL;
		*size = sh->sh_size;
		return image->data + sh->sh_offset;
	}
	return NULL;
}

bool elf_has_build_id(const struct elf_image *image, const uint8_t *id, unsigned n)
{
	size_t size;
	const char *note = elf_section(image, ".note.gnu.build-id", &size);
	Elf64_Nhdr head;

	if (!n || !note || size < sizeof(head))
		return true;
	memcpy(&head, note, sizeof(head));
	return head.n_namesz == 4 && head.n_descsz == n && size - sizeof(head) >= 4 + n &&
	       !memcmp(note + sizeof(head) + 4, id, n);
}

const char *elf_function(const struct elf_image *image, uint64_t address, uint64_t *start, bool *stripped)
{
	const Elf64_Shdr *table;
	struct best best = {0};

	*stripped = false;
	if (!is_elf64(image))
		return NULL;
	table = table_of(image, SHT_SYMTAB);
	if (table)
		scan(image, table, address, false, &best);
	if (!best.name && !table) {
		*stripped = true;
		table = table_of(image, SHT_DYNSYM);
		if (table)
			scan(image, table, address, true, &best);
	}
	*start = best.start;
	return best.name;
}
