# SPDX-License-Identifier: Apache-2.0
"""Tables and progress on a terminal."""
