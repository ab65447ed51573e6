/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of code addresses, compared with libdw.
 *	lines_compare FILE...		every address of .text, or 5,000 of them
 *	lines_compare mutate N FILE...	N times with bytes changed: nothing may crash (the sanitizers' part)
 */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/symbolize/source_lines.h"

#define ADDRESSES 5000

struct text_section {
	uint64_t start, end;
};

static Dwarf_Die *unit_of(Dwarf *d, Dwarf_Addr address, Dwarf_Die *die)
{
	Dwarf_Off at = 0, next;
	size_t header;

	if (dwarf_addrdie(d, address, die))
		return die;
	for (; !dwarf_nextcu(d, at, &next, &header, NULL, NULL, NULL); at = next)
		if (dwarf_offdie(d, at + header, die) && dwarf_haspc(die, address) > 0)
			return die;
	return NULL;
}

static const char *expected(Dwarf *d, uint64_t address, int *line)
{
	Dwarf_Die die, *unit = unit_of(d, address, &die);
	Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, address) : NULL;

	return found && !dwarf_lineno(found, line) ? dwarf_linesrc(found, NULL, NULL) : NULL;
}

static struct text_section text_of(Elf *elf)
{
	struct text_section text = {0, 0};
	Elf_Scn *section = NULL;
	size_t names;

	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr sh;

		gelf_getshdr(section, &sh);
		if (!strcmp(elf_strptr(elf, names, sh.sh_name), ".text"))
			text = (struct text_section){sh.sh_addr, sh.sh_addr + sh.sh_size};
	}
	return text;
}

/* Prints one line; false when a single address differs. */
static bool compare(const char *path)
{
	struct acl_module module = {0};
	struct elf_image image;
	struct line_source *lines;
	struct text_section text;
	unsigned n = 0, differ = 0;
	Dwarf *d;
	int fd = open(path, O_RDONLY);

	d = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	if (!d || !elf_image_map(&image, path)) {
		printf("%s: cannot be read\n", path);
		return false;
	}
	lines = lines_open(&image, &module);
	text = text_of(dwarf_getelf(d));
	for (uint64_t a = text.start; a < text.end; a += (text.end - text.start) / ADDRESSES + 1) {
		const char *file = NULL, *wanted;
		int line = 0, wanted_line = 0;

		if (!lines_find(lines, a, &file, &line))
			file = NULL;
		wanted = expected(d, a, &wanted_line);
		n += wanted != NULL;
		if (!file != !wanted || (file && (strcmp(file, wanted) != 0 || line != wanted_line))) {
			if (!differ++)
				printf("%#lx: %s:%d, libdw has %s:%d\n", (unsigned long)a, file ? file : "?",
					line, wanted ? wanted : "?", wanted_line);
		}
	}
	printf("%s: %s, %u differ\n", path, n ? "lines" : "no lines", differ);
	dwarf_end(d);
	close(fd);
	return n && !differ;
}

static uint64_t random_state = 88172645463325252u;

static uint64_t pick(uint64_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % below;
}

static const char *const sections[] = {".debug_info", ".debug_abbrev", ".debug_line", ".debug_line_str",
	".debug_str", ".debug_rnglists", ".debug_ranges", ".debug_addr", ".debug_str_offsets"};

/* A copy of the file whose sections are changed in a few places. */
static void mutate(const struct elf_image *whole)
{
	struct elf_image image = {.data = malloc(whole->size), .size = whole->size};
	struct acl_module module = {0};
	struct line_source *lines;
	const char *file;
	int line;

	memcpy((char *)image.data, whole->data, whole->size);
	for (unsigned i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		size_t size = 0;
		char *at = (char *)elf_section(&image, sections[i], &size);

		for (uint64_t n = at && size ? pick(8) : 0; n; n--)
			at[pick(pick(2) && size > 200 ? 200 : size)] = (char)pick(256);
	}
	/* The headers, too: sections that reach beyond the file. */
	for (uint64_t n = pick(2); n; n--)
		((char *)image.data)[image.size - 1 - pick(2000)] = (char)pick(256);
	lines = lines_open(&image, &module);
	for (uint64_t a = 0x1000; a < 0x8000; a += 1 + pick(512))
		lines_find(lines, a, &file, &line);
	free((char *)image.data);
}

int main(int argc, char **argv)
{
	bool good = argc > 1;

	if (argc > 3 && !strcmp(argv[1], "mutate")) {
		for (int i = 3; i < argc; i++) {
			struct elf_image whole;

			if (!elf_image_map(&whole, argv[i]))
				return 1;
			for (int n = atoi(argv[2]); n; n--)
				mutate(&whole);
		}
		puts("ok");
		return 0;
	}
	for (int i = 1; i < argc; i++)
		good &= compare(argv[i]);
	return good ? 0 : 1;
}
