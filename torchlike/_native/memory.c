/* Mappings of files that are unmapped in C when their last reference dies. A finalizer in Python could run a signal
   handler, and CPython would discard the handler's exception, such as KeyboardInterrupt. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>

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

static void release(PyObject *capsule) {
    Mapping *mapping = PyCapsule_GetPointer(capsule, NAME);
    if (mapping == NULL) return;
#ifndef _WIN32
    munmap(mapping->address, mapping->nbytes);
#endif
    close_handle(mapping);
    PyMem_Free(mapping);
}

/* map(handle, nbytes, flags) -> (mapping, address). The mapping owns the handle; if it cannot be made, it is closed. */
static PyObject *map(PyObject *module, PyObject *args) {
    Mapping *mapping;
    PyObject *capsule;
    Py_ssize_t nbytes;
    int handle, flags;
    (void)module;
    if (!PyArg_ParseTuple(args, "ini", &handle, &nbytes, &flags)) return NULL;
    mapping = PyMem_Malloc(sizeof(Mapping));
    if (mapping == NULL) return PyErr_NoMemory();
    mapping->nbytes = (size_t)nbytes;
    mapping->handle = handle;
#ifdef _WIN32
    errno = ENOSYS;
    mapping->address = NULL;
    if (1) {
#else
    mapping->address = mmap(NULL, mapping->nbytes, PROT_READ | PROT_WRITE, flags, handle, 0);
    if (mapping->address == MAP_FAILED) {
#endif
        PyErr_SetFromErrno(PyExc_OSError);
        close_handle(mapping);
        PyMem_Free(mapping);
        return NULL;
    }
    capsule = PyCapsule_New(mapping, NAME, release);
    if (capsule == NULL) {
#ifndef _WIN32
        munmap(mapping->address, mapping->nbytes);
#endif
        close_handle(mapping);
        PyMem_Free(mapping);
        return NULL;
    }
    return Py_BuildValue("NN", capsule, PyLong_FromVoidPtr(mapping->address));
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
