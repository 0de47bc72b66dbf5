# SPDX-License-Identifier: Apache-2.0
"""Programs that speak with one another, one with the provider and the other without.

`python3 -m scenes NAME` plays a scene as root in a root of its own, with namespaces of its own for
mounts, processes and network (see `programs_workshop.py`), so that nothing of it is left.
"""
