/* SPDX-License-Identifier: Apache-2.0 */
/* What this device's cores take, measured when it is opened; some hundred microseconds. */
#ifndef FS_CALIBRATE_H
#define FS_CALIBRATE_H

#include "device.h"

/* What cannot be measured keeps its estimate: requests report errors when they meet them */
void fs_calibrate(struct firesteel *device);

/* Only CryptoMaster */
void fs_calibrate_messages(struct firesteel *device);

#endif
