# SPDX-License-Identifier: Apache-2.0
"""Profiles of where a cell's time goes: what the emulator counted, with names.

docs/profiles.md says what they mean.
"""
