# SPDX-License-Identifier: Apache-2.0
"""The lab's words as types: cells, figures and metrics; no files and no boards."""
