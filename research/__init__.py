# SPDX-License-Identifier: Apache-2.0
"""What only authors ask: how near boards come to published figures, and what would help.

Each command is a module, run from the checkout:

    PYTHONPATH=.:lab/src $(scripts/venv.sh run) -m research.fit RUN
"""
