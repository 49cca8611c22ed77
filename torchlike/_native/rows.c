/* Activations, softmax, layer norm, sums, scales and biases of float32, each in few passes through memory, and selection
 * by a mask.
 *
 * NumPy interprets forward work that is not compiled. It passes over its arrays once for each arithmetic operation and
 * has an overhead for each row: GELU took six times as long as in PyTorch, and adding a bias took three times as long
 * as this kernel. An interpreted network spends most of its time in these kernels and in matrix products.
 * The kernels are optional. Without a C compiler, NumPy formulas in torchlike/_ops do the same.
 *
 * The code is fast without using a specific instruction set:
 *   - every loop is plain C over independent numbers, so compilers vectorize it;
 *   - exp and the normal distribution are polynomials, because a call into the C library would prevent vectorization;
 *   - sums and maxima use LANES partial results, because a compiler may not reorder a single sum (-ffast-math would
 *     allow it, but breaks NaN and infinity);
 *   - WIDE compiles a kernel for three instruction sets; the loader of the module chooses the best for the processor.
 */

#include "kernels.h"
#include <math.h>
#include <stdint.h>

#define LANES 16 /* floats in the widest vector registers; narrower registers need two or four operations */

INLINE float larger(float a, float b) { return a > b ? a : b; } /* returns b if a or b is NaN */

/* exp(x) for x <= 0, accurate to 1 unit in the last place. Subnormal results become 0, as in XLA. With x = n ln 2 + r
 * and |r| <= ln(2) / 2, the result is 2^n exp(r). */
INLINE float exponential(float x)
{
    const float to_whole = 12582912.0f; /* 1.5 * 2^23; adding it rounds to an integer n in the low bits of the sum */
    float rounded = x * 1.44269504f + to_whole;
    float n = rounded - to_whole;
    float r = x - n * 0.693359375f; /* ln 2 in two parts; the first has few digits, so its product is exact */
    r = r - n * -2.12194440e-4f;

    float p = 0.00138145988f; /* (exp(r) - 1 - r) / r^2, fitted by weighted least squares */
    p = p * r + 0.00836871658f;
    p = p * r + 0.041668389f;
    p = p * r + 0.166665211f;
    p = p * r + 0.49999994f;
    p = p * (r * r) + r + 1.0f;

    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    bits = (bits << 23) + 0x3F800000; /* n in the exponent field, added to the exponent of 1.0 */
    float power;
    memcpy(&power, &bits, sizeof power);
    return x < -87.33654f ? 0.0f : p * power; /* NaN fails the comparison and is kept */
}

/* x times the normal distribution function at x, which is 1/2 + x g(x^2). g is smooth, so its polynomial in s, a
 * variable in [-1, 1], has small coefficients and small rounding errors. The distribution function is accurate to 1e-7,
 * like PyTorch's, which uses erf. */
INLINE float gaussian_unit(float x)
{
    const float end = 5.5f; /* beyond it, the distribution function rounds to 0 or 1 */
    float s = x * x * (2.0f / (5.5f * 5.5f)) - 1.0f;
    float g = 9.85526713e-05f;
    g = g * s - 0.000275896542f; g = g * s + 0.00025713467f;
    g = g * s - 0.00039098307f; g = g * s + 0.00129639555f;
    g = g * s - 0.00261102826f; g = g * s + 0.00416135369f;
    g = g * s - 0.00668429397f; g = g * s + 0.0104309032f;
    g = g * s - 0.0150499186f; g = g * s + 0.0203161202f;
    g = g * s - 0.0260385573f; g = g * s + 0.032075908f;
    g = g * s - 0.0387935936f; g = g * s + 0.0477373786f;
    g = g * s - 0.0641723201f; g = g * s + 0.12855193f;
    float below = x * g + 0.5f;
    below = x > end ? 1.0f : below;
    below = x < -end ? 0.0f : below;
    return x * below;
}

