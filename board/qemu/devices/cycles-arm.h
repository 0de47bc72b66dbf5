/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What classes of the cost model (cycles.h) the instructions of 32-bit ARM are
 * of.
 */
#ifndef FIRESTEEL_CYCLES_ARM_H
#define FIRESTEEL_CYCLES_ARM_H

#include "hw/firesteel/cycles-arm-set.h"
#include "hw/firesteel/cycles-translate.h"

/*
 * The translator of @set has read @insn; db->pc_next is behind it.  Charges the
 * instruction, if there is a cost model.
 */
void cycles_arm_instruction(CPUArchState *env, DisasContextBase *db,
                            uint32_t insn, CyclesArmSet set);

/*
 * The memory attributes, as MAIR encodes them, of a page that a short
 * descriptor maps: a section's (@section) or a page's.  The emulator needs them
 * for long descriptors only.
 */
uint8_t cycles_arm_attributes(CPUArchState *env, uint32_t descriptor,
                              bool section);

/*
 * The Cache Type Register: @ctr, with the lengths of lines that the model has, if there is one.  The
 * guest cleans and invalidates that many bytes with each instruction.
 */
uint32_t cycles_arm_cache_type(uint32_t ctr);

#endif
