/* SPDX-License-Identifier: Apache-2.0 */
/* What a report says of the run as a whole: which command, of which revision, and how it ended. */
#include "tools/aclcheck/run/run.h"

#include <sys/wait.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/report/report.h"

/* Arguments may be any bytes; JSON wants good UTF-8. */
static json_t *safe_words(char *const *argv)
{
	json_t *list = json_array();
	char word[4096];
	struct text t;

	for (; *argv; argv++) {
		text_init(&t, word, sizeof(word));
		text_safe(&t, *argv, sizeof(word) / 4 - 1);
		json_array_append_new(list, json_string(word));
	}
	return list;
}

static json_t *when(time_t t)
{
	char text[32];

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
	return json_string(text);
}

json_t *run_record(char *const *argv, int status, time_t started)
{
	json_t *record = json_pack("{s:s, s:o, s:o, s:o}", "checker", ACLCHECK_VERSION, "command",
		safe_words(argv), "started", when(started), "ended", when(time(NULL)));

	if (WIFSIGNALED(status))
		json_object_set_new(record, "signal", json_integer(WTERMSIG(status)));
	else
		json_object_set_new(record, "exit_status", json_integer(WEXITSTATUS(status)));
	if (*repository_revision())
		json_object_set_new(record, "revision", json_string(repository_revision()));
	return record;
}
