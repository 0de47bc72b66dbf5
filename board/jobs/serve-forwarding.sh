# SPDX-License-Identifier: Apache-2.0
# Tells how many frames have come, and how fast.
#
#   FORWARDING_PORT     who connects to this port is told
#   FRAMES_PORT         where they come

nc -ll -p "$FORWARDING_PORT" -e count-frames "$FRAMES_PORT" &
