/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small `acl` module for Python, with the names and the calling habits of
 * pyACL (addresses are integers, results come as (value, ret)) for the functions
 * that the document's example needs.  It is linked against libascendcl.so as
 * pyACL is.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "acl/acl.h"

static PyObject *result(aclError error)
{
	return PyLong_FromLong(error);
}

static PyObject *with_result(void *address, aclError error)
{
	return Py_BuildValue("(Ki)", (unsigned long long)(uintptr_t)address, error);
}

static void *pointer(unsigned long long value)
{
	return (void *)(uintptr_t)value;
}

static PyObject *py_init(PyObject *self, PyObject *args)
{
	const char *config = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "|z", &config))
		return NULL;
	return result(aclInit(config));
}

static PyObject *py_finalize(PyObject *self, PyObject *args)
{
	(void)self;
	(void)args;
	return result(aclFinalize());
}

static PyObject *rt_set_device(PyObject *self, PyObject *args)
{
	int device;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &device))
		return NULL;
	return result(aclrtSetDevice(device));
}

static PyObject *rt_reset_device(PyObject *self, PyObject *args)
{
	int device;

	(void)self;
	if (!PyArg_ParseTuple(args, "i", &device))
		return NULL;
	return result(aclrtResetDevice(device));
}

static PyObject *rt_get_run_mode(PyObject *self, PyObject *args)
{
	aclrtRunMode mode = ACL_DEVICE;
	aclError error = aclrtGetRunMode(&mode);

	(void)self;
	(void)args;
	return Py_BuildValue("(ii)", (int)mode, error);
}

static PyObject *rt_malloc(PyObject *self, PyObject *args)
{
	unsigned long long size;
	void *address = NULL;
	int policy;

	(void)self;
	if (!PyArg_ParseTuple(args, "Ki", &size, &policy))
		return NULL;
	aclError error = aclrtMalloc(&address, size, policy);
	return with_result(address, error);
}

static PyObject *rt_malloc_host(PyObject *self, PyObject *args)
{
	unsigned long long size;
	void *address = NULL;

	(void)self;
	if (!PyArg_ParseTuple(args, "K", &size))
		return NULL;
	aclError error = aclrtMallocHost(&address, size);
	return with_result(address, error);
}

static PyObject *rt_free(PyObject *self, PyObject *args)
{
	unsigned long long address;

	(void)self;
	if (!PyArg_ParseTuple(args, "K", &address))
		return NULL;
	return result(aclrtFree(pointer(address)));
}

static PyObject *rt_free_host(PyObject *self, PyObject *args)
{
	unsigned long long address;

	(void)self;
	if (!PyArg_ParseTuple(args, "K", &address))
		return NULL;
	return result(aclrtFreeHost(pointer(address)));
}

static PyObject *rt_memset(PyObject *self, PyObject *args)
{
	unsigned long long address, max, count;
	int value;

	(void)self;
	if (!PyArg_ParseTuple(args, "KKiK", &address, &max, &value, &count))
		return NULL;
	return result(aclrtMemset(pointer(address), max, value, count));
}

static PyObject *rt_memcpy(PyObject *self, PyObject *args)
{
	unsigned long long to, max, from, count;
	int kind;

	(void)self;
	if (!PyArg_ParseTuple(args, "KKKKi", &to, &max, &from, &count, &kind))
		return NULL;
	return result(aclrtMemcpy(pointer(to), max, pointer(from), count, kind));
}

static PyObject *rt_create_stream(PyObject *self, PyObject *args)
{
	aclrtStream stream = NULL;
	aclError error = aclrtCreateStream(&stream);

	(void)self;
	(void)args;
	return with_result(stream, error);
}

static PyObject *rt_destroy_stream(PyObject *self, PyObject *args)
{
	unsigned long long stream;

	(void)self;
	if (!PyArg_ParseTuple(args, "K", &stream))
		return NULL;
	return result(aclrtDestroyStream(pointer(stream)));
}

