# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the nodes of a cell do, and the figures read from what they report."""
