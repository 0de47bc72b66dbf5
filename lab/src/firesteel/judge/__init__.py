# SPDX-License-Identifier: Apache-2.0
"""What figures say: results, statistics, pairs, verdicts, changes and thresholds."""
