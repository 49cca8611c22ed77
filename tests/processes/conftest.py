"""The programs are scripts on libraries that the gate does not install: no module of tests, no doctests."""

collect_ignore = ["programs"]
