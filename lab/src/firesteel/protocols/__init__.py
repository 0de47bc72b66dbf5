# SPDX-License-Identifier: Apache-2.0
"""What carries traffic or encrypts data: the suites, settings, files and proof of each protocol."""
