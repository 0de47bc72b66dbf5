# SPDX-License-Identifier: Apache-2.0
"""A disk in memory behind dm-crypt: what the board does, and the figures from its reports."""

from firesteel.jobs.disk.figures import cell_figures
from firesteel.jobs.disk.job import cell_jobs
from firesteel.jobs.disk.proof import cell_proof

__all__ = ["cell_figures", "cell_jobs", "cell_proof"]
