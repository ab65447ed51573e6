/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/softnpu/core/faults.h"

#include <string.h>
#include <time.h>

#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/softnpu.h"

#define MAX_FAULTS 32
#define MAX_NAME 96
#define MAX_DELAY_NS (UINT64_C(3600) * 1000000000u)

struct fault {
	char function[MAX_NAME]; /* may end in * */
	uint64_t from; /* 0 = each call */
	bool onwards;
	aclError error; /* 0 = the call is made */
	uint64_t delay_ns;
	uint64_t calls; /* so far */
};

struct faults {
	unsigned n;
	struct fault fault[MAX_FAULTS];
};

_Atomic bool npu_faults_on = true;
static struct faults asked_for;
static bool settings_read;

static bool is_about(const struct fault *f, const char *function)
{
	size_t n = strlen(f->function);

	return f->function[n - 1] == '*' ? !strncmp(f->function, function, n - 1)
					 : !strcmp(f->function, function);
}

static bool any_function(const struct fault *f)
{
	for (unsigned i = 0; npu_entries[i]; i++)
		if (is_about(f, npu_entries[i]))
			return true;
	return false;
}

/* --- reading ------------------------------------------------------------------------------ */

/* Digits at *text, 18 at most; *text is behind them then. */
static bool parse_digits(const char **text, uint64_t *number)
{
	size_t n = strspn(*text, "0123456789");

	*number = 0;
	for (size_t i = 0; i < n && i < 18; i++)
		*number = *number * 10 + (uint64_t)((*text)[i] - '0');
	*text += n;
	return n && n <= 18;
}

static bool parse_time(const char **text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t number;

	if (!parse_digits(text, &number))
		return false;
	for (unsigned i = 0; i < ARRAY_SIZE(units); i++)
		if (!strncmp(*text, units[i].name, strlen(units[i].name))) {
			*text += strlen(units[i].name);
			*ns = number * units[i].ns;
			return number <= MAX_DELAY_NS / units[i].ns;
		}
	return false;
}

static bool starts(const char **text, const char *word)
{
	if (strncmp(*text, word, strlen(word)))
		return false;
	*text += strlen(word);
	return true;
}

static bool parse_key(const char **text, struct fault *f)
{
	uint64_t code;

	if (starts(text, "delay="))
		return parse_time(text, &f->delay_ns);
	if (starts(text, "error=")) {
		if (!parse_digits(text, &code) || !code || code > INT32_MAX)
			return false;
		f->error = (aclError)code;
		return true;
	}
	if (!starts(text, "when=") || !parse_digits(text, &f->from) || !f->from)
		return false;
	f->onwards = **text == '+';
	*text += f->onwards;
	return true;
}

static bool parse_fault(const char **text, struct fault *f)
{
	size_t n = strcspn(*text, ":; ");

	memset(f, 0, sizeof(*f));
	if (!n || n >= sizeof(f->function))
		return false;
	memcpy(f->function, *text, n);
	*text += n;
	while (**text == ':') {
		(*text)++;
		if (!parse_key(text, f))
			return false;
	}
	return (f->error || f->delay_ns) && any_function(f);
}

bool faults_parse(const char *list, struct faults *out)
{
	struct fault one;
	unsigned n = 0;

	if (out)
		out->n = 0;
	for (;;) {
		list += strspn(list, "; ");
		if (!*list)
			break;
		if (n == MAX_FAULTS || !parse_fault(&list, &one) || !strchr("; ", *list))
			return false;
		if (out)
			out->fault[n] = one;
		n++;
	}
	if (out)
		out->n = n;
	return true;
}

/* --- deciding ----------------------------------------------------------------------------- */

static void read_setting(void)
{
	if (settings_read)
		return;
	settings_read = true;
	faults_parse(CFG_STR(inject), &asked_for);
	npu_faults_on = asked_for.n > 0;
}

/* Every fault about the function counts the call; the first that chooses it decides. */
static struct fault choose(const char *function)
{
	struct fault chosen = {.error = ACL_SUCCESS};
	bool decided = false;

	read_setting();
	for (unsigned i = 0; i < asked_for.n; i++) {
		struct fault *f = &asked_for.fault[i];

		if (!is_about(f, function))
			continue;
		f->calls++;
		if (decided || (f->from && (f->onwards ? f->calls < f->from : f->calls != f->from)))
			continue;
		chosen = *f;
		decided = true;
	}
	return chosen;
}

void faults_forget(void)
{
	for (unsigned i = 0; i < asked_for.n; i++)
		asked_for.fault[i].calls = 0;
}

aclError npu_fault(const char *function)
{
	struct fault f;

	npu_lock();
	f = choose(function);
	npu_unlock();
	if (f.delay_ns) {
		struct timespec left = {(time_t)(f.delay_ns / 1000000000u), (long)(f.delay_ns % 1000000000u)};

		while (nanosleep(&left, &left))
			;
	}
	return f.error ? npu_err(f.error, "%s was told to fail", function) : ACL_SUCCESS;
}

aclError softnpu_inject(const char *faults)
{
	if (!faults_parse(faults ? faults : "", NULL))
		return npu_err(ACL_ERROR_INVALID_PARAM, "not a list of faults: %s", faults);
	npu_lock();
	settings_read = true;
	faults_parse(faults ? faults : "", &asked_for);
	npu_faults_on = asked_for.n > 0;
	npu_unlock();
	return ACL_SUCCESS;
}
