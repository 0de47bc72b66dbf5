# SPDX-License-Identifier: Apache-2.0
"""Tools for authors: how near boards come to published figures, and ways to come nearer.

Each command is a module, run from the checkout:

    PYTHONPATH=.:lab/src $(scripts/venv.sh run) -m research.fit RUN
"""