/* The pairwise sum of LANES partial sums, as accurate as NumPy's sums. */
INLINE float total_of(const float *parts)
{
    float eight[8], four[4];
    EACH(i, 8) eight[i] = parts[i] + parts[i + 8];
    EACH(i, 4) four[i] = eight[i] + eight[i + 4];
    return (four[0] + four[2]) + (four[1] + four[3]);
}

INLINE float most_of(const float *parts)
{
    float eight[8], four[4];
    EACH(i, 8) eight[i] = larger(parts[i], parts[i + 8]);
    EACH(i, 4) four[i] = larger(eight[i], eight[i + 4]);
    return larger(larger(four[0], four[2]), larger(four[1], four[3]));
}

/* x / (1 + exp(-x)). The exponential is that of -|x|, so it does not overflow. */
INLINE float sigmoid_unit(float x)
{
    float below = exponential(-fabsf(x));
    return x * (x < 0.0f ? below : 1.0f) / (1.0f + below);
}

/* x min(max(x + 3, 0), 6) / 6 */
INLINE float hard_unit(float x)
{
    float inside = x + 3.0f;
    inside = inside < 0.0f ? 0.0f : inside;
    inside = inside > 6.0f ? 6.0f : inside;
    return x * inside / 6.0f;
}

#define ALL(name, function)                                                                                            \
    WIDE static void name##_all(const float *x, float *out, Py_ssize_t count)                                          \
    {                                                                                                                  \
        EACH(i, count) out[i] = function(x[i]);                                                                        \
    }
ALL(gelu, gaussian_unit)
ALL(silu, sigmoid_unit)
ALL(hardswish, hard_unit)

/* The softmax of the first `seen` numbers of a row.
 *
 * The last block of LANES is loaded before anything is written. It overlaps the previous block instead of exceeding the
 * row, so no scalar loop is needed for the remainder: most rows of a causal matrix are short. Its elements beyond
 * `seen` count as -inf and become 0. Its elements that are also in the previous block are not added twice. A NaN may be
 * missing from the maximum, but its exponential is NaN, so the sum and the row become NaN. */
INLINE void softmax_row(const float *x, float *out, Py_ssize_t columns, Py_ssize_t seen, int none_is_zero)
{
    float end[LANES] = {0.0f}, parts[LANES], made[LANES];
    Py_ssize_t whole = (seen - 1) / LANES * LANES;
    Py_ssize_t last = whole + LANES <= columns ? whole : columns >= LANES ? columns - LANES : 0;
    Py_ssize_t first = whole - last, stop = seen - last;
    if (columns >= LANES)
        memcpy(end, x + last, sizeof end);
    else
        for (int i = 0; i < columns; i++)
            end[i] = x[i];
    EACH(i, LANES) parts[i] = end[i] = i < stop ? end[i] : -INFINITY;
    for (Py_ssize_t start = 0; start < whole; start += LANES)
        EACH(i, LANES) parts[i] = larger(x[start + i], parts[i]);
    float top = most_of(parts);
    top = none_is_zero && top == -INFINITY ? 0.0f : top;

    EACH(i, LANES) end[i] = exponential(end[i] - top);
    EACH(i, LANES) parts[i] = i >= first ? end[i] : 0.0f;
    for (Py_ssize_t start = 0; start < whole; start += LANES) {
        EACH(i, LANES) made[i] = exponential(x[start + i] - top);
        EACH(i, LANES) parts[i] += made[i];
        memcpy(out + start, made, sizeof made);
    }
    float total = total_of(parts);
    float scale = none_is_zero && total == 0.0f ? 0.0f : 1.0f / total;
    EACH(i, LANES) end[i] *= scale;
    EACH(i, whole) out[i] *= scale;
    if (columns >= LANES)
        memcpy(out + last, end, sizeof end); /* constant size: one store */
    else
        memcpy(out, end, (size_t)columns * sizeof *end);
}

WIDE static void softmax_rows(const float *x, float *out, Py_ssize_t rows, Py_ssize_t columns, Py_ssize_t causal_rows,
                              int none_is_zero)
{
    Py_ssize_t place = 0; /* the index of the row in its matrix */
    for (Py_ssize_t row = 0; row < rows; row++, x += columns, out += columns) {
        Py_ssize_t seen = causal_rows && place < columns ? place + 1 : columns;
        softmax_row(x, out, columns, seen, none_is_zero);
        for (Py_ssize_t i = seen; i < columns; i++)
            out[i] = 0.0f;
        place = place + 1 < causal_rows ? place + 1 : 0;
    }
}

