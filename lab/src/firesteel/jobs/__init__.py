# SPDX-License-Identifier: Apache-2.0
"""Jobs: what the nodes of a cell do, and the figures read from what they report."""

from firesteel.jobs.figures import cell_figures
from firesteel.jobs.job import cell_jobs
from firesteel.jobs.proof import cell_proof

__all__ = ["cell_figures", "cell_jobs", "cell_proof"]
