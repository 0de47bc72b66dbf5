# SPDX-License-Identifier: Apache-2.0
"""Traffic between hosts: pings and file transfers, measured in one boot."""
