# SPDX-License-Identifier: Apache-2.0
"""What is measured of a protocol: the jobs of all nodes, and the figures made of their reports."""
