/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "include/firesteel/firesteel.h"

void firesteel_wipe(void *memory, size_t size)
{
	if (size > 0)
		memset(memory, 0, size);
	/* whoever reads it later is not known to the compiler */
	__asm__ volatile("" : : "r"(memory) : "memory");
}
