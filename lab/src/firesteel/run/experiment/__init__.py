# SPDX-License-Identifier: Apache-2.0
"""What to measure: experiment files, collections of them, and the selection of cells."""
