/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the settings: what the environment said at load, then the configuration file. */
#include "interpose/config/run_settings.h"
#include "interpose/common/rule_switches.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "interpose/common/suppression.h"
#include "interpose/common/text.h"
#include "interpose/common/utc.h"
#include "interpose/config/config_file.h"
#include "interpose/config/run_membership.h"

#define ENV_MAX 32
#define TEXT_MAX 16384
#define PROBLEMS_MAX 16
#define RULES_MAX 4096

static struct {
	bool early;
	unsigned n_env;
	struct {
		const char *name, *value; /* name without ACLCHECK_ */
	} env[ENV_MAX];
	char cwd[4096];
	char text[TEXT_MAX]; /* all strings, one after the other */
	size_t text_len;
	const char *value[SETTING_COUNT];
	int64_t number[SETTING_COUNT];
	uint8_t rules[RULES_MAX];
	bool rules_set;
	struct fault_rules faults;
	char problem[PROBLEMS_MAX][320];
	unsigned n_problems;
} set;

static const char *setting_keep(const char *s, size_t n)
{
	char *at = set.text + set.text_len;

	if (n + 1 > TEXT_MAX - set.text_len)
		return NULL;
	memcpy(at, s, n);
	at[n] = '\0';
	set.text_len += n + 1;
	return at;
}

