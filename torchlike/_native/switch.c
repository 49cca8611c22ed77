/* The recorder of each thread. A grad mode is entered and left in C: CPython calls the handlers of signals between
   bytecodes only, so an interrupt comes before or after, and no mode is left behind.

   A subclass has a method `_recorders(current)`: the recorders of its thread outside and inside, or raises. It may be
   interrupted, since nothing is changed yet. `_leave()` is called where the thread has another recorder at the end. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef _MSC_VER
#define OF_A_THREAD __declspec(thread)
#else
#define OF_A_THREAD _Thread_local
#endif

static OF_A_THREAD PyObject *recorder; /* of this thread; NULL is that of a thread without modes */
static PyObject *plain;
static PyObject *recorders_name, *outside_name, *inside_name, *leave_name;

static PyObject *now(void) { return recorder == NULL ? plain : recorder; }

static void put(PyObject *next) {
    PyObject *old = recorder;
    Py_INCREF(next);
    recorder = next;
    Py_XDECREF(old); /* runs finalizers, which find the new one */
}

static PyObject *current(PyObject *module, PyObject *ignored) {
    PyObject *found = now();
    (void)module;
    (void)ignored;
    Py_INCREF(found);
    return found;
}

static PyObject *use(PyObject *module, PyObject *next) {
    (void)module;
    put(next);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *self, PyObject *ignored) {
    PyObject *before = now(), *pair;
    int failed = 1;
    (void)ignored;
    Py_INCREF(before);
    pair = PyObject_CallMethodObjArgs(self, recorders_name, before, NULL);
    Py_DECREF(before);
    if (pair == NULL) return NULL;
    if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "_recorders() returns two recorders");
    } else if (PyObject_SetAttr(self, outside_name, PyTuple_GetItem(pair, 0)) == 0 &&
               PyObject_SetAttr(self, inside_name, PyTuple_GetItem(pair, 1)) == 0) {
        put(PyTuple_GetItem(pair, 1));
        failed = 0;
    }
    Py_DECREF(pair);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, PyObject *ignored) {
    PyObject *inside = PyObject_GetAttr(self, inside_name), *outside, *done;
    (void)ignored;
    if (inside == NULL) return NULL;
    Py_DECREF(inside); /* the attribute holds it */
    if (now() != inside) {
        done = PyObject_CallMethodObjArgs(self, leave_name, NULL);
        if (done == NULL) return NULL;
        Py_DECREF(done);
        Py_RETURN_NONE;
    }
    outside = PyObject_GetAttr(self, outside_name);
    if (outside == NULL) return NULL;
    put(outside);
    Py_DECREF(outside);
    Py_RETURN_NONE;
}

static PyMethodDef switch_methods[] = {
    {"__enter__", enter, METH_NOARGS, "Use the recorder inside."},
    {"__exit__", leave, METH_VARARGS, "Use the recorder outside again."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {{Py_tp_methods, switch_methods}, {0, NULL}};
static PyType_Spec spec = {"torchlike._native.switch.Switch", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

/* of(plain): the recorder of a thread without modes. */
static PyObject *of(PyObject *module, PyObject *given) {
    PyObject *old = plain;
    (void)module;
    Py_INCREF(given);
    plain = given;
    Py_XDECREF(old);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"of", of, METH_O, "Set the recorder of a thread without modes."},
    {"current", current, METH_NOARGS, "Return the recorder of this thread."},
    {"use", use, METH_O, "Set the recorder of this thread."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "switch", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_switch(void) {
    PyObject *made = PyModule_Create(&module), *type;
    if (made == NULL) return NULL;
    plain = Py_None;
    Py_INCREF(plain);
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
