# SPDX-License-Identifier: Apache-2.0
"""A disk in memory, encrypted or bare: what the board does, and the figures from its outputs."""
