# SPDX-License-Identifier: Apache-2.0
"""Whether to offload, said in words from the records in the store: docs/advice.md."""
