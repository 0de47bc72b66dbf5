# SPDX-License-Identifier: Apache-2.0
"""Published studies: comparison, fit, causes and fidelity."""
