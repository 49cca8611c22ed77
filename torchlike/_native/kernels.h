/* What the modules with kernels for float32 arrays share: loops that compilers vectorize, and access to buffers. */

#ifndef TORCHLIKE_KERNELS_H
#define TORCHLIKE_KERNELS_H

/* The stable ABI of Python 3.11, the first with the buffer protocol, so that one binary works for all versions. */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <string.h>

/* INLINE forces inlining, because otherwise a WIDE kernel would call a helper that was compiled for the default
 * instruction set. EACH is a loop with independent iterations: its arrays are identical or do not overlap. */
#ifdef __GNUC__ /* and Clang */
#define INLINE static inline __attribute__((always_inline))
#define EACH(i, count) _Pragma("omp simd") for (Py_ssize_t i = 0; i < (count); i++)
#else
#define INLINE static inline
#define EACH(i, count) for (Py_ssize_t i = 0; i < (count); i++)
#endif

/* The choice at load time needs ELF's indirect functions. ARM needs no choice: vectors are part of its baseline. */
#if defined(__x86_64__) && defined(__GLIBC__) && __GNUC__ >= 12 && !defined(__clang__)
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

typedef struct {
    Py_buffer views[6];
    int count;
} Held;

static PyObject *let_go(Held *held) /* release the buffers; return None, or NULL if an error is set */
{
    while (held->count > 0)
        PyBuffer_Release(&held->views[--held->count]);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* Return the memory of a C-contiguous float32 buffer of `*count` numbers. A negative `*count` is set to the length of
 * the buffer. Return NULL if an error is set. */
static float *hold(Held *held, PyObject *object, int flags, Py_ssize_t *count)
{
    Py_buffer *view = &held->views[held->count];
    if (PyErr_Occurred() || PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags) < 0)
        return NULL;
    held->count++;
    Py_ssize_t found = view->len / (Py_ssize_t)sizeof(float);
    *count = *count < 0 ? found : *count;
    if (view->format && strcmp(view->format, "f") == 0 && found == *count)
        return view->buf;
    PyErr_Format(PyExc_ValueError, "expected %zd numbers of float32, got %zd bytes", *count, view->len);
    return NULL;
}

#endif
