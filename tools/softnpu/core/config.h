/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the software runtime, read once from the environment. */
#ifndef SOFTNPU_CONFIG_H
#define SOFTNPU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAX_DEVICES 64
#define MAX_SLOW_STREAMS 32

enum setting_kind {
	SETTING_INT,
	SETTING_BOOL,
	SETTING_SIZE,
	SETTING_CANN,
	SETTING_RUN_MODE,
	SETTING_STRING,
	SETTING_SIZES, /* of device 0, 1 …; the last one holds for the devices after it */
	SETTING_PEERS, /* all, none, or pairs of devices */
	SETTING_STREAM_TIMES, /* stream:microseconds … */
	SETTING_TASK_OF_DEVICE, /* device:task */
	SETTING_FAULTS /* faults.h */
};

/* Profiles as numbers that compare: CANN 9.1 is 91. */
enum { CANN_8_1 = 81, CANN_8_5 = 85, CANN_9_0 = 90, CANN_9_1 = 91, CANN_9_2 = 92 };

union setting_value {
	int64_t num;
	const char *str;
	int64_t sizes[MAX_DEVICES];
	uint64_t peers[MAX_DEVICES]; /* a bit for each device that this one reaches */
	struct {
		unsigned n;
		struct {
			int id;
			int64_t us;
		} stream[MAX_SLOW_STREAMS];
	} times;
	struct {
		int device; /* -1 = none */
		uint64_t task;
	} task_of;
};

struct npu_config {
#define SETTING(field, env, kind, def, min, max, help) union setting_value field;
#include "tools/softnpu/core/settings.def"
#undef SETTING
};

struct setting {
	const char *env, *def, *help;
	enum setting_kind kind;
	int64_t min, max;
};

extern const struct setting npu_settings[];
extern const unsigned npu_setting_count;

/* Reads the environment at the first call; of a bad value stderr gets a line, and the default holds. No lock
 * needed. */
const struct npu_config *npu_config(void);

/* A numeric setting, a string setting. */
#define CFG(field) (npu_config()->field.num)
#define CFG_STR(field) (npu_config()->field.str)

/* Memory of a device. */
static inline int64_t npu_memory(int device)
{
	return npu_config()->memory.sizes[device];
}

/* Whether two devices can reach each other's memory. */
static inline bool npu_peers(int a, int b)
{
	return npu_config()->peer.peers[a] >> b & 1;
}

/* What a task of this stream takes before its own work. */
int64_t npu_task_us(int stream);

static inline int npu_cann(void)
{
	return (int)CFG(cann);
}

/* Whether the product is of this family: "Ascend310P". */
static inline bool npu_soc(const char *family)
{
	return !strncmp(CFG_STR(soc), family, strlen(family));
}

/* Run mode ACL_DEVICE: the program runs on the device, there is one kind of memory. */
static inline bool npu_on_device(void)
{
	return CFG(run_mode) == 0;
}

/* Parses the text of a setting; false when it is no value of that kind or out of range. */
bool setting_parse(const struct setting *s, const char *text, union setting_value *value);
/* The kinds that are lists. */
bool setting_parse_list(const struct setting *s, const char *text, union setting_value *value);
/* A number, of a size with its unit, up to *end. */
bool setting_parse_number(const struct setting *s, const char *text, int64_t *num, const char **end);

#endif
