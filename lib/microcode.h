/* SPDX-License-Identifier: Apache-2.0 */
/* Microcode of the public-key core, from a file: no licence allows the library to contain any. */
#ifndef FS_MICROCODE_H
#define FS_MICROCODE_H

#include <stdint.h>

#include "../silex/soc.h"
#include "include/firesteel/firesteel.h"

struct fs_microcode {
	size_t words;
	uint32_t word[SILEX_PK_CODE_SIZE / 4];
};

/* Replaces `*microcode`, which may be NULL, by the file's content.  Returns 0, or
 * FIRESTEEL_ERROR_INVALID with a sentence in `message` and NULL in `*microcode`. free() it. */
int fs_microcode_read(const char *file, struct fs_microcode **microcode,
		      char message[FIRESTEEL_MESSAGE_SIZE]);

#endif
