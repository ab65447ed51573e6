/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the metadata of a trace whole?  libbabeltrace2 2.0 reads a file that ends
 * within a metadata packet for ever, so this is checked before.
 */
#include <byteswap.h>
#include <stdint.h>
#include <stdio.h>

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
