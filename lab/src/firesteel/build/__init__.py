# SPDX-License-Identifier: Apache-2.0
"""Products: what is built once and kept in the cache by the hash of its inputs."""
