"""Start the reference daemon with one planted fault, its files untouched.

Runs in the daemon's environment, as ``python -m plant`` in place of ``python -m
palace``; ``MUTANT`` names the fault, a function of a module of `faults`.
"""

import os
import sys
from importlib import import_module

from palace.__main__ import main

if __name__ == "__main__":
    module, _, fault = os.environ["MUTANT"].partition(".")
    getattr(import_module(f"faults.{module}"), fault)()
    sys.exit(main([]))
