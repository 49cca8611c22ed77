/* Entering and leaving a grad mode as one act each. CPython calls the handlers of signals between bytecodes only, so an
   interrupt comes before or after, and no mode is left behind.

   A subclass has a method `_recorders(current)`: the recorders of its thread outside and inside, or raises. It may be
   interrupted, since nothing is changed yet. `_leave()` is called where the thread has another recorder at the end. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *get, *set; /* of the context variable that holds a thread's recorder */
static PyObject *recorders_name, *outside_name, *inside_name, *leave_name;

static PyObject *enter(PyObject *self, PyObject *ignored) {
    PyObject *now = NULL, *pair = NULL, *token = NULL;
    (void)ignored;
    now = PyObject_CallNoArgs(get);
    if (now == NULL) return NULL;
    pair = PyObject_CallMethodObjArgs(self, recorders_name, now, NULL);
    Py_DECREF(now);
    if (pair == NULL) return NULL;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "_recorders() returns two recorders");
    } else if (PyObject_SetAttr(self, outside_name, PyTuple_GetItem(pair, 0)) == 0 &&
               PyObject_SetAttr(self, inside_name, PyTuple_GetItem(pair, 1)) == 0) {
        token = PyObject_CallFunctionObjArgs(set, PyTuple_GetItem(pair, 1), NULL);
    }
    Py_DECREF(pair);
    if (token == NULL) return NULL;
    Py_DECREF(token);
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *ignored) {
    PyObject *now = PyObject_CallNoArgs(get), *inside = PyObject_GetAttr(self, inside_name), *done = NULL;
    (void)ignored;
    if (now != NULL && inside != NULL) {
        if (now == inside) {
            PyObject *outside = PyObject_GetAttr(self, outside_name);
            if (outside != NULL) done = PyObject_CallFunctionObjArgs(set, outside, NULL);
            Py_XDECREF(outside);
        } else {
            done = PyObject_CallMethodObjArgs(self, leave_name, NULL);
        }
    }
    Py_XDECREF(now);
    Py_XDECREF(inside);
    if (done == NULL) return NULL;
    Py_DECREF(done);
    Py_RETURN_NONE;
}

static PyMethodDef switch_methods[] = {
    {"__enter__", enter, METH_NOARGS, "Put the recorder inside in this thread's place."},
    {"__exit__", leave, METH_VARARGS, "Put the one outside back."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {{Py_tp_methods, switch_methods}, {0, NULL}};
static PyType_Spec spec = {"torchlike._native.switch.Switch", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

/* of(get, set): remember how the recorder of a thread is read and set. */
static PyObject *of(PyObject *module, PyObject *arguments) {
    PyObject *getter, *setter;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &getter, &setter)) return NULL;
    Py_INCREF(getter);
    Py_INCREF(setter);
    Py_XDECREF(get);
    Py_XDECREF(set);
    get = getter, set = setter;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"of", of, METH_VARARGS, "Remember how the recorder of a thread is read and set."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "switch", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_switch(void) {
    PyObject *made = PyModule_Create(&module), *type;
    if (made == NULL) return NULL;
    recorders_name = PyUnicode_InternFromString("_recorders");
    outside_name = PyUnicode_InternFromString("_outside");
    inside_name = PyUnicode_InternFromString("_inside");
    leave_name = PyUnicode_InternFromString("_leave");
    type = PyType_FromSpec(&spec);
    if (type == NULL || PyModule_AddObject(made, "Switch", type) < 0) {
        Py_XDECREF(type);
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