/* Compute the mean first, then the deviations from it. Sums of x and x^2 would lose all digits if the mean is large. */
WIDE static void standardize_rows(const float *x, float *out, float *mean, float *squares, Py_ssize_t rows,
                                  Py_ssize_t columns, float eps, const float *weight, const float *bias)
{
    Py_ssize_t whole = columns / LANES * LANES;
    for (Py_ssize_t row = 0; row < rows; row++, x += columns, out += columns) {
        float sums[LANES] = {0.0f}, parts[LANES] = {0.0f};
        for (Py_ssize_t start = 0; start < whole; start += LANES)
            EACH(i, LANES) sums[i] += x[start + i];
        for (Py_ssize_t i = whole; i < columns; i++)
            sums[i - whole] += x[i];
        float middle = mean[row] = total_of(sums) / (float)columns;

        for (Py_ssize_t start = 0; start < whole; start += LANES)
            EACH(i, LANES) parts[i] += (x[start + i] - middle) * (x[start + i] - middle);
        for (Py_ssize_t i = whole; i < columns; i++)
            parts[i - whole] += (x[i] - middle) * (x[i] - middle);
        float deviation = squares[row] = total_of(parts);

        float scale = 1.0f / sqrtf(deviation / (float)columns + eps);
        if (weight && bias) {
            EACH(i, columns) out[i] = (x[i] - middle) * scale * weight[i] + bias[i];
        } else {
            EACH(i, columns) out[i] = (x[i] - middle) * scale;
            for (Py_ssize_t i = 0; weight && i < columns; i++)
                out[i] *= weight[i];
            for (Py_ssize_t i = 0; bias && i < columns; i++)
                out[i] += bias[i];
        }
    }
}

WIDE static void add_to_rows(float *x, Py_ssize_t rows, Py_ssize_t columns, const float *row)
{
    for (Py_ssize_t r = 0; r < rows; r++, x += columns)
        EACH(i, columns)
            x[i] += row[i];
}

WIDE static void scale_columns(const float *x, float *out, Py_ssize_t rows, Py_ssize_t columns, const float *scale,
                               const float *shift)
{
    for (Py_ssize_t r = 0; r < rows; r++, x += columns, out += columns)
        EACH(i, columns)
            out[i] = x[i] * scale[i] + shift[i];
}

/* Write yes[i] or no[i] to out[i]. NumPy's `where` has a branch for each element, which is slow if the processor cannot
 * predict them. A side with `step` 0 has one element, used for all. The loops differ so that each one is vectorized. */
#define SELECT(BITS)                                                                                                   \
    WIDE static void select_##BITS(const uint8_t *which, const uint##BITS##_t *yes, int yes_step,                      \
                                   const uint##BITS##_t *no, int no_step, uint##BITS##_t *out, Py_ssize_t count)       \
    {                                                                                                                  \
        const uint##BITS##_t one_yes = count ? yes[0] : 0, one_no = count ? no[0] : 0;                                 \
        if (yes_step && no_step)                                                                                       \
            EACH(i, count) out[i] = which[i] ? yes[i] : no[i];                                                         \
        else if (yes_step)                                                                                             \
            EACH(i, count) out[i] = which[i] ? yes[i] : one_no;                                                        \
        else                                                                                                           \
            EACH(i, count) out[i] = which[i] ? one_yes : no[i];                                                        \
    }
SELECT(16)
SELECT(32)
SELECT(64)

/* -- sums in the order of PyTorch's CPU kernels, so that they have the same bits ------------------------------------ */

#define GROUPS 4 /* independent partial sums */
#define CHUNK 8  /* lanes of one partial sum */
#define LEVELS 4

