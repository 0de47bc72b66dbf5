# SPDX-License-Identifier: Apache-2.0
"""Whether offload helps: the one answer that the terminal, the report and the README give."""
