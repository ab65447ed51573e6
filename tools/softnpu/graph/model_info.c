/* SPDX-License-Identifier: Apache-2.0 */
/* Names and descriptions of models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/graph/model.h"

aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId)
{
	return LOCKED_WITH(model, m, model_find(modelRI, &m), *modelRIId = m->id);
}

aclError aclmdlRISetName(aclmdlRI modelRI, const char *name)
{
	return LOCKED_WITH(
		model, m, model_find_here(modelRI, &m), snprintf(m->name, sizeof(m->name), "%s", name));
}

/* The copy of the name takes no room beyond 2 GiB, and leaves it as it is then. */
static aclError get_name(aclmdlRI handle, uint32_t max, char *name)
{
	struct model *m;
	aclError rc = model_find_here(handle, &m);

	if (!rc && max > INT32_MAX)
		return npu_answer(MODEL_NAME_TOO_LONG, "maxLen is %u", max);
	if (!rc && strlen(m->name) >= max) {
		memset(name, 0, max); /* nothing is copied in part */
		rc = npu_answer(MODEL_NAME_TOO_LONG, "the name has %zu bytes", strlen(m->name) + 1);
	}
	if (!rc)
		snprintf(name, max, "%s", m->name);
	return rc;
}

aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name)
{
	return LOCKED(get_name(modelRI, maxLen, name));
}

static void print_string(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void print_task(FILE *f, const struct op *op, unsigned index, const char *comma)
{
	char more[512] = "";

	if (op->type->describe)
		op->type->describe(op, more, sizeof(more));
	fprintf(f, "%s\n        {\"task_id\": %u, \"type\": \"%s\"%s%s}", comma, index, op->type->name,
		*more ? ", " : "", more);
}

static void print_model(FILE *f, const struct model *m)
{
	static const char *const states[] = {"building", "capturing", "ready", "updating", "fault"};
	const char *comma = "";

	fprintf(f, "{\n  \"model_id\": %u,\n  \"name\": ", m->id);
	print_string(f, m->name);
	fprintf(f, ",\n  \"origin\": \"%s\",\n  \"state\": \"%s\",\n  \"streams\": [",
		m->captured ? "captured" : "built", states[m->state]);
	for (unsigned i = 0; i < m->n_lanes; i++) {
		const struct model_lane *l = &m->lanes[i];
		const char *between = "";

		if (l->unbound)
			continue;
		fprintf(f, "%s\n    {\"stream\": %u, \"starts\": \"%s\", \"tasks\": [", comma, i,
			l->head ? "with the model" : "when activated");
		for (unsigned k = 0; k < l->n; k++) {
			if (model_is_gap(l, k))
				continue;
			print_task(f, l->ops[k], k, between);
			between = ",";
		}
		fprintf(f, "%s]}", l->n ? "\n    " : "");
		comma = ",";
	}
	fprintf(f, "\n  ]\n}\n");
}

/* The description as text; files and logs are written without the lock. */
static aclError model_describe(aclmdlRI handle, char **text, size_t *size)
{
	struct model *m;
	aclError rc = model_find_here(handle, &m);
	FILE *f;

	if (rc)
		return rc;
	f = open_memstream(text, size);
	if (!f)
		return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for the description");
	print_model(f, m);
	fclose(f);
	return ACL_SUCCESS;
}

aclError aclmdlRIDebugPrint(aclmdlRI modelRI)
{
	char *text = NULL;
	size_t size = 0;
	aclError rc = LOCKED(model_describe(modelRI, &text, &size));

	if (!rc) {
		char *rest = text, *line;

		while ((line = strsep(&rest, "\n")))
			npu_log("%s", line);
	}
	free(text);
	return rc;
}

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t flags)
{
	char *text = NULL;
	size_t size = 0;
	aclError rc;
	FILE *f;

	rc = LOCKED(model_describe(modelRI, &text, &size));
	if (!rc) {
		f = fopen(path, "we");
		if (!f || fwrite(text, 1, size, f) != size)
			rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "cannot write %s", path);
		if (f)
			fclose(f);
	}
	free(text);
	return rc;
}
