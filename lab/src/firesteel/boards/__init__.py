# SPDX-License-Identifier: Apache-2.0
"""Boards: profiles, topologies, jobs, and running them to power-off."""
