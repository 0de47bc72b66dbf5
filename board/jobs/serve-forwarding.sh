# SPDX-License-Identifier: Apache-2.0
# Tells how many frames have come, and how fast.
#
#   FORWARDING_PORT     who connects to this port says which frames, and is told
#   FRAMES_PORT         where they come

nc -l -p "$FORWARDING_PORT" -e count-frames "$FRAMES_PORT" &
