/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cost model says of instructions: classify SET <CODE
 *
 * SET is a32, t32, t16 or a64, CODE machine code of that set alone.  For each instruction a line:
 *
 *   CLASS[+TIMESxEACH][+ALSO] RESULT SOURCES
 *
 * RESULT is a register or "-", SOURCES are registers with commas between them or "-".  Of a64,
 * registers of vectors are v0 to v31, and those that are an address come last, in brackets.
 *
 * SET a64-row takes CODE as rows of instructions, each of which ends at a branch, and prints the classes alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/osdep.h"
#include "hw/firesteel/cycles-a64-class.h"
#include "hw/firesteel/cycles-a64-operands.h"
#include "hw/firesteel/cycles-a64-wait.h"
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
	fprintf(stderr, "classify: %s is no set; there are a32, t32, t16 and a64\n", name);
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
		printf(cost.more ? "+%2$ux%1$s" : "+%1$s", names[cost.also], cost.more + 1);
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

/* Print each register of a set; whether there was any before it */
static bool print_set(char file, uint32_t set, const char *form, bool any)
{
	for (int number = 0; number < 32; number++) {
		if (set & UINT32_C(1) << number) {
			printf(any ? "," : " ");
			printf(form, file, number);
			any = true;
		}
	}
	return any;
}

static void print_a64(uint32_t insn)
{
	CyclesA64Operands operands = cycles_a64_operands(insn);
	bool any;

	print_cost(cycles_a64_class(insn));
	any = print_set('x', operands.results, "%c%d", false);
	if (!print_set('v', operands.vector_results, "%c%d", any))
		printf(" -");
	any = print_set('x', operands.sources, "%c%d", false);
	any = print_set('v', operands.vector_sources, "%c%d", any);
	any = print_set('x', operands.addresses, "[%c%d]", any);
	printf(any ? "\n" : " -\n");
}

/* False if there is none */
static bool print_row(void)
{
	uint32_t insns[CYCLES_A64_WINDOW];
	unsigned count = 0;

	while (count < CYCLES_A64_WINDOW && read_instruction(CYCLES_A32, &insns[count]))
		if (cycles_a64_ends_row(insns[count++]))
			break;
	for (unsigned first = 0; first < count; first++) {
		print_cost(cycles_a64_cost(insns + first, count - first));
		printf("\n");
	}
	return count;
}

int main(int argc, char **argv)
{
	bool a64 = argc == 2 && !strcmp(argv[1], "a64");
	bool row = argc == 2 && !strcmp(argv[1], "a64-row");
	CyclesArmSet set = a64 || row ? CYCLES_A32 : set_of(argc == 2 ? argv[1] : "");
	uint32_t insn;

	while (row && print_row())
		;
	while (a64 && read_instruction(set, &insn))
		print_a64(insn);
	while (read_instruction(set, &insn)) {
		print_cost(cycles_arm_class(insn, set));
		print_operands(cycles_arm_operands(insn, set));
	}
	return 0;
}
