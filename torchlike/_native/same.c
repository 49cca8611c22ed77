/* Guards of captured graphs. They check that the contents of containers and the values of attributes are unchanged, and
   that there are no other references to objects that are about to be overwritten.

   Before each replay, the guards check some thousand objects, which the previous step has evicted from the processor's
   caches. In Python each check takes 25 to 60 ns. This code prefetches the next objects while it checks the current
   one. It compares identity only; if that fails, the caller compares values. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define AHEAD 8 /* objects; loading one from memory takes about as long as checking this many */

/* Prefetch the first `bytes` of a later object. 192 bytes are three cache lines, for an object with slots; 64 bytes are
   the head of a dict or list. */
static void ask_for(PyObject *list, Py_ssize_t i, Py_ssize_t count, Py_ssize_t bytes) {
#if defined(__GNUC__)
    if (i + AHEAD < count) {
        const char *object = (const char *)PyList_GetItem(list, i + AHEAD);
        for (Py_ssize_t at = 0; at < bytes; at += 64) __builtin_prefetch(object + at);
    }
#endif
}

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

/* hold(containers, seen): return whether dicts and lists have the contents that were recorded in `seen`.

   Both arguments are lists of the same length. `seen` has a tuple for each container: the alternating keys and values
   of a dict, or the elements of a list. */
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
        ask_for(containers, i, count, 64);
        if (!PyTuple_Check(before) || !(is_dict || PyList_Check(one))) {
            PyErr_SetString(PyExc_ValueError, "hold expects dicts and lists, and a tuple for each");
            return NULL;
        }
        if (!(is_dict ? same_dict(one, before) : same_list(one, before))) return Py_NewRef(Py_False);
    }
    return Py_NewRef(Py_True);
}

/* empty(containers): return whether all dicts and lists in a list are empty. */
static PyObject *empty(PyObject *module, PyObject *containers) {
    Py_ssize_t i, count;
    (void)module;
    if (!PyList_Check(containers)) {
        PyErr_SetString(PyExc_ValueError, "empty expects a list");
        return NULL;
    }
    count = PyList_Size(containers);
    for (i = 0; i < count; i++) {
        PyObject *one = PyList_GetItem(containers, i);
        Py_ssize_t size;
        ask_for(containers, i, count, 64);
        size = PyObject_Size(one);
        if (size < 0) return NULL;
        if (size > 0) return Py_NewRef(Py_False);
    }
    return Py_NewRef(Py_True);
}

/* Follow a path of attribute names from an object. Return a new reference. */
static PyObject *followed(PyObject *object, PyObject *path) {
    Py_ssize_t i, length = PyTuple_Size(path);
    Py_INCREF(object);
    for (i = 0; i < length && object != NULL; i++) {
        PyObject *next = PyObject_GetAttr(object, PyTuple_GetItem(path, i));
        Py_DECREF(object);
        object = next;
    }
    return object;
}

/* attributes(objects, path, seen): return whether following `path`, a tuple of attribute names, from each object leads
   to the object at the same index in `seen`. */
static PyObject *attributes(PyObject *module, PyObject *arguments) {
    PyObject *objects, *path, *seen;
    Py_ssize_t i, count;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &objects, &path, &seen)) return NULL;
    if (!PyList_Check(objects) || !PyTuple_Check(path) || !PyList_Check(seen)
        || PyList_Size(objects) != PyList_Size(seen)) {
        PyErr_SetString(PyExc_ValueError, "attributes expects a list, a tuple, and a list as long as the first");
        return NULL;
    }
    count = PyList_Size(objects);
    for (i = 0; i < count; i++) {
        PyObject *now, *object = PyList_GetItem(objects, i), *before = PyList_GetItem(seen, i);
        if (object == NULL || before == NULL) return NULL;
        ask_for(objects, i, count, 192);
        now = followed(object, path);
        if (now == NULL) return NULL;
        Py_DECREF(now); /* only its address is used below */
        if (now != before) return Py_NewRef(Py_False);
    }
    return Py_NewRef(Py_True);
}

/* alone(objects, name, type): return the objects' attributes of this name as a list. Return None if an attribute has
   other references or another type. */
static PyObject *alone(PyObject *module, PyObject *arguments) {
    PyObject *objects, *name, *type, *found;
    Py_ssize_t i, count;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &objects, &name, &type)) return NULL;
    if (!PyList_Check(objects) || !PyUnicode_Check(name) || !PyType_Check(type)) {
        PyErr_SetString(PyExc_ValueError, "alone expects a list, a string and a type");
        return NULL;
    }
    count = PyList_Size(objects);
    found = PyList_New(count);
    for (i = 0; i < count && found != NULL; i++) {
        PyObject *one = NULL, *object = PyList_GetItem(objects, i);
        ask_for(objects, i, count, 192);
        if (object != NULL) one = PyObject_GetAttr(object, name);
        if (one == NULL || PyList_SetItem(found, i, one) < 0) {
            Py_DECREF(found);
            return NULL;
        }
        if (Py_REFCNT(one) > 2 || (PyObject *)Py_TYPE(one) != type) { /* other references */
            Py_DECREF(found);
            return Py_NewRef(Py_None);
        }
    }
    return found;
}

/* assign(columns, done): for each column (objects, name, values), set the attribute of each object. Then append True to
   the list `done`. If all attributes are slots or plain attributes, no Python code runs in between. */
static PyObject *assign(PyObject *module, PyObject *arguments) {
    PyObject *columns, *done;
    Py_ssize_t c, i;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &columns, &done)) return NULL;
    if (!PyTuple_Check(columns) || !PyList_Check(done)) {
        PyErr_SetString(PyExc_ValueError, "assign expects a tuple and a list");
        return NULL;
    }
    for (c = 0; c < PyTuple_Size(columns); c++) {
        PyObject *objects, *name, *values;
        if (!PyArg_ParseTuple(PyTuple_GetItem(columns, c), "O!UO!", &PyList_Type, &objects, &name, &PyList_Type, &values))
            return NULL;
        for (i = 0; i < PyList_Size(objects) && i < PyList_Size(values); i++) {
            ask_for(objects, i, PyList_Size(objects), 64);
            if (PyObject_SetAttr(PyList_GetItem(objects, i), name, PyList_GetItem(values, i)) < 0) return NULL;
        }
    }
    if (PyList_Append(done, Py_True) < 0) return NULL;
    return Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"assign", assign, METH_VARARGS, "Set attributes of many objects without interruption."},
    {"hold", hold, METH_VARARGS, "Return whether dicts and lists have the same contents as before."},
    {"empty", empty, METH_O, "Return whether dicts and lists are empty."},
    {"attributes", attributes, METH_VARARGS, "Return whether attributes are the same objects as before."},
    {"alone", alone, METH_VARARGS, "Return the attributes that have no other reference."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "same", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_same(void) { return PyModule_Create(&module); }
