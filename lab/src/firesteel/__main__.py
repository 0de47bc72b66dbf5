# SPDX-License-Identifier: Apache-2.0
"""`python -m firesteel`."""

from firesteel.cli import main

main()
