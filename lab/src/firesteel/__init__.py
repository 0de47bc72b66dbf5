# SPDX-License-Identifier: Apache-2.0
"""Firesteel's lab: experiments on virtual boards, their records and reports."""

__version__ = "0.1.0"
