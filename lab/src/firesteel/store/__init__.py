# SPDX-License-Identifier: Apache-2.0
"""What is kept: records of cells and journals of runs."""
