/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cost model says of instructions: classify SET <CODE
 *
 * SET is a32, t32 or t16, CODE machine code of that set alone.  For each instruction a line:
 *
 *   CLASS[+TIMESxEACH][+ALSO] RESULT SOURCES
 *
 * RESULT is a register or "-", SOURCES are registers with commas between them or "-".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/osdep.h"
#include "hw/firesteel/cycles-arm-class.h"
#include "hw/firesteel/cycles-arm-operands.h"

static const char *const names[] = {
#define X(NAME, name) name,
	CYCLES_CLASSES(X)
#undef X
};

static CyclesArmSet set_of(const char *name)
{
	static const char *const sets[] = { [CYCLES_A32] = "a32",
					    [CYCLES_T32] = "t32",
					    [CYCLES_T16] = "t16" };

	for (unsigned set = 0; set < sizeof(sets) / sizeof(sets[0]); set++)
		if (!strcmp(name, sets[set]))
			return set;
	fprintf(stderr, "classify: %s is no set; there are a32, t32 and t16\n", name);
	exit(2);
}

/* The next halfword of standard input; false at its end */
static bool read_half(uint32_t *half)
{
	unsigned char bytes[2];

	if (fread(bytes, sizeof(bytes), 1, stdin) != 1)
		return false;
	*half = bytes[0] | bytes[1] << 8;
	return true;
}

/* The next instruction, as the translator of its set has it */
static bool read_instruction(CyclesArmSet set, uint32_t *insn)
{
	uint32_t second;

	if (!read_half(insn))
		return false;
	if (set == CYCLES_T16)
		return true;
	if (!read_half(&second)) {
		fprintf(stderr, "classify: the last instruction is cut short\n");
		exit(1);
	}
	*insn = set == CYCLES_A32 ? second << 16 | *insn : *insn << 16 | second;
	return true;
}

static void print_cost(CyclesCost cost)
{
	printf("%s", names[cost.class]);
	if (cost.times)
		printf("+%ux%s", cost.times, names[cost.each]);
	if (cost.also != CYCLES_CLASS_COUNT)
		printf("+%s", names[cost.also]);
}

static void print_operands(CyclesArmOperands operands)
{
	const char *between = " ";

	if (operands.result < 0)
		printf(" -");
	else
		printf(" r%d", operands.result);
	if (!operands.sources)
		printf(" -");
	for (int number = 0; number < 16; number++) {
		if (operands.sources & 1u << number) {
			printf("%sr%d", between, number);
			between = ",";
		}
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	CyclesArmSet set = set_of(argc == 2 ? argv[1] : "");
	uint32_t insn;

	while (read_instruction(set, &insn)) {
		print_cost(cycles_arm_class(insn, set));
		print_operands(cycles_arm_operands(insn, set));
	}
	return 0;
}
