/* Mappings of files that are unmapped in C when their last reference dies. A finalizer in Python could run a signal
   handler, and CPython would discard the handler's exception, such as KeyboardInterrupt. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

typedef struct {
    void *address;
    size_t nbytes;
    int handle; /* -1 after `close` */
} Mapping;

static const char NAME[] = "torchlike mapping";

static void close_handle(Mapping *mapping) {
#ifndef _WIN32
    if (mapping->handle >= 0) close(mapping->handle);
#endif
    mapping->handle = -1;
}

static void unmap(Mapping *mapping) {
#ifndef _WIN32
    if (mapping->address != NULL) munmap(mapping->address, mapping->nbytes);
#endif
    close_handle(mapping);
}

static void release(PyObject *capsule) {
    Mapping *mapping = PyCapsule_GetPointer(capsule, NAME);
    if (mapping == NULL) return;
    unmap(mapping);
    PyMem_Free(mapping);
}

/* Map the file. Return NULL with an exception set if that fails. */
static void *address_of(int handle, Py_ssize_t nbytes, int flags) {
#ifdef _WIN32
    (void)handle, (void)nbytes, (void)flags;
    PyErr_SetString(PyExc_OSError, "files are not mapped on Windows");
    return NULL;
#else
    void *found = mmap(NULL, (size_t)nbytes, PROT_READ | PROT_WRITE, flags, handle, 0);
    if (found != MAP_FAILED) return found;
    PyErr_SetFromErrno(PyExc_OSError);
    return NULL;
#endif
}

/* map(handle, nbytes, flags) -> (mapping, address). The mapping owns the handle, which is closed if there is an error. */
static PyObject *map(PyObject *module, PyObject *args) {
    Mapping made = {NULL, 0, -1}, *mapping;
    PyObject *capsule = NULL;
    Py_ssize_t nbytes;
    int flags;
    (void)module;
    if (!PyArg_ParseTuple(args, "ini", &made.handle, &nbytes, &flags)) return NULL;
    made.nbytes = (size_t)nbytes;
    mapping = PyMem_Malloc(sizeof(Mapping));
    if (mapping == NULL) {
        PyErr_NoMemory();
    } else if ((made.address = address_of(made.handle, nbytes, flags)) != NULL) {
        *mapping = made;
        capsule = PyCapsule_New(mapping, NAME, release);
    }
    if (capsule == NULL) {
        unmap(&made);
        PyMem_Free(mapping);
        return NULL;
    }
    return Py_BuildValue("NN", capsule, PyLong_FromVoidPtr(made.address));
}

/* close(mapping): close the handle. The memory stays mapped. */
static PyObject *close_mapping(PyObject *module, PyObject *capsule) {
    Mapping *mapping = PyCapsule_GetPointer(capsule, NAME);
    (void)module;
    if (mapping == NULL) return NULL;
    close_handle(mapping);
    return Py_NewRef(Py_None);
}

static PyMethodDef METHODS[] = {
    {"map", map, METH_VARARGS, "Map a file. Return the mapping and its address."},
    {"close", close_mapping, METH_O, "Close the handle of a mapping."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "memory", NULL, -1, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_memory(void) { return PyModule_Create(&MODULE); }