/* Add `count` blocks of GROUPS * `lanes` numbers to one block. Blocks are `step` apart, and groups are `apart`. Runs of
 * 2^power blocks are summed first, then runs of 2^power of these sums, and so on: the error grows with the fourth root
 * of the length (cascade summation). */
INLINE void add_blocks(const float *x, Py_ssize_t count, Py_ssize_t step, Py_ssize_t apart, int lanes,
                       float out[GROUPS][CHUNK])
{
    float sums[LEVELS][GROUPS][CHUNK] = {{{0}}};
    int bits = 0;
    while (((Py_ssize_t)1 << bits) < count)
        bits++;
    int power = bits / LEVELS > 4 ? bits / LEVELS : 4;
    Py_ssize_t run = (Py_ssize_t)1 << power;

    for (Py_ssize_t i = 0; i < count;) {
        Py_ssize_t end = i + run <= count ? i + run : count;
        int is_whole = end == i + run;
        for (; i < end; i++)
            for (int g = 0; g < GROUPS; g++)
                EACH(l, lanes) sums[0][g][l] += x[i * step + g * apart + l];
        for (int level = 1; is_whole && level < LEVELS; level++) {
            for (int g = 0; g < GROUPS; g++)
                EACH(l, lanes) sums[level][g][l] += sums[level - 1][g][l];
            memset(sums[level - 1], 0, sizeof sums[0]);
            is_whole = (i & ((run - 1) << (level * power))) == 0;
        }
    }
    for (int level = 1; level < LEVELS; level++)
        for (int g = 0; g < GROUPS; g++)
            EACH(l, lanes) sums[0][g][l] += sums[level][g][l];
    memcpy(out, sums[0], sizeof sums[0]);
}

/* Write the sum of `count` vectors of `lanes` numbers, which are `step` apart. */
INLINE void add_vectors(const float *x, Py_ssize_t count, Py_ssize_t step, int lanes, float *out)
{
    float sums[GROUPS][CHUNK];
    add_blocks(x, count / GROUPS, GROUPS * step, step, lanes, sums);
    for (Py_ssize_t i = count - count % GROUPS; i < count; i++)
        EACH(l, lanes) sums[0][l] += x[i * step + l];
    for (int g = 1; g < GROUPS; g++)
        EACH(l, lanes) sums[0][l] += sums[g][l];
    EACH(l, lanes) out[l] = sums[0][l];
}

WIDE static void sum_rows(const float *x, float *out, Py_ssize_t rows, Py_ssize_t columns)
{
    for (Py_ssize_t r = 0; r < rows; r++, x += columns) {
        if (columns < CHUNK) {
            add_vectors(x, columns, 1, 1, &out[r]);
            continue;
        }
        float lanes[CHUNK], sum = 0;
        add_vectors(x, columns / CHUNK, CHUNK, CHUNK, lanes);
        for (Py_ssize_t c = columns - columns % CHUNK; c < columns; c++)
            sum += x[c];
        for (int l = 0; l < CHUNK; l++)
            sum += lanes[l];
        out[r] = sum;
    }
}

WIDE static void sum_columns(const float *x, float *out, Py_ssize_t matrices, Py_ssize_t rows, Py_ssize_t columns)
{
    for (; matrices > 0; matrices--, x += rows * columns, out += columns) {
        Py_ssize_t c = 0;
        float sums[GROUPS][CHUNK];
        for (; c + GROUPS * CHUNK <= columns; c += GROUPS * CHUNK) {
            add_blocks(x + c, rows, columns, CHUNK, CHUNK, sums);
            memcpy(out + c, sums, sizeof sums);
        }
        for (; columns < CHUNK && c + GROUPS <= columns; c += GROUPS) {
            add_blocks(x + c, rows, columns, 1, 1, sums);
            for (int g = 0; g < GROUPS; g++)
                out[c + g] = sums[g][0];
        }
        for (; c + CHUNK <= columns; c += CHUNK)
            add_vectors(x + c, rows, columns, CHUNK, out + c);
        for (; c < columns; c++)
            add_vectors(x + c, rows, columns, 1, out + c);
    }
}

/* -- interface to Python ------------------------------------------------------------------------------------------ */

