/* SPDX-License-Identifier: Apache-2.0 */
/* What a device has: its capabilities, read from its cores. */
#ifndef FS_PROBE_H
#define FS_PROBE_H

#include "device.h"

/* Both cores; `has` of the transport keeps the cores that this library can drive */
void fs_probe(struct firesteel *device);

/* Only CryptoMaster: whether there is one that this library can drive */
bool fs_probe_cm(struct firesteel *device);

#endif
