/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the row of interpose/symbolize/python_layout.def that the installed headers of an interpreter give.
 */
#define Py_BUILD_CORE 1
#include <Python.h>
#include <stddef.h>
#include <stdio.h>

#if PY_MINOR_VERSION >= 8
#include "internal/pycore_pystate.h"
#endif
#if PY_MINOR_VERSION >= 11
#include "internal/pycore_frame.h"
#include "internal/pycore_interp.h"
#else
#include "frameobject.h"
#endif

#define AT(type, member) ((int)offsetof(type, member))
#define NONE (-1)

#if PY_MINOR_VERSION >= 11
#define FRAME _PyInterpreterFrame
#define NAME co_qualname
#else
#define FRAME PyFrameObject
#define NAME co_name
#endif

int main(void)
{
	printf("PYTHON_LAYOUT(%d, ", PY_MINOR_VERSION);
#if PY_MINOR_VERSION >= 13
	printf("%d, %d, ", AT(PyThreadState, current_frame), NONE);
#elif PY_MINOR_VERSION >= 11
	printf("%d, %d, ", AT(PyThreadState, cframe), AT(_PyCFrame, current_frame));
#else
	printf("%d, %d, ", AT(PyThreadState, frame), NONE);
#endif
	printf("%d, ", AT(PyThreadState, thread_id));
#if PY_MINOR_VERSION >= 13
	printf("%d, %d, %d, %d, ", AT(FRAME, f_executable), AT(FRAME, previous), AT(FRAME, instr_ptr),
		AT(FRAME, owner));
#elif PY_MINOR_VERSION == 12
	printf("%d, %d, %d, %d, ", AT(FRAME, f_code), AT(FRAME, previous), AT(FRAME, prev_instr),
		AT(FRAME, owner));
#elif PY_MINOR_VERSION == 11
	printf("%d, %d, %d, %d, ", AT(FRAME, f_code), AT(FRAME, previous), AT(FRAME, prev_instr),
		AT(FRAME, is_entry));
#else
	printf("%d, %d, %d, %d, ", AT(FRAME, f_code), AT(FRAME, f_back), AT(FRAME, f_lasti), NONE);
#endif
	printf("%d, %d, %d, ", AT(PyCodeObject, co_firstlineno), AT(PyCodeObject, co_filename),
		AT(PyCodeObject, NAME));
#if PY_MINOR_VERSION >= 11
	printf("%d, %d, ", AT(PyCodeObject, co_linetable), AT(PyCodeObject, co_code_adaptive));
#elif PY_MINOR_VERSION == 10
	printf("%d, %d, ", AT(PyCodeObject, co_linetable), NONE);
#else
	printf("%d, %d, ", AT(PyCodeObject, co_lnotab), NONE);
#endif
#if PY_MINOR_VERSION >= 12
	printf("%d, ", AT(PyCodeObject, co_version));
#else
	printf("%d, ", NONE);
#endif
	printf("%d, %d)\n", (int)sizeof(PyASCIIObject), (int)sizeof(PyCompactUnicodeObject));
	if (AT(PyObject, ob_type) != 8 || AT(PyASCIIObject, length) != 16 || AT(PyASCIIObject, state) != 32 ||
		AT(PyVarObject, ob_size) != 16 || AT(PyBytesObject, ob_sval) != 32)
		printf("objects have other heads\n");
	return 0;
}
