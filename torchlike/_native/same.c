/* Whether containers hold the very objects that they held before.

   A compiled step looks at what its recording depends on before each run: some hundred dictionaries of modules and
   optimizers, nearly all of them as they were. In Python each object costs 25 ns, here less than 9. Only identity is compared:
   where it fails, the caller looks again, at values. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static int same_dict(PyObject *dict, PyObject *seen) {
    PyObject *key, *value;
    Py_ssize_t position = 0, i = 0;
    if (2 * PyDict_Size(dict) != PyTuple_Size(seen)) return 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
        if (PyTuple_GetItem(seen, i) != key || PyTuple_GetItem(seen, i + 1) != value) return 0;
        i += 2;
    }
    return 1;
}

static int same_list(PyObject *list, PyObject *seen) {
    Py_ssize_t i, count = PyList_Size(list);
    if (count != PyTuple_Size(seen)) return 0;
    for (i = 0; i < count; i++)
        if (PyTuple_GetItem(seen, i) != PyList_GetItem(list, i)) return 0;
    return 1;
}

/* hold(containers, seen): lists of equal length, of dicts and lists, and of a tuple for each: a dict's keys and values
   in turn, or a list's elements. */
static PyObject *hold(PyObject *module, PyObject *arguments) {
    PyObject *containers, *seen;
    Py_ssize_t i, count;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &containers, &seen)) return NULL;
    if (!PyList_Check(containers) || !PyList_Check(seen) || PyList_Size(containers) != PyList_Size(seen)) {
        PyErr_SetString(PyExc_ValueError, "hold expects two lists of equal length");
        return NULL;
    }
    count = PyList_Size(containers);
    for (i = 0; i < count; i++) {
        PyObject *one = PyList_GetItem(containers, i), *before = PyList_GetItem(seen, i);
        int is_dict = PyDict_Check(one);
        if (!PyTuple_Check(before) || !(is_dict || PyList_Check(one))) {
            PyErr_SetString(PyExc_ValueError, "hold expects dicts and lists, and a tuple for each");
            return NULL;
        }
        if (!(is_dict ? same_dict(one, before) : same_list(one, before))) Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

static PyMethodDef methods[] = {
    {"hold", hold, METH_VARARGS, "Whether dicts and lists hold what they held."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "same", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_same(void) { return PyModule_Create(&module); }
