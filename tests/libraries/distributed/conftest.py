"""The programs use libraries that are not installed in CI, so pytest must not collect them."""

collect_ignore = ["programs"]
