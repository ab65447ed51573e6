/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the metadata of a trace whole?  libbabeltrace2 2.0 reads a file that ends
 * within a metadata packet for ever, so this is checked before.  And which clock is it?
 */
#include <byteswap.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "interpose/common/file_status.h"
#include "tools/aclcheck/trace/summary.h"

#define MAGIC 0x75d11d57u

/* CTF 1.8, 7.1: sizes are in bits. */
struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum, content_size, packet_size;
	uint8_t compression, encryption, checksum_kind, major, minor;
} __attribute__((packed));

static bool packets_whole(FILE *f, uint64_t size)
{
	struct packet_header h;
	uint64_t at = 0;

	while (at < size) {
		bool swapped;

		if (fseeko(f, (off_t)at, SEEK_SET) || fread(&h, sizeof(h), 1, f) != 1)
			return false;
		swapped = h.magic == bswap_32(MAGIC);
		if (h.magic != MAGIC && !swapped)
			return false;
		if (swapped) {
			h.content_size = bswap_32(h.content_size);
			h.packet_size = bswap_32(h.packet_size);
		}
		if (h.packet_size % 8 || h.packet_size / 8 < sizeof(h) || h.content_size > h.packet_size ||
			h.content_size / 8 < sizeof(h) || h.packet_size / 8 > size - at)
			return false;
		at += h.packet_size / 8;
	}
	return true;
}

const char *ctf_metadata_wrong(const char *path)
{
	const char *wrong = NULL;
	uint32_t magic = 0;
	struct stat s;
	FILE *f = fopen(path, "re");

	if (!f || filestat_fd(fileno(f), &s))
		wrong = "cannot be read";
	else if (s.st_size == 0)
		wrong = "is empty";
	else if (fread(&magic, sizeof(magic), 1, f) == 1 && (magic == MAGIC || magic == bswap_32(MAGIC)) &&
		 !packets_whole(f, (uint64_t)s.st_size))
		wrong = "is cut off or damaged";
	if (f)
		fclose(f);
	return wrong;
}

/* Where the value of a key is, up to the end of the text. */
static const char *value_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

/* LTTng writes it in front, before anything that is long. */
void ctf_clock(const char *directory, struct ctf_clock *clock)
{
	char path[4096 + 16], text[16384];
	const char *block, *boot, *offset;
	size_t n;
	FILE *f;

	*clock = (struct ctf_clock){.boot = ""};
	snprintf(path, sizeof(path), "%s/metadata", directory);
	f = fopen(path, "re");
	if (!f)
		return;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	for (size_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	block = value_of(text, "\nclock {");
	boot = block ? value_of(block, "uuid = \"") : NULL;
	offset = block ? value_of(block, "offset = ") : NULL;
	if (boot && offset && strstr(block, "freq = 1000000000;") &&
		sscanf(offset, "%" SCNd64 ";", &clock->offset) == 1)
		sscanf(boot, "%36[0-9a-f-]\"", clock->boot);
}
