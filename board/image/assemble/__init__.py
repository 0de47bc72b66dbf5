# SPDX-License-Identifier: Apache-2.0
"""Makes a board's kernel and initial file system out of an extracted Debian tree."""
