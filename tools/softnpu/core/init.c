/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit, aclFinalize and the callbacks around them. */
#include <stdlib.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/init_config.h"

static struct {
	uint64_t refs;
	bool finalized;
	bool configured; /* a first configuration was taken; it survives aclFinalize */
	uint64_t config_hash;
} life;

struct callback {
	struct list link;
	int type; /* aclRegisterCallbackType */
	void *fn;
	void *data;
};

static struct list init_callbacks = {&init_callbacks, &init_callbacks};
static struct list finalize_callbacks = {&finalize_callbacks, &finalize_callbacks};

static aclError begin(const struct init_config *c)
{
	if (life.refs) {
		/* The oldest documents allow one call, later ones count; the code is the same. */
		if (npu_cann() != CANN_8_1)
			life.refs++;
		return npu_err(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
	}
	if (life.configured && life.config_hash != c->hash)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the configuration differs from the first one");
	life.configured = true;
	life.config_hash = c->hash;
	life.refs = 1;
	life.finalized = false;
	device_set_default(c->default_device);
	return ACL_SUCCESS;
}

/* Callbacks run without the lock; those registered meanwhile are not among them. */
static size_t copy_callbacks(const struct list *from, struct callback **to)
{
	struct callback *c;
	size_t n = 0;

	npu_lock();
	list_for_each(c, from, link) n++;
	*to = calloc(n + 1, sizeof(**to));
	n = 0;
	if (*to)
		list_for_each(c, from, link)(*to)[n++] = *c;
	npu_unlock();
	return n;
}

static void run_init_callbacks(const struct init_config *config)
{
	struct callback *all;
	size_t n = copy_callbacks(&init_callbacks, &all);

	for (size_t i = 0; i < n; i++)
		((aclInitCallbackFunc)all[i].fn)(config->text, config->size, all[i].data);
	free(all);
}

static void run_finalize_callbacks(void)
{
	struct callback *all;
	size_t n = copy_callbacks(&finalize_callbacks, &all);

	for (size_t i = 0; i < n; i++)
		((aclFinalizeCallbackFunc)all[i].fn)(all[i].data);
	free(all);
}

static aclError is_initialized(void)
{
	return life.refs ? ACL_ERROR_REPEAT_INITIALIZE : ACL_SUCCESS;
}

aclError aclInit(const char *configPath)
{
	struct init_config config = {.default_device = -1};
	aclError rc = ACL_SUCCESS;

	if (!LOCKED(is_initialized()))
		rc = init_config_read(configPath, &config);
	if (!rc)
		rc = LOCKED(begin(&config));
	if (!rc)
		run_init_callbacks(&config);
	free(config.text);
	return rc;
}

static aclError end(bool *teardown)
{
	if (life.finalized)
		return npu_err(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
	life.refs = 0;
	life.finalized = true;
	*teardown = true;
	return ACL_SUCCESS;
}

aclError aclFinalize(void)
{
	bool teardown = false;
	aclError rc = LOCKED(end(&teardown));

	if (teardown)
		run_finalize_callbacks();
	return rc;
}

static aclError end_reference(uint64_t *left, bool *teardown)
{
	aclError rc = ACL_SUCCESS;

	if (life.refs > 1)
		life.refs--;
	else if (!life.refs)
		rc = npu_err(ACL_ERROR_REPEAT_FINALIZE, "aclInit is not in effect");
	else
		rc = end(teardown);
	if (left)
		*left = life.refs;
	return rc;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	bool teardown = false;
	aclError rc = LOCKED(end_reference(refCount, &teardown));

	if (teardown)
		run_finalize_callbacks();
	return rc;
}

static struct callback *find(struct list *in, int type, void *fn)
{
	struct callback *c;

	list_for_each(c, in, link) if (c->type == type && c->fn == fn) return c;
	return NULL;
}

static aclError add(struct list *to, int type, void *fn, void *data)
{
	struct callback *c;

	if (find(to, type, fn))
		return type == ACL_REG_TYPE_OTHER
			       ? npu_answer(INIT_CALLBACK_AGAIN, "the callback is registered already")
			       : npu_err(ACL_ERROR_INTERNAL_ERROR, "the callback is registered already");
	c = calloc(1, sizeof(*c));
	if (!c)
		return npu_err(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
	c->type = type;
	c->fn = fn;
	c->data = data;
	list_add_tail(to, &c->link);
	return ACL_SUCCESS;
}

static aclError drop(struct list *from, int type, void *fn)
{
	struct callback *c = find(from, type, fn);

	if (!c)
		return type == ACL_REG_TYPE_OTHER
			       ? npu_answer(INIT_CALLBACK_UNKNOWN, "the callback is not registered")
			       : npu_err(ACL_ERROR_INTERNAL_ERROR, "the callback is not registered");
	list_del(&c->link);
	free(c);
	return ACL_SUCCESS;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
	aclError rc;

	rc = LOCKED(add(&init_callbacks, (int)type, (void *)cbFunc, userData));
	if (!rc && LOCKED(is_initialized()))
		cbFunc(NULL, 0, userData);
	return rc;
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
	return LOCKED(drop(&init_callbacks, (int)type, (void *)cbFunc));
}

aclError aclFinalizeCallbackRegister(
	aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)
{
	return LOCKED(add(&finalize_callbacks, (int)type, (void *)cbFunc, userData));
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
	return LOCKED(drop(&finalize_callbacks, (int)type, (void *)cbFunc));
}
