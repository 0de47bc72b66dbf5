# SPDX-License-Identifier: Apache-2.0
"""How far assumptions about boards may be off before a verdict changes.

docs/sensitivity.md says what comes of it.
"""
