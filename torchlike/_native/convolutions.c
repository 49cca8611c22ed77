/* Depthwise convolutions of float32, and the windows of other convolutions. `rows.c` explains how the code is fast.
 *
 * Without these kernels, NumPy passes over the input once for each element of the kernel of a convolution.
 */

#include "kernels.h"

/* Write the sums of `count` channels of one window, whose number is a constant, so that they stay in registers. */
#define WINDOW(count, c)                                                                                               \
    do {                                                                                                               \
        float sums[count] = {0};                                                                                       \
        for (Py_ssize_t i = 0; i < tall; i++)                                                                          \
            for (Py_ssize_t j = 0; j < broad; j++) {                                                                   \
                const float *from = corner + (i * sizes[10] * width + j * sizes[11]) * channels + (c);                 \
                const float *weight = w + (i * broad + j) * channels + (c);                                            \
                EACH(k, count) sums[k] += from[k] * weight[k];                                                         \
            }                                                                                                          \
        memcpy(out + (c), sums, sizeof sums);                                                                          \
    } while (0)

/* A depthwise convolution of (images, height, width, channels) without padding. `sizes` holds images, the height and
 * width of x, those of out, channels, the height and width of w, and the strides and dilations of both dims. */
WIDE static void convolve_channels(const float *x, const float *w, float *out, const Py_ssize_t *sizes)
{
    const Py_ssize_t images = sizes[0], height = sizes[1], width = sizes[2], rows = sizes[3], columns = sizes[4];
    const Py_ssize_t channels = sizes[5], tall = sizes[6], broad = sizes[7];
    for (Py_ssize_t n = 0; n < images; n++, x += height * width * channels)
        for (Py_ssize_t r = 0; r < rows; r++)
            for (Py_ssize_t q = 0; q < columns; q++, out += channels) {
                const float *corner = x + (r * sizes[8] * width + q * sizes[9]) * channels;
                Py_ssize_t c = 0;
                for (; c + 32 <= channels; c += 32)
                    WINDOW(32, c);
                for (; c + 8 <= channels; c += 8)
                    WINDOW(8, c);
                for (; c < channels; c++)
                    WINDOW(1, c);
            }
}

/* Write the windows of a convolution to the rows of out (im2col). `sizes` is that of `convolve_channels`, followed by
 * the zeros before the first row and the first column of x. */
WIDE static void gather_windows(const float *x, float *out, const Py_ssize_t *sizes)
{
    const Py_ssize_t images = sizes[0], height = sizes[1], width = sizes[2], rows = sizes[3], columns = sizes[4];
    const Py_ssize_t channels = sizes[5], tall = sizes[6], broad = sizes[7], apart = sizes[11];
    const size_t bytes = channels * sizeof(float);
    for (Py_ssize_t n = 0; n < images; n++, x += height * width * channels)
        for (Py_ssize_t r = 0; r < rows; r++)
            for (Py_ssize_t q = 0; q < columns; q++) {
                Py_ssize_t left = q * sizes[9] - sizes[13]; /* the column of the window's first element */
                int is_inside = apart == 1 && left >= 0 && left + broad <= width;
                for (Py_ssize_t i = 0; i < tall; i++, out += broad * channels) {
                    Py_ssize_t y = r * sizes[8] + i * sizes[10] - sizes[12];
                    const float *from = x + (y * width + left) * channels;
                    if (y < 0 || y >= height)
                        memset(out, 0, broad * bytes);
                    else if (is_inside)
                        memcpy(out, from, broad * bytes);
                    else
                        for (Py_ssize_t j = 0; j < broad; j++) {
                            Py_ssize_t at = left + j * apart;
                            if (at < 0 || at >= width)
                                memset(out + j * channels, 0, bytes);
                            else
                                memcpy(out + j * channels, from + j * apart * channels, bytes);
                        }
                }
            }
}

/* -- interface to Python ------------------------------------------------------------------------------------------ */

static PyObject *convolve(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given[3];
    Py_ssize_t s[12];
    if (!PyArg_ParseTuple(arguments, "OOO(nnnnnnnnnnnn):convolve", &given[0], &given[1], &given[2], &s[0], &s[1], &s[2],
                          &s[3], &s[4], &s[5], &s[6], &s[7], &s[8], &s[9], &s[10], &s[11]))
        return NULL;
    for (int i = 0; i < 12; i++)
        if (s[i] < 1)
            PyErr_Format(PyExc_ValueError, "expected positive sizes, got %zd", s[i]);
    if ((s[3] - 1) * s[8] + (s[6] - 1) * s[10] >= s[1] || (s[4] - 1) * s[9] + (s[7] - 1) * s[11] >= s[2])
        PyErr_SetString(PyExc_ValueError, "the windows reach beyond the input");
    Py_ssize_t inputs = s[0] * s[1] * s[2] * s[5], weights = s[6] * s[7] * s[5], outputs = s[0] * s[3] * s[4] * s[5];
    float *x = hold(&held, given[0], 0, &inputs), *w = x ? hold(&held, given[1], 0, &weights) : NULL;
    float *out = w ? hold(&held, given[2], PyBUF_WRITABLE, &outputs) : NULL;
    if (out) {
        Py_BEGIN_ALLOW_THREADS
        convolve_channels(x, w, out, s);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *gather(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given[2];
    Py_ssize_t s[14];
    if (!PyArg_ParseTuple(arguments, "OO(nnnnnnnnnnnnnn):gather", &given[0], &given[1], &s[0], &s[1], &s[2], &s[3], &s[4],
                          &s[5], &s[6], &s[7], &s[8], &s[9], &s[10], &s[11], &s[12], &s[13]))
        return NULL;
    for (int i = 0; i < 14; i++)
        if (s[i] < (i < 12))
            PyErr_Format(PyExc_ValueError, "expected positive sizes and padding, got %zd", s[i]);
    Py_ssize_t inputs = s[0] * s[1] * s[2] * s[5], outputs = s[0] * s[3] * s[4] * s[5] * s[6] * s[7];
    float *x = hold(&held, given[0], 0, &inputs), *out = x ? hold(&held, given[1], PyBUF_WRITABLE, &outputs) : NULL;
    if (out) {
        Py_BEGIN_ALLOW_THREADS
        gather_windows(x, out, s);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

/* convolutions.pyi documents these functions. */
static PyMethodDef methods[] = {
    {"convolve", convolve, METH_VARARGS, NULL},
    {"gather", gather, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "convolutions", .m_methods = methods};

PyMODINIT_FUNC PyInit_convolutions(void) { return PyModuleDef_Init(&definition); }
