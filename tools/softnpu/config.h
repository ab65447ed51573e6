/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the software runtime, read once from the environment. */
#ifndef SOFTNPU_CONFIG_H
#define SOFTNPU_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum setting_kind { SETTING_INT, SETTING_BOOL, SETTING_SIZE, SETTING_CANN, SETTING_RUN_MODE, SETTING_STRING };

/* Profiles as numbers that compare: CANN 9.1 is 91. */
enum { CANN_8_1 = 81, CANN_8_5 = 85, CANN_9_0 = 90, CANN_9_1 = 91, CANN_9_2 = 92 };

union setting_value {
	int64_t num;
	const char *str;
};

struct npu_config {
#define SETTING(field, env, kind, def, min, max, help) union setting_value field;
#include "settings.def"
#undef SETTING
};

struct setting {
	const char *env, *def, *help;
	enum setting_kind kind;
	int64_t min, max;
};

extern const struct setting npu_settings[];
extern const unsigned npu_setting_count;

/* Reads the environment at the first call; a bad value counts as not given. No lock needed. */
const struct npu_config *npu_config(void);

/* A numeric setting, a string setting. */
#define CFG(field) (npu_config()->field.num)
#define CFG_STR(field) (npu_config()->field.str)

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

#endif
