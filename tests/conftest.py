# SPDX-License-Identifier: Apache-2.0
"""What holds for every test."""

import signal

import firesteel.table  # noqa: F401  # It has the parsers that records of any store need.

# A shell starts what it runs in the background with Ctrl-C ignored, and Python leaves it so; the
# tests of Ctrl-C mean what a person at a terminal has.
signal.signal(signal.SIGINT, signal.default_int_handler)
