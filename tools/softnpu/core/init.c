/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit, aclFinalize and the callbacks around them. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/core/device.h"
#include "tools/softnpu/core/init_config.h"

static struct {
	uint64_t refs;
	bool finalized;
	bool configured; /* a first configuration was taken; it survives aclFinalize */
	uint64_t config_hash;
	struct init_config config; /* the latest */
	unsigned changing; /* aclInit and aclFinalize under way, nested in callbacks */
	pthread_t changed_by;
	struct npu_condition unchanged;
} life;

struct callback {
	struct list link;
	aclRegisterCallbackType type;
	void *fn;
	void *data;
};

static struct list init_callbacks = {&init_callbacks, &init_callbacks};
static struct list finalize_callbacks = {&finalize_callbacks, &finalize_callbacks};

void init_forget(void)
{
	memset(&life, 0, sizeof(life));
	device_set_default(-1);
	npu_keep(init_callbacks.next);
	list_init(&init_callbacks);
	npu_keep(finalize_callbacks.next);
	list_init(&finalize_callbacks);
}

/* One thread at a time begins or ends, with the lock released while callbacks run. */
static aclError init_callbacks_enter(void)
{
	while (life.changing && !pthread_equal(life.changed_by, pthread_self()))
		npu_wait(&life.unchanged, 0);
	life.changed_by = pthread_self();
	life.changing++;
	return ACL_SUCCESS;
}

static aclError leave(aclError rc)
{
	life.changing--;
	npu_changed(&life.unchanged);
	return rc;
}

/* --- callbacks --------------------------------------------------------------------------------- */

/* Callbacks run without the lock; those registered meanwhile are not among them. */
static size_t copy_callbacks(const struct list *from, aclRegisterCallbackType type, struct callback **to)
{
	struct callback *c;
	size_t n = 0;

	npu_lock();
	list_for_each(c, from, link) n++;
	*to = calloc(n + 1, sizeof(**to));
	n = 0;
	if (*to)
		list_for_each(c, from, link) if (c->type == type)(*to)[n++] = *c;
	npu_unlock();
	return n;
}

/* The first that fails ends it: its answer is that of aclInit and aclFinalize. */
static aclError run_callbacks(const struct list *from, aclRegisterCallbackType type)
{
	struct callback *all;
	size_t n = copy_callbacks(from, type, &all);
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < n && !rc; i++)
		rc = from == &init_callbacks
			     ? ((aclInitCallbackFunc)all[i].fn)(life.config.text ? life.config.text : "",
				       life.config.size, all[i].data)
			     : ((aclFinalizeCallbackFunc)all[i].fn)(all[i].data);
	free(all);
	return rc;
}

static aclError run_all(const struct list *from, const aclRegisterCallbackType *types, size_t n)
{
	aclError rc = ACL_SUCCESS;

	for (size_t i = 0; i < n && !rc; i++)
		rc = run_callbacks(from, types[i]);
	return rc;
}

static struct callback *init_find(struct list *in, aclRegisterCallbackType type, void *fn)
{
	struct callback *c;

	list_for_each(c, in, link) if (c->type == type && (!fn || c->fn == fn)) return c;
	return NULL;
}