/* Return the number of rows of `columns` numbers. They must form whole matrices of `height` rows; otherwise set an
 * error and return -1. */
static Py_ssize_t rows_in(Py_ssize_t count, Py_ssize_t columns, Py_ssize_t height)
{
    if (!PyErr_Occurred() && columns > 0 && height > 0 && count % columns == 0 && count / columns % height == 0)
        return count / columns;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%zd numbers are not matrices of %zd rows of %zd", count, height, columns);
    return -1;
}

static PyObject *each(PyObject *arguments, void (*run)(const float *, float *, Py_ssize_t))
{
    Held held = {.count = 0};
    PyObject *from, *to;
    Py_ssize_t count = -1;
    if (!PyArg_ParseTuple(arguments, "OO", &from, &to))
        return NULL;
    float *x = hold(&held, from, 0, &count), *out = x ? hold(&held, to, PyBUF_WRITABLE, &count) : NULL;
    if (out) {
        Py_BEGIN_ALLOW_THREADS
        run(x, out, count);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *gelu(PyObject *module, PyObject *arguments) { return each(arguments, gelu_all); }
static PyObject *silu(PyObject *module, PyObject *arguments) { return each(arguments, silu_all); }
static PyObject *hardswish(PyObject *module, PyObject *arguments) { return each(arguments, hardswish_all); }

static PyObject *scale(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given[4];
    Py_ssize_t count = -1, columns = -1;
    if (!PyArg_ParseTuple(arguments, "OOOO:scale", &given[0], &given[1], &given[2], &given[3]))
        return NULL;
    float *x = hold(&held, given[0], 0, &count), *factors = x ? hold(&held, given[1], 0, &columns) : NULL;
    float *terms = factors ? hold(&held, given[2], 0, &columns) : NULL;
    float *out = terms ? hold(&held, given[3], PyBUF_WRITABLE, &count) : NULL;
    Py_ssize_t rows = rows_in(count, columns, 1);
    if (rows >= 0) {
        Py_BEGIN_ALLOW_THREADS
        scale_columns(x, out, rows, columns, factors, terms);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *add(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *to, *from;
    Py_ssize_t count = -1, columns = -1;
    if (!PyArg_ParseTuple(arguments, "OO:add", &to, &from))
        return NULL;
    float *x = hold(&held, to, PyBUF_WRITABLE, &count), *row = x ? hold(&held, from, 0, &columns) : NULL;
    Py_ssize_t rows = rows_in(count, columns, 1);
    if (rows >= 0) {
        Py_BEGIN_ALLOW_THREADS
        add_to_rows(x, rows, columns, row);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *sum(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *from, *to;
    Py_ssize_t count = -1, rows, columns;
    if (!PyArg_ParseTuple(arguments, "OOnn:sum", &from, &to, &rows, &columns))
        return NULL;
    float *x = hold(&held, from, 0, &count);
    Py_ssize_t lines = rows_in(count, columns, rows), results = lines < 0 ? 0 : lines / rows * columns;
    float *out = lines < 0 ? NULL : hold(&held, to, PyBUF_WRITABLE, &results);
    if (out) {
        Py_BEGIN_ALLOW_THREADS
        if (columns == 1)
            sum_rows(x, out, lines / rows, rows);
        else
            sum_columns(x, out, lines / rows, rows, columns);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *softmax(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *from, *to;
    Py_ssize_t count = -1, columns, causal_rows;
    int none_is_zero;
    if (!PyArg_ParseTuple(arguments, "OOnnp:softmax", &from, &to, &columns, &causal_rows, &none_is_zero))
        return NULL;
    float *x = hold(&held, from, 0, &count), *out = x ? hold(&held, to, PyBUF_WRITABLE, &count) : NULL;
    Py_ssize_t rows = rows_in(count, columns, causal_rows ? causal_rows : 1);
    if (rows >= 0) {
        Py_BEGIN_ALLOW_THREADS
        softmax_rows(x, out, rows, columns, causal_rows, none_is_zero);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

static PyObject *standardize(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given[6];
    Py_ssize_t count = -1, columns;
    float eps;
    if (!PyArg_ParseTuple(arguments, "OOOOnfOO:standardize", &given[0], &given[1], &given[2], &given[3], &columns, &eps,
                          &given[4], &given[5]))
        return NULL;
    float *x = hold(&held, given[0], 0, &count), *out = x ? hold(&held, given[1], PyBUF_WRITABLE, &count) : NULL;
    Py_ssize_t rows = rows_in(count, columns, 1);
    float *mean = rows < 0 ? NULL : hold(&held, given[2], PyBUF_WRITABLE, &rows);
    float *squares = mean ? hold(&held, given[3], PyBUF_WRITABLE, &rows) : NULL;
    float *weight = squares && given[4] != Py_None ? hold(&held, given[4], 0, &columns) : NULL;
    float *bias = squares && given[5] != Py_None ? hold(&held, given[5], 0, &columns) : NULL;
    if (!PyErr_Occurred()) {
        Py_BEGIN_ALLOW_THREADS
        standardize_rows(x, out, mean, squares, rows, columns, eps, weight, bias);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

/* Get a C-contiguous buffer of elements of `size` bytes: `count` of them or, where that is allowed, one. */
static Py_buffer *hold_elements(Held *held, PyObject *object, int flags, Py_ssize_t size, Py_ssize_t count, int or_one)
{
    Py_buffer *view = &held->views[held->count];
    if (PyErr_Occurred() || PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | flags) < 0)
        return NULL;
    held->count++;
    if (view->itemsize == size && (view->len == count * size || (or_one && view->len == size)))
        return view;
    PyErr_Format(PyExc_ValueError, "expected %zd elements of %zd bytes, got %zd bytes", count, size, view->len);
    return NULL;
}

static PyObject *choose(PyObject *module, PyObject *arguments)
{
    Held held = {.count = 0};
    PyObject *given[4];
    Py_buffer *views[4];
    if (!PyArg_ParseTuple(arguments, "OOOO:select", &given[0], &given[1], &given[2], &given[3]))
        return NULL;
    Py_ssize_t size = 0, count = 0;
    if (PyObject_GetBuffer(given[3], &held.views[0], PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) == 0) {
        views[3] = &held.views[held.count++];
        size = views[3]->itemsize;
        count = size ? views[3]->len / size : 0;
        if (size != 2 && size != 4 && size != 8)
            PyErr_Format(PyExc_ValueError, "expected elements of 2, 4 or 8 bytes, got %zd bytes", size);
    }
    for (int i = 0; i < 3; i++)
        views[i] = hold_elements(&held, given[i], 0, i ? size : 1, count, i > 0);
    if (!PyErr_Occurred()) {
        int yes_step = views[1]->len == views[3]->len, no_step = views[2]->len == views[3]->len;
        Py_BEGIN_ALLOW_THREADS
        if (size == 2)
            select_16(views[0]->buf, views[1]->buf, yes_step, views[2]->buf, no_step, views[3]->buf, count);
        else if (size == 4)
            select_32(views[0]->buf, views[1]->buf, yes_step, views[2]->buf, no_step, views[3]->buf, count);
        else
            select_64(views[0]->buf, views[1]->buf, yes_step, views[2]->buf, no_step, views[3]->buf, count);
        Py_END_ALLOW_THREADS
    }
    return let_go(&held);
}

/* rows.pyi documents these functions. */
static PyMethodDef methods[] = {
    {"add", add, METH_VARARGS, NULL},
    {"select", choose, METH_VARARGS, NULL},
    {"gelu", gelu, METH_VARARGS, NULL},
    {"hardswish", hardswish, METH_VARARGS, NULL},
    {"scale", scale, METH_VARARGS, NULL},
    {"silu", silu, METH_VARARGS, NULL},
    {"softmax", softmax, METH_VARARGS, NULL},
    {"standardize", standardize, METH_VARARGS, NULL},
    {"sum", sum, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "rows", .m_methods = methods};

PyMODINIT_FUNC PyInit_rows(void) { return PyModuleDef_Init(&definition); }
