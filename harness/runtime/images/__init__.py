"""Container images that are the same bytes everywhere: found, pulled or built.

`catalogue` says what is wanted, `resolve` gets it into an engine. The layers come from
Debian packages (`debian`), wheels (`wheels`) and files (`files`), and are written by
`archive`, which knows the image's id before any engine has seen it.
"""
