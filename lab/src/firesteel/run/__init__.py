# SPDX-License-Identifier: Apache-2.0
"""Running experiments: planning, measuring, verifying."""
