# SPDX-License-Identifier: Apache-2.0
"""The source of the documentation's site: the pages of `docs/`, and those made from the code."""