static PyObject *rt_memcpy_async(PyObject *self, PyObject *args)
{
	unsigned long long to, max, from, count, stream;
	int kind;

	(void)self;
	if (!PyArg_ParseTuple(args, "KKKKiK", &to, &max, &from, &count, &kind, &stream))
		return NULL;
	return result(aclrtMemcpyAsync(pointer(to), max, pointer(from), count, kind, pointer(stream)));
}

/* The one call that waits: other Python threads go on meanwhile. */
static PyObject *rt_synchronize_stream(PyObject *self, PyObject *args)
{
	unsigned long long stream;
	aclError error;

	(void)self;
	if (!PyArg_ParseTuple(args, "K", &stream))
		return NULL;
	Py_BEGIN_ALLOW_THREADS error = aclrtSynchronizeStream(pointer(stream));
	Py_END_ALLOW_THREADS return result(error);
}

static PyObject *util_bytes_to_ptr(PyObject *self, PyObject *args)
{
	PyObject *bytes;

	(void)self;
	if (!PyArg_ParseTuple(args, "S", &bytes))
		return NULL;
	return PyLong_FromVoidPtr(PyBytes_AS_STRING(bytes));
}

static PyObject *util_ptr_to_bytes(PyObject *self, PyObject *args)
{
	unsigned long long address, size;

	(void)self;
	if (!PyArg_ParseTuple(args, "KK", &address, &size))
		return NULL;
	return PyBytes_FromStringAndSize(pointer(address), (Py_ssize_t)size);
}

static PyMethodDef rt_methods[] = {
	{"set_device", rt_set_device, METH_VARARGS, NULL},
	{"reset_device", rt_reset_device, METH_VARARGS, NULL},
	{"get_run_mode", rt_get_run_mode, METH_NOARGS, NULL},
	{"malloc", rt_malloc, METH_VARARGS, NULL},
	{"malloc_host", rt_malloc_host, METH_VARARGS, NULL},
	{"free", rt_free, METH_VARARGS, NULL},
	{"free_host", rt_free_host, METH_VARARGS, NULL},
	{"memset", rt_memset, METH_VARARGS, NULL},
	{"memcpy", rt_memcpy, METH_VARARGS, NULL},
	{"memcpy_async", rt_memcpy_async, METH_VARARGS, NULL},
	{"create_stream", rt_create_stream, METH_NOARGS, NULL},
	{"destroy_stream", rt_destroy_stream, METH_VARARGS, NULL},
	{"synchronize_stream", rt_synchronize_stream, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMethodDef util_methods[] = {
	{"bytes_to_ptr", util_bytes_to_ptr, METH_VARARGS, NULL},
	{"ptr_to_bytes", util_ptr_to_bytes, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMethodDef acl_methods[] = {
	{"init", py_init, METH_VARARGS, NULL},
	{"finalize", py_finalize, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef rt_module = {
	PyModuleDef_HEAD_INIT, .m_name = "acl.rt", .m_size = -1, .m_methods = rt_methods};
static struct PyModuleDef util_module = {
	PyModuleDef_HEAD_INIT, .m_name = "acl.util", .m_size = -1, .m_methods = util_methods};
static struct PyModuleDef acl_module = {
	PyModuleDef_HEAD_INIT, .m_name = "acl", .m_size = -1, .m_methods = acl_methods};

static int add_part(PyObject *module, const char *name, struct PyModuleDef *definition)
{
	PyObject *part = PyModule_Create(definition);

	if (!part)
		return -1;
	if (PyModule_AddObject(module, name, part) < 0) {
		Py_DECREF(part);
		return -1;
	}
	return 0;
}

PyMODINIT_FUNC PyInit_acl(void)
{
	PyObject *module = PyModule_Create(&acl_module);

	if (!module)
		return NULL;
	if (add_part(module, "rt", &rt_module) < 0 || add_part(module, "util", &util_module) < 0) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}
