# SPDX-License-Identifier: Apache-2.0
"""A disk in memory behind dm-crypt: what the board does, and the figures from its reports."""

from firesteel.workloads.dm_crypt.figures import cell_figures
from firesteel.workloads.dm_crypt.job import cell_jobs
from firesteel.workloads.dm_crypt.proof import cell_proof

__all__ = ["cell_figures", "cell_jobs", "cell_proof"]
