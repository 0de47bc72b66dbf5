# SPDX-License-Identifier: Apache-2.0
"""The gallery: questions of people who choose an accelerator, answered from records."""
