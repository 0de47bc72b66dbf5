# SPDX-License-Identifier: Apache-2.0
"""What every part stands on: errors for people, TOML files, envelopes of stored files, paths."""
