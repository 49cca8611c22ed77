/* Normal numbers from words of random bits by the Box-Muller transform, rounded as in PyTorch's kernels.
 *
 * Blocks of 16 words give 16 numbers: the first 8 words give radii, and the other 8 give angles. The numbers are the
 * radii times the cosines, and then the radii times the sines. The logarithm, cosine and sine of float32 are Cephes'
 * polynomials, and those of float64 are functions of the C library. A fused multiply-add rounds once. Where the
 * processor has no instruction for it, the C library computes it.
 */

#include "kernels.h"
#include <math.h>
#include <stdint.h>

#define HALF 8 /* the number of radii and of angles in a block */

INLINE int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float float_of(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* log(1 - k / 2^24) for an integer k in [0, 2^24) */
INLINE float log_of_complement(int32_t k)
{
    int32_t bits = bits_of((float)((1 << 24) - k));
    int32_t exponent = (bits - 0x3F3504F3) >> 23;        /* the bits of sqrt(1/2) */
    float x = float_of(bits - exponent * (1 << 23)) - 1.0f; /* the mantissa lies in [sqrt(1/2), sqrt(2)) */
    float power = (float)(exponent - 24), square = x * x;
    float p = fmaf(x, 7.0376836292e-2f, -1.1514610310e-1f);
    p = fmaf(x, p, 1.1676998740e-1f);
    p = fmaf(x, p, -1.2420140846e-1f);
    p = fmaf(x, p, 1.4249322787e-1f);
    p = fmaf(x, p, -1.6668057665e-1f);
    p = fmaf(x, p, 2.0000714765e-1f);
    p = fmaf(x, p, -2.4999993993e-1f);
    p = fmaf(x, p, 3.3333331174e-1f);
    float tail = fmaf(p * x, square, power * -2.12194440e-4f); /* ln 2 in two parts */
    tail -= square * 0.5f;                                     /* this product and the next one are exact */
    tail += x;
    return tail + power * 0.693359375f;
}

/* The cosine and the sine of 2 pi k / 2^24 for an integer k in [0, 2^24) */
INLINE void turn(int32_t k, float *cosine, float *sine)
{
    float theta = (float)k * 0x1p-24f * 6.283185307179586f;
    int32_t octant = ((int32_t)(theta * 1.2732395447351628f) + 1) & -2;
    float steps = (float)octant;
    theta = fmaf(steps, -3.77489497744594108e-8f, fmaf(steps, -7.8539812564849853515625e-1f, theta));
    float square = theta * theta;
    float c = fmaf(square, 2.443315711809948e-5f, -1.388731625493765e-3f);
    c = fmaf(square, c, 4.166664568298827e-2f);
    c = fmaf(square, c * square, square * -0.5f) + 1.0f;
    float s = fmaf(square, -1.9515295891e-4f, 8.3321608736e-3f);
    s = fmaf(square, s, -1.6666654611e-1f);
    s = fmaf(theta, s * square, theta);
    int32_t even = bits_of(c), odd = bits_of(s);
    int32_t differ = (even ^ odd) & -((octant >> 1) & 1); /* octants 2 and 6 exchange the two */
    *cosine = float_of(even ^ differ ^ (int32_t)((uint32_t)((octant + 2) & 4) << 29));
    *sine = float_of(odd ^ differ ^ (int32_t)((uint32_t)(octant & 4) << 29));
}

WIDE static void fill_32(const uint32_t *words, float *out, Py_ssize_t blocks, float mean, float std)
{
    for (Py_ssize_t block = 0; block < blocks; block++) {
        const uint32_t *given = words + block * 2 * HALF;
        float *made = out + block * 2 * HALF;
        EACH(i, HALF) {
            float radius = sqrtf(-2.0f * log_of_complement((int32_t)(given[i] & 0xFFFFFF)));
            float cosine, sine;
            turn((int32_t)(given[i + HALF] & 0xFFFFFF), &cosine, &sine);
            made[i] = fmaf(radius * cosine, std, mean);
            made[i + HALF] = fmaf(radius * sine, std, mean);
        }
    }
}

WIDE static void fill_64(const uint64_t *words, double *out, Py_ssize_t blocks, double mean, double std)
{
    const uint64_t mask = ((uint64_t)1 << 53) - 1;
    for (Py_ssize_t block = 0; block < blocks; block++) {
        const uint64_t *given = words + block * 2 * HALF;
        double *made = out + block * 2 * HALF;
        for (Py_ssize_t i = 0; i < HALF; i++) {
            double radius = sqrt(-2.0 * log(1.0 - (double)(given[i] & mask) * 0x1p-53));
            double theta = (double)(given[i + HALF] & mask) * 0x1p-53 * 6.283185307179586;
            made[i] = fma(radius * cos(theta), std, mean);
            made[i + HALF] = fma(radius * sin(theta), std, mean);
        }
    }
}

/* normals.pyi documents this function. */
static PyObject *fill(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given, *made;
    double mean, std;
    if (!PyArg_ParseTuple(arguments, "OOdd:fill", &given, &made, &mean, &std))
        return NULL;
    Py_buffer *words = &held.views[0], *out = &held.views[1];
    if (PyObject_GetBuffer(given, words, PyBUF_C_CONTIGUOUS) < 0)
        return NULL;
    held.count++;
    if (PyObject_GetBuffer(made, out, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE) < 0)
        return let_go(&held);
    held.count++;
    const char *format = out->format ? out->format : "";
    int is_single = strcmp(format, "f") == 0, is_double = strcmp(format, "d") == 0;
    Py_ssize_t blocks = out->len / (2 * HALF * out->itemsize);
    if (!(is_single || is_double) || words->len != out->len || words->itemsize != out->itemsize)
        PyErr_SetString(PyExc_ValueError, "expected float32 or float64, and as many words of the same size");
    else if (blocks * 2 * HALF * out->itemsize != out->len)
        PyErr_SetString(PyExc_ValueError, "expected blocks of 16 numbers");
    else {
        Py_BEGIN_ALLOW_THREADS
        if (is_single)
            fill_32(words->buf, out->buf, blocks, (float)mean, (float)std);
        else
            fill_64(words->buf, out->buf, blocks, mean, std);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyMethodDef methods[] = {
    {"fill", fill, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "normals", .m_methods = methods};

PyMODINIT_FUNC PyInit_normals(void) { return PyModuleDef_Init(&definition); }
