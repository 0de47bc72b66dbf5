# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API: what the board does, and the figures from its outputs."""
