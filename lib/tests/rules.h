/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules that all public drivers of the cores keep, for what the library does with them: a test
 * that puts these between a device and its cores fails at the first access that breaks one.
 *
 * Sources: Nordic's sdk-nrf (silexpk, sxsymcrypt), Microchip's trusted firmware, Silicon Labs'
 * libcryptosoc, IOsonata; docs/programming-model.md has each rule with its source.
 */
#ifndef FS_TESTS_RULES_H
#define FS_TESTS_RULES_H

#include "../device.h"

/* From now on all accesses to the device's cores are checked; ends before the device is closed */
void rules_begin(struct firesteel *device);
void rules_end(void);

/* Operations of the public-key core, and messages of CryptoMaster, that were begun since */
extern unsigned rules_operations, rules_messages;

/* ---- rules-public-key.c ---- */

void rules_pk_begin(const struct firesteel_capabilities *has);
void rules_pk_read(uint32_t offset, uint32_t value);
void rules_pk_write(uint32_t offset, uint32_t value);
void rules_pk_put(uint32_t offset, const uint8_t *bytes, size_t size);
void rules_pk_get(void);

/* ---- rules-lists.c ---- */

void rules_cm_begin(const struct fs_transport *transport);
void rules_cm_write(uint32_t offset, uint32_t value);

#endif