/* A module has one; others have any number, also of the same. */
static aclError init_add(struct list *to, aclRegisterCallbackType type, void *fn, void *data)
{
	struct callback *c;

	if (type != ACL_REG_TYPE_OTHER && init_find(to, type, NULL))
		return npu_err(ACL_ERROR_INTERNAL_ERROR, "a callback is registered already");
	c = calloc(1, sizeof(*c));
	if (!c)
		return npu_err(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
	c->type = type;
	c->fn = fn;
	c->data = data;
	list_add_tail(to, &c->link);
	return ACL_SUCCESS;
}

static aclError init_drop(struct list *from, aclRegisterCallbackType type, void *fn)
{
	struct callback *c = init_find(from, type, fn);

	if (!c)
		return npu_err(ACL_ERROR_INTERNAL_ERROR, "the callback is not registered");
	list_del(&c->link);
	free(c);
	return ACL_SUCCESS;
}

/* --- begin and end ----------------------------------------------------------------------------- */

static aclError is_initialized(void)
{
	return life.refs ? ACL_ERROR_REPEAT_INITIALIZE : ACL_SUCCESS;
}

/* The configuration of what is to begin. */
static aclError prepare(struct init_config *c)
{
	if (life.refs) {
		life.refs += npu_fact(NPU_INIT_IS_COUNTED); /* the code is the same */
		return npu_err(ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
	}
	free(life.config.text);
	life.config = *c;
	c->text = NULL;
	if (life.configured && life.config_hash != life.config.hash)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the configuration differs from the first one");
	return ACL_SUCCESS;
}

static aclError apply_config(void)
{
	device_set_default(life.config.default_device);
	return ACL_SUCCESS;
}

static aclError begin(void)
{
	life.configured = true;
	life.config_hash = life.config.hash;
	life.refs = 1;
	life.finalized = false;
	return ACL_SUCCESS;
}

static aclError init(const char *path)
{
	static const aclRegisterCallbackType before[] = {
		ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_OP_EXECUTOR};
	static const aclRegisterCallbackType after[] = {ACL_REG_TYPE_ACL_DVPP, ACL_REG_TYPE_OTHER};
	struct init_config config = {.default_device = -1};
	aclError rc = ACL_SUCCESS;

	if (!LOCKED(is_initialized()))
		rc = init_config_read(path, &config);
	if (!rc)
		rc = LOCKED(prepare(&config));
	free(config.text);
	/* What differs from the first one is not looked into. */
	if (!rc)
		rc = init_config_parse(&life.config);
	/* That of operators is for a configuration. */
	if (!rc)
		rc = run_all(&init_callbacks, before, path && *path ? 2 : 1);
	if (!rc)
		rc = LOCKED(apply_config());
	if (!rc)
		rc = run_all(&init_callbacks, after, ARRAY_SIZE(after));
	return rc ? rc : LOCKED(begin());
}

aclError aclInit(const char *configPath)
{
	aclError rc = LOCKED(init_callbacks_enter());

	rc = init(configPath);
	return LOCKED(leave(rc));
}

static aclError over(void)
{
	life.refs = 0;
	life.finalized = true;
	return ACL_SUCCESS;
}

static aclError forget_config(void)
{
	device_set_default(-1);
	return ACL_SUCCESS;
}

/* A callback that fails ends it, and all is as before. */
static aclError end(void)
{
	static const aclRegisterCallbackType before[] = {
		ACL_REG_TYPE_ACL_OP_COMPILER, ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_DVPP};
	static const aclRegisterCallbackType after[] = {ACL_REG_TYPE_OTHER};
	aclError rc = run_all(&finalize_callbacks, before, ARRAY_SIZE(before));

	if (!rc)
		rc = LOCKED(forget_config());
	if (!rc)
		rc = run_all(&finalize_callbacks, after, ARRAY_SIZE(after));
	return rc ? rc : LOCKED(over());
}

static aclError may_end(void)
{
	init_callbacks_enter();
	return life.finalized ? npu_err(ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before")
			      : ACL_SUCCESS;
}

aclError aclFinalize(void)
{
	aclError rc = LOCKED(may_end());

	if (!rc)
		rc = end();
	return LOCKED(leave(rc));
}

/* last: this is the end. */
static aclError put_reference(bool *last)
{
	init_callbacks_enter();
	*last = life.refs == 1;
	if (!life.refs)
		return npu_err(ACL_ERROR_REPEAT_FINALIZE, "aclInit is not in effect");
	life.refs -= !*last;
	return ACL_SUCCESS;
}

static aclError tell_references(uint64_t *left, aclError rc)
{
	if (left)
		*left = life.refs;
	return leave(rc);
}

aclError aclFinalizeReference(uint64_t *refCount)
{
	bool last = false;
	aclError rc = LOCKED(put_reference(&last));

	if (last)
		rc = end();
	return LOCKED(tell_references(refCount, rc));
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
	aclError rc = LOCKED(init_add(&init_callbacks, type, (void *)cbFunc, userData));

	if (rc || !LOCKED(is_initialized()))
		return rc;
	/* The configuration stays while the callback reads it. */
	LOCKED(init_callbacks_enter());
	if (LOCKED(is_initialized()))
		cbFunc(life.config.text ? life.config.text : "", life.config.size, userData);
	return LOCKED(leave(rc));
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
	return LOCKED(init_drop(&init_callbacks, type, (void *)cbFunc));
}

aclError aclFinalizeCallbackRegister(
	aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)
{
	return LOCKED(init_add(&finalize_callbacks, type, (void *)cbFunc, userData));
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
	return LOCKED(init_drop(&finalize_callbacks, type, (void *)cbFunc));
}
