# SPDX-License-Identifier: Apache-2.0
"""Processor architectures of boards: one value each has all that is different about it."""
