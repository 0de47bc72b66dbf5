# SPDX-License-Identifier: Apache-2.0
"""From where on what is busy counts as the limit."""

SATURATED = 95.0
"""Percent of the time from which on what is busy is the limit."""


AT_LINK = 0.95
"""The share of the link's throughput from which on the link is the bound."""
