# SPDX-License-Identifier: Apache-2.0
"""Boards that run on other machines: a Dask scheduler hands tasks to workers (docs/machines.md).

The client turns a run of boards into a task, which is plain data, and files by their digests.  A
worker runs it as the lab would here, and returns the boards' logs.
"""
