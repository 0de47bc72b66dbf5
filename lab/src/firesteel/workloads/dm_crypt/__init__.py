# SPDX-License-Identifier: Apache-2.0
"""A disk in memory behind dm-crypt: what the board does, and the figures from its outputs."""
