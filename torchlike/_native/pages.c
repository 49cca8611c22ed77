/* Huge pages for the large blocks that a shared library allocates with posix_memalign.

   XLA maps new memory for the temporaries of every run, and the kernel clears it page by page as the program touches
   it. With huge pages there are 512 times fewer page faults. glibc can ask for them only if an environment variable was
   set when the process started, so the library's entry for posix_memalign is pointed at a function that asks. */

#define _GNU_SOURCE
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#else
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#endif

/* glibc maps and unmaps blocks of this size and more on their own, so the advice never splits its heap. */
#define LARGE ((size_t)32 << 20)

typedef int (*Function)(void **, size_t, size_t);

typedef struct {
    const char *library; /* the end of its path */
    int is_done;
} Search;

static int aligned_in_huge_pages(void **found, size_t alignment, size_t size) {
    int error = posix_memalign(found, alignment, size), before = errno;
    if (error == 0 && size >= LARGE) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = ((uintptr_t)*found + page - 1) & ~(page - 1);
        madvise((void *)start, ((uintptr_t)*found + size - start) & ~(page - 1), MADV_HUGEPAGE);
        errno = before;
    }
    return error;
}

/* Replace a function pointer in memory that the linker may have made read-only. */
static int replace(Function *slot, int is_read_only) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)slot & ~(page - 1);
    if (is_read_only && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0) return 0;
    __atomic_store_n(slot, aligned_in_huge_pages, __ATOMIC_SEQ_CST);
    if (is_read_only) mprotect((void *)start, page, PROT_READ);
    return 1;
}

static int is_relro(const struct dl_phdr_info *info, ElfW(Addr) address) {
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO) continue;
        ElfW(Addr) start = info->dlpi_addr + part->p_vaddr;
        if (start <= address && address < start + part->p_memsz) return 1;
    }
    return 0;
}

static const ElfW(Dyn) *dynamic_section(const struct dl_phdr_info *info) {
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
    Search *search = data;
    const ElfW(Dyn) *entry;
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Rela) *relocations = NULL;
    const char *names = NULL;
    size_t bytes = 0;
    (void)size;
    if (!ends_with(info->dlpi_name, search->library) || (entry = dynamic_section(info)) == NULL) return 0;
    for (; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB) names = (const char *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_JMPREL) relocations = (const ElfW(Rela) *)entry->d_un.d_ptr;
        if (entry->d_tag == DT_PLTRELSZ) bytes = entry->d_un.d_val;
    }
    if (symbols == NULL || names == NULL || relocations == NULL) return 1;
    for (size_t i = 0; i < bytes / sizeof(*relocations); i++) {
        if (ELF64_R_TYPE(relocations[i].r_info) != JUMP_SLOT) continue;
        if (strcmp(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name, "posix_memalign") != 0) continue;
        Function *slot = (Function *)(info->dlpi_addr + relocations[i].r_offset);
        /* Any other value means that the entry is not yet resolved, or that another tool has replaced it. */
        if (*slot == posix_memalign) search->is_done = replace(slot, is_relro(info, (ElfW(Addr))slot));
    }
    return 1;
}

static int use_huge_pages(const char *library) {
    Search search = {library, 0};
    dl_iterate_phdr(visit, &search);
    return search.is_done;
}
#else
static int use_huge_pages(const char *library) {
    (void)library;
    return 0;
}
#endif

/* use_huge_pages(library) -> whether the library was found and its entry was replaced now. */
static PyObject *use_huge_pages_in(PyObject *module, PyObject *args) {
    const char *library;
    (void)module;
    if (!PyArg_ParseTuple(args, "s", &library)) return NULL;
    return PyBool_FromLong(use_huge_pages(library));
}

static PyMethodDef METHODS[] = {
    {"use_huge_pages", use_huge_pages_in, METH_VARARGS, "Use huge pages for a library's large blocks."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "pages", NULL, -1, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_pages(void) { return PyModule_Create(&MODULE); }