/* Names in the same style that the build and its tests hand around. */
static bool is_foreign(const char *name)
{
	static const char *const prefix[] = {"BUILD", "SOURCE", "TEST_", "SIMULATE_"};

	for (unsigned i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

void settings_early(void)
{
	static const char prefix[] = "ACLCHECK_";
	size_t n = sizeof(prefix) - 1;

	if (set.early)
		return;
	set.early = true;
	if (getauxval(AT_SECURE) || !environ)
		return;
	for (char **e = environ; *e; e++) {
		const char *eq;

		if (strncmp(*e, prefix, n) || !(eq = strchr(*e, '=')) || !eq[1])
			continue;
		if (set.n_env == ENV_MAX)
			break;
		if (is_foreign(*e + n))
			continue;
		set.env[set.n_env].name = setting_keep(*e + n, (size_t)(eq - *e) - n);
		set.env[set.n_env].value = setting_keep(eq + 1, strlen(eq + 1));
		if (set.env[set.n_env].name && set.env[set.n_env].value)
			set.n_env++;
		else
			settings_complain("environment: the ACLCHECK_ variables are too long");
	}
	if (set.n_env && !getcwd(set.cwd, sizeof(set.cwd)))
		set.cwd[0] = '\0';
}

const char *settings_given(const char *name)
{
	for (unsigned i = 0; i < set.n_env; i++)
		if (!strcmp(set.env[i].name, name))
			return set.env[i].value;
	return NULL;
}

void settings_complain(const char *line)
{
	struct text t;

	if (set.n_problems == PROBLEMS_MAX)
		return;
	text_init(&t, set.problem[set.n_problems++], sizeof(set.problem[0]));
	text_safe(&t, line, sizeof(set.problem[0]));
}

mode_t settings_file_mode(void)
{
	return settings_number(SETTING_REPORT_MODE) ? 0600 : 0666;
}

const char *settings_problem(unsigned i)
{
	return i < set.n_problems ? set.problem[i] : NULL;
}

/* "WHERE: unknown setting KEY; did you mean NEAR?" */
static void complain_unknown(const char *where, const char *key)
{
	int near = setting_near(key, strlen(key));
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s: unknown setting '%s'", where, key);
	if (near >= 0)
		text_fmt(&t, "; did you mean '%s'?", setting_table[near].word);
	settings_complain(line);
}

static void complain_value(const char *where, enum setting s, const char *value, const char *what)
{
	const struct setting_info *info = &setting_table[s];
	char line[512];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_fmt(&t, "%s: %s: '%s' %s", where, info->word, value, what);
	if (info->kind == SETTING_CHOICE || info->kind == SETTING_NUMBER || info->kind == SETTING_PRODUCT)
		text_str(&t, info->argument);
	settings_complain(line);
}

static void set_rules(const char *where, const char *value)
{
	const char *bad;
	size_t len = 0;
	char word[64];

	if (acl_rule_count > RULES_MAX)
		return;
	set.rules_set = true;
	bad = settings_rules(value, set.rules, &len);
	if (!bad)
		return;
	len = len < sizeof(word) - 1 ? len : sizeof(word) - 1;
	memcpy(word, bad, len);
	word[len] = '\0';
	complain_value(where, SETTING_RULES, word, "names no rule, family, severity or tier");
}

static void set_faults(const char *where, const char *value)
{
	const char *bad, *wrong;
	size_t len;
	char word[64];

	wrong = fault_rules_parse(value, &set.faults, &bad, &len);
	if (!wrong)
		return;
	len = len < sizeof(word) - 1 ? len : sizeof(word) - 1;
	memcpy(word, bad, len);
	word[len] = '\0';
	complain_value(where, SETTING_INJECT, word, wrong);
}

/* One word from one place; the first place that gives a value wins. */
static void settings_give(const char *where, const char *word, const char *value)
{
	int s = setting_find(word, strlen(word));
	const char *wrong;
	int64_t number;

	if (s < 0) {
		complain_unknown(where, word);
		return;
	}
	if (set.value[s] || !*value)
		return;
	wrong = setting_check((enum setting)s, value, &number);
	if (wrong) {
		complain_value(where, (enum setting)s, value, wrong);
		return;
	}
	set.value[s] = setting_keep(value, strlen(value));
	set.number[s] = number;
	if (setting_table[s].kind == SETTING_RULES_LIST && set.value[s])
		set_rules(where, value);
	if (setting_table[s].kind == SETTING_FAULTS_LIST && set.value[s])
		set_faults(where, value);
}

static void set_defaults(void)
{
	for (unsigned s = 0; s < SETTING_COUNT; s++) {
		if (set.value[s])
			continue;
		set.value[s] = setting_table[s].dflt;
		if (setting_check((enum setting)s, set.value[s], &set.number[s]))
			set.number[s] = -1;
	}
}

static void load_suppressions(void)
{
	char path[4096], today[UTC_SIZE];

	utc_now(today);
	today[sizeof("2026-11-21") - 1] = '\0';
	settings_path(settings_text(SETTING_SUPPRESS), path, sizeof(path));
	suppress_load(path, today, settings_complain);
}

/* The environment, where it says something, comes before what the run was started with. */
static void join_run(void)
{
	if (!*run_directory())
		return;
	set.value[SETTING_JOB] = run_job();
	set.value[SETTING_RUN] = run_directory();
	run_each_setting(settings_give);
}

static void read_config(void)
{
	char path[4096];

	settings_path(set.value[SETTING_CONFIG], path, sizeof(path));
	config_read(path, settings_give, settings_complain);
}

static void load(void)
{
	bool own;

	settings_early();
	for (unsigned i = 0; i < set.n_env; i++)
		settings_give("environment", set.env[i].name, set.env[i].value);
	own = set.value[SETTING_CONFIG];
	if (own)
		read_config();
	join_run();
	if (!own && set.value[SETTING_CONFIG])
		read_config();
	set_defaults();
	if (*settings_text(SETTING_SUPPRESS))
		load_suppressions();
}

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void settings_forked(void)
{
	run_membership_forked();
	pthread_mutex_init(&loading, NULL);
}

void settings_load(void)
{
	static _Atomic bool loaded;
	int saved = errno;

	if (atomic_load_explicit(&loaded, memory_order_acquire))
		return;
	pthread_mutex_lock(&loading);
	if (!atomic_load(&loaded))
		load();
	atomic_store_explicit(&loaded, true, memory_order_release);
	pthread_mutex_unlock(&loading);
	errno = saved;
}

const char *settings_text(enum setting s)
{
	return set.value[s] ? set.value[s] : "";
}

int64_t settings_number(enum setting s)
{
	return set.number[s];
}

bool settings_report_wanted(void)
{
	return *settings_text(SETTING_REPORT) || *run_directory();
}

void settings_path(const char *path, char *out, size_t cap)
{
	struct text t;

	text_init(&t, out, cap);
	if (*path != '/' && *set.cwd)
		text_fmt(&t, "%s/", set.cwd);
	text_str(&t, path);
}

bool settings_stacks_all(void)
{
	return settings_number(SETTING_STACKS) == 1;
}

/* The choices of target_cann are two words and then the releases in the order of enum acl_cann. */
void settings_checks(struct checks_config *out)
{
	int64_t target = settings_number(SETTING_TARGET_CANN);

	memset(out, 0, sizeof(*out));
	out->target = target <= 0   ? CHECKS_TARGET_DOCUMENTS
		      : target == 1 ? CHECKS_TARGET_AUTO
				    : (int)(ACL_CANN_8_1 + target - 2);
	out->soc = *settings_text(SETTING_SOC) ? settings_text(SETTING_SOC) : NULL;
	out->visible_devices = getenv("ASCEND_RT_VISIBLE_DEVICES");
	out->stacks_all = settings_stacks_all();
	out->rule_default = set.rules_set ? set.rules : NULL;
}

const struct fault_rules *settings_faults(void)
{
	return &set.faults;
}
