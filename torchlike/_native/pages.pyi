"""Huge pages for the large blocks of a shared library."""

def use_huge_pages(library: str, /) -> bool:
    """Ask the kernel for huge pages whenever a library allocates 32 MiB or more with `posix_memalign`.

    `library` is the end of the path of a shared library that this process has loaded.

    Returns:
      Whether the library calls the C library's function directly, and now asks. It is False in a second call, and
      on systems other than Linux with glibc.
    """
