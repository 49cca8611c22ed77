/* Copies of small data into arrays: lists of Python numbers, and rows of equal arrays.

   NumPy takes a microsecond to make an array from a list and another to cast it. A loader makes two arrays a sample.
   Arrays are seen through the buffer protocol. */

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* Write an exact float or int to a float element. Return 0 for other objects and for ints that are out of range. */
static int as_double(PyObject *x, double *out) {
    if (Py_TYPE(x) == &PyFloat_Type) {
        *out = PyFloat_AsDouble(x);
        return 1;
    }
    if (Py_TYPE(x) != &PyLong_Type) return 0;
    *out = PyLong_AsDouble(x);
    if (*out == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return 1;
}

static int put(char format, void *to, Py_ssize_t i, PyObject *x) {
    double number;
    long long whole;
    int beyond = 0;
    switch (format) {
    case 'f':
        if (!as_double(x, &number)) return 0;
        ((float *)to)[i] = (float)number;
        return 1;
    case 'd': return as_double(x, (double *)to + i);
    case 'l':
    case 'q':
        if (Py_TYPE(x) != &PyLong_Type) return 0;
        whole = PyLong_AsLongLongAndOverflow(x, &beyond);
        ((long long *)to)[i] = whole;
        return !beyond;
    case '?':
        if (Py_TYPE(x) != &PyBool_Type) return 0;
        ((char *)to)[i] = Py_IsTrue(x);
        return 1;
    default: return 0;
    }
}

static int fits(const Py_buffer *out, Py_ssize_t count) {
    const char *format = out->format;
    if (format == NULL || format[0] == 0 || format[1] != 0) return 0;
    if ((format[0] == 'l' || format[0] == 'q') && out->itemsize != sizeof(long long)) return 0;
    return out->len == count * out->itemsize;
}

/* fill(out, numbers): write a list or tuple of numbers to an array, and return True.

   Return False if a number is of another class or out of range; `out` has arbitrary contents then. */
static PyObject *fill(PyObject *module, PyObject *arguments) {
    PyObject *array, *numbers;
    Py_buffer out;
    Py_ssize_t i, count;
    int is_list, done;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &array, &numbers)) return NULL;
    is_list = PyList_Check(numbers);
    if (!is_list && !PyTuple_Check(numbers)) {
        PyErr_SetString(PyExc_ValueError, "fill expects a list or a tuple");
        return NULL;
    }
    if (PyObject_GetBuffer(array, &out, PyBUF_CONTIG | PyBUF_FORMAT) < 0) return NULL;
    count = is_list ? PyList_Size(numbers) : PyTuple_Size(numbers);
    done = fits(&out, count);
    for (i = 0; done && i < count; i++)
        done = put(out.format[0], out.buf, i, is_list ? PyList_GetItem(numbers, i) : PyTuple_GetItem(numbers, i));
    PyBuffer_Release(&out);
    return PyBool_FromLong(done);
}

/* stack(out, arrays): copy a list of C-contiguous arrays into the rows of `out`, which has their total size. */
static PyObject *stack(PyObject *module, PyObject *arguments) {
    PyObject *array, *rows;
    Py_buffer out, row;
    Py_ssize_t i, count, at = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &array, &rows)) return NULL;
    if (!PyList_Check(rows)) {
        PyErr_SetString(PyExc_ValueError, "stack expects a list");
        return NULL;
    }
    if (PyObject_GetBuffer(array, &out, PyBUF_CONTIG) < 0) return NULL;
    count = PyList_Size(rows);
    for (i = 0; i < count; i++) {
        if (PyObject_GetBuffer(PyList_GetItem(rows, i), &row, PyBUF_C_CONTIGUOUS) < 0) break;
        if (row.len > out.len - at) {
            PyBuffer_Release(&row);
            PyErr_SetString(PyExc_ValueError, "the rows are larger than the array");
            break;
        }
        memcpy((char *)out.buf + at, row.buf, (size_t)row.len);
        at += row.len;
        PyBuffer_Release(&row);
    }
    if (i == count && at != out.len) PyErr_SetString(PyExc_ValueError, "the rows are smaller than the array");
    PyBuffer_Release(&out);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"fill", fill, METH_VARARGS, "Write a list or tuple of numbers to an array; return whether all have its class."},
    {"stack", stack, METH_VARARGS, "Copy a list of contiguous arrays into the rows of an array."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "numbers", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_numbers(void) { return PyModule_Create(&module); }
