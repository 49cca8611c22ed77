/* The recorder of each thread. Grad modes are entered and left in C. CPython runs signal handlers only between
   bytecodes, so an interrupt occurs before or after the switch and cannot leave a mode active.

   A subclass of Switch has a method `_recorders(current)`, which returns the thread's recorders outside and inside the
   mode, or raises. An interrupt during this call is harmless, because nothing has changed yet. At the exit, `_leave()`
   is called if the thread's current recorder is not the inside one. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef _MSC_VER
#define OF_A_THREAD __declspec(thread)
#else
#define OF_A_THREAD _Thread_local
#endif

static OF_A_THREAD PyObject *recorder; /* the recorder of this thread; NULL means `plain` */
static PyObject *plain;
static PyObject *recorders_name, *outside_name, *inside_name, *leave_name;

static PyObject *now(void) { return recorder == NULL ? plain : recorder; }

static void put(PyObject *next) {
    PyObject *old = recorder;
    Py_INCREF(next);
    recorder = next;
    Py_XDECREF(old); /* last: this may run finalizers, which must use the new recorder */
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
    return Py_NewRef(Py_None);
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
    return Py_NewRef(Py_None);
}

static PyObject *leave(PyObject *self, PyObject *ignored) {
    PyObject *inside = PyObject_GetAttr(self, inside_name), *outside, *done;
    (void)ignored;
    if (inside == NULL) return NULL;
    Py_DECREF(inside); /* the attribute keeps it alive */
    if (now() != inside) {
        done = PyObject_CallMethodObjArgs(self, leave_name, NULL);
        if (done == NULL) return NULL;
        Py_DECREF(done);
        return Py_NewRef(Py_None);
    }
    outside = PyObject_GetAttr(self, outside_name);
    if (outside == NULL) return NULL;
    put(outside);
    Py_DECREF(outside);
    return Py_NewRef(Py_None);
}

static PyMethodDef switch_methods[] = {
    {"__enter__", enter, METH_NOARGS, "Set the recorder of the block."},
    {"__exit__", leave, METH_VARARGS, "Restore the recorder outside the block."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {{Py_tp_methods, switch_methods}, {0, NULL}};
static PyType_Spec spec = {"torchlike._native.switch.Switch", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

/* of(plain): set the recorder of threads without modes. */
static PyObject *of(PyObject *module, PyObject *given) {
    PyObject *old = plain;
    (void)module;
    Py_INCREF(given);
    plain = given;
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
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
