# SPDX-License-Identifier: Apache-2.0
"""Requests to the kernel's crypto API: what the board does, and the figures from its reports."""

from firesteel.workloads.crypto_api.figures import cell_figures
from firesteel.workloads.crypto_api.job import cell_jobs
from firesteel.workloads.crypto_api.proof import cell_proof

__all__ = ["cell_figures", "cell_jobs", "cell_proof"]
