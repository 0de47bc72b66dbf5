/* SPDX-License-Identifier: Apache-2.0 */
/* Options: firesteel_set(), and the environment. */
#ifndef FS_OPTION_H
#define FS_OPTION_H

#include "device.h"

void fs_option_defaults(struct firesteel *device);
int fs_option_environment(struct firesteel *device, char message[FIRESTEEL_MESSAGE_SIZE]);

#endif
