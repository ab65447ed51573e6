/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a over the parts of a finding's identity, each closed by a NUL. */
#include "interpose/report/fingerprint.h"

#include <string.h>

static void fingerprint_mix(struct fingerprint *f, const char *s, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		f->hash ^= i < n ? (unsigned char)s[i] : 0;
		f->hash *= UINT64_C(0x100000001b3);
	}
}

void fingerprint_begin(struct fingerprint *f, const char *rule, const char *api)
{
	f->hash = UINT64_C(0xcbf29ce484222325);
	f->frames = 0;
	fingerprint_mix(f, rule, strlen(rule));
	fingerprint_mix(f, api, strlen(api));
}

/* What a compiler appends when it clones or splits a function is not its name. */
static size_t plain_length(const char *function)
{
	static const char *const suffix[] = {
		".isra.", ".constprop.", ".part.", ".cold", ".lto_priv.", ".llvm."};
	size_t n = strlen(function);

	for (unsigned i = 0; i < sizeof(suffix) / sizeof(*suffix); i++) {
		const char *at = strstr(function, suffix[i]);

		if (at && (size_t)(at - function) < n)
			n = (size_t)(at - function);
	}
	return n;
}

void fingerprint_frame(struct fingerprint *f, const char *function, const char *module, int stripped)
{
	if (f->frames == FINGERPRINT_FRAMES)
		return;
	f->frames++;
	if (stripped || !function) {
		const char *base = module ? strrchr(module, '/') : NULL;

		base = base ? base + 1 : module ? module : "?";
		fingerprint_mix(f, base, strlen(base));
	}
	if (function)
		fingerprint_mix(f, function, plain_length(function));
}

void fingerprint_end(const struct fingerprint *f, char out[FINGERPRINT_SIZE])
{
	uint64_t h = f->hash;

	/* FNV leaves the last bytes' trace in the low bits only. */
	h ^= h >> 32;
	h *= UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	for (int i = 0; i < 16; i++)
		out[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
	out[16] = '\0';
}
