/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libdw over files we map ourselves: it gets no descriptor to keep in the
 * guest, never asks a debuginfod server, and is never closed.
 */
#include "interpose/lines.h"

#include <elfutils/libdw.h>
#include <stdatomic.h>

#include "interpose/hidden.h"
#include "interpose/text.h"

static struct {
	unsigned (*elf_version)(unsigned);
	Elf *(*elf_memory)(char *, size_t);
	Dwarf *(*begin_elf)(Elf *, Dwarf_Cmd, Elf_Scn *);
	Dwarf_Die *(*addrdie)(Dwarf *, Dwarf_Addr, Dwarf_Die *);
	int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
	Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	int (*haspc)(Dwarf_Die *, Dwarf_Addr);
	Dwarf_Line *(*getsrc)(Dwarf_Die *, Dwarf_Addr);
	int (*lineno)(Dwarf_Line *, int *);
	const char *(*linesrc)(Dwarf_Line *, Dwarf_Word *, Dwarf_Word *);
} dw;

static _Atomic bool ready;

void lines_prepare(void)
{
	static _Atomic bool tried;
	const struct hidden_name elf[] = {
		{"elf_version", (void **)&dw.elf_version},
		{"elf_memory", (void **)&dw.elf_memory},
	};
	const struct hidden_name dwarf[] = {
		{"dwarf_begin_elf", (void **)&dw.begin_elf},
		{"dwarf_addrdie", (void **)&dw.addrdie},
		{"dwarf_nextcu", (void **)&dw.nextcu},
		{"dwarf_offdie", (void **)&dw.offdie},
		{"dwarf_haspc", (void **)&dw.haspc},
		{"dwarf_getsrc_die", (void **)&dw.getsrc},
		{"dwarf_lineno", (void **)&dw.lineno},
		{"dwarf_linesrc", (void **)&dw.linesrc},
	};
	void *libelf, *libdw;

	if (atomic_exchange(&tried, true))
		return;
	libelf = hidden_open("libelf.so.1");
	libdw = libelf ? hidden_open("libdw.so.1") : NULL;
	if (libdw && hidden_bind(libelf, elf, sizeof(elf) / sizeof(*elf)) &&
		hidden_bind(libdw, dwarf, sizeof(dwarf) / sizeof(*dwarf)) && dw.elf_version(EV_CURRENT))
		atomic_store_explicit(&ready, true, memory_order_release);
}

static Dwarf *open_image(const struct elf_image *image)
{
	/* libelf notes in the private mapping which sections it unpacked. */
	Elf *elf = dw.elf_memory((char *)(uintptr_t)image->data, image->size);

	return elf ? dw.begin_elf(elf, DWARF_C_READ, NULL) : NULL;
}

/* /usr/lib/debug/.build-id/ab/cdef….debug */
static Dwarf *open_separate(const struct acl_module *module)
{
	struct elf_image image;
	char path[96];
	struct text t;

	if (module->build_id_len < 2)
		return NULL;
	text_init(&t, path, sizeof(path));
	text_str(&t, "/usr/lib/debug/.build-id/");
	for (unsigned i = 0; i < module->build_id_len; i++) {
		text_hex_digits(&t, module->build_id[i], 2);
		if (!i)
			text_char(&t, '/');
	}
	text_str(&t, ".debug");
	return elf_image_map(&image, path) ? open_image(&image) : NULL;
}

struct Dwarf *lines_open(const struct elf_image *image, const struct acl_module *module)
{
	Dwarf *d;

	if (!atomic_load_explicit(&ready, memory_order_acquire))
		return NULL;
	d = open_image(image);
	return d ? d : open_separate(module);
}

/* clang writes no .debug_aranges: then the units are asked one by one. */
static Dwarf_Die *unit_of(Dwarf *d, Dwarf_Addr address, Dwarf_Die *die)
{
	Dwarf_Off at = 0, next;
	size_t header;

	if (dw.addrdie(d, address, die))
		return die;
	for (; !dw.nextcu(d, at, &next, &header, NULL, NULL, NULL); at = next)
		if (dw.offdie(d, at + header, die) && dw.haspc(die, address) > 0)
			return die;
	return NULL;
}

bool lines_find(struct Dwarf *dwarf, uint64_t address, const char **file, int *line)
{
	Dwarf_Die die, *unit;
	Dwarf_Line *found;

	if (!dwarf)
		return false;
	unit = unit_of(dwarf, address, &die);
	found = unit ? dw.getsrc(unit, address) : NULL;
	if (!found || dw.lineno(found, line))
		return false;
	*file = dw.linesrc(found, NULL, NULL);
	return *file != NULL;
}
