// SPDX-License-Identifier: GPL-2.0-or-later
/* Fermat's little theorem, computed by the public-key engine; see exercise.h. */
#include <linux/delay.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "exercise.h"
#include "silex/ba414.h"

#define PUBLIC_KEY_SIZE 32u

#define PUBLIC_KEY_COMMAND                                                           \
	(SILEX_PK_OP_MODEXP | SILEX_PK_SIZE(PUBLIC_KEY_SIZE) | SILEX_PK_SWAP_BYTES | \
	 SILEX_PK_CALC_R2)

/* 2^255 - 19, a prime, most significant byte first */
static void public_key_prime(u8 number[PUBLIC_KEY_SIZE])
{
	memset(number, 0xff, PUBLIC_KEY_SIZE);
	number[0] = 0x7f;
	number[PUBLIC_KEY_SIZE - 1] = 0xed;
}

static u32 public_key_place(unsigned int slot)
{
	/* The core's largest operand is 512 bytes or less */
	return SILEX_PK_RAM_BASE + (slot + 1) * SILEX_PK_STRIDE(512) - PUBLIC_KEY_SIZE;
}

static void public_key_put(struct exercise *exercise, unsigned int slot,
			   const u8 number[PUBLIC_KEY_SIZE])
{
	unsigned int at;

	for (at = 0; at < PUBLIC_KEY_SIZE; at += 4)
		exercise_write(exercise, public_key_place(slot) + at,
			       get_unaligned_le32(number + at));
}

static void public_key_get(struct exercise *exercise, unsigned int slot, u8 number[PUBLIC_KEY_SIZE])
{
	unsigned int at;

	for (at = 0; at < PUBLIC_KEY_SIZE; at += 4)
		put_unaligned_le32(exercise_read(exercise, public_key_place(slot) + at),
				   number + at);
}

irqreturn_t public_key_interrupt(int irq, void *data)
{
	struct exercise_core *core = data;

	if (!(exercise_read(core->exercise, SILEX_PK_BASE + SILEX_PK_STATUS) & SILEX_PK_STATUS_IRQ))
		return IRQ_NONE;
	exercise_write(core->exercise, SILEX_PK_BASE + SILEX_PK_CONTROL,
		       SILEX_PK_CONTROL_CLEAR_IRQ);
	core->interrupts++;
	complete(&core->ended);
	return IRQ_HANDLED;
}

static u32 public_key_poll(struct exercise *exercise)
{
	u32 status;

	while ((status = exercise_read(exercise, SILEX_PK_BASE + SILEX_PK_STATUS)) &
	       SILEX_PK_STATUS_BUSY)
		udelay(1);
	return status;
}

/* base^(prime - 1) modulo prime, which is 1 */
static void public_key_start(struct exercise *exercise, unsigned int base)
{
	u8 number[PUBLIC_KEY_SIZE];

	exercise_write(exercise, SILEX_PK_BASE + SILEX_PK_COMMAND, PUBLIC_KEY_COMMAND);
	public_key_prime(number);
	public_key_put(exercise, SILEX_PK_SLOT_N, number);
	number[PUBLIC_KEY_SIZE - 1]--;
	public_key_put(exercise, SILEX_PK_SLOT_B, number);
	memset(number, 0, sizeof(number));
	put_unaligned_be32(base, number + PUBLIC_KEY_SIZE - 4);
	public_key_put(exercise, SILEX_PK_SLOT_A, number);
	exercise_write(exercise, SILEX_PK_BASE + SILEX_PK_POINTERS,
		       SILEX_PK_POINTER_A(SILEX_PK_SLOT_A) | SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) |
			       SILEX_PK_POINTER_C(SILEX_PK_SLOT_C) |
			       SILEX_PK_POINTER_N(SILEX_PK_SLOT_N));
	exercise_write(exercise, SILEX_PK_BASE + SILEX_PK_CONTROL,
		       SILEX_PK_CONTROL_START | SILEX_PK_CONTROL_CLEAR_IRQ);
}

static bool public_key_is_one(struct exercise *exercise)
{
	u8 number[PUBLIC_KEY_SIZE];

	public_key_get(exercise, SILEX_PK_SLOT_C, number);
	return number[PUBLIC_KEY_SIZE - 1] == 1 && !memchr_inv(number, 0, PUBLIC_KEY_SIZE - 1);
}

bool public_key_run(struct exercise *exercise, unsigned int round)
{
	public_key_poll(exercise);
	public_key_start(exercise, round + 2);
	if (!exercise_polls(round) &&
	    !wait_for_completion_timeout(&exercise->cores[SILEX_LINE_PK].ended, EXERCISE_TIMEOUT))
		return false;
	return !(public_key_poll(exercise) & SILEX_PK_STATUS_ERRORS) && public_key_is_one(exercise);
}
