// SPDX-License-Identifier: GPL-2.0-or-later
/* Known answers through CryptoMaster; see exercise.h. */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/string.h>

#include "exercise.h"
#include "silex/ba411.h"
#include "silex/ba413.h"
#include "silex/cryptomaster.h"
#include "silex/message.h"

#define SYMMETRIC_MAX 4096u
#define SYMMETRIC_IRQS \
	(SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)
#define SYMMETRIC_WAITING \
	(SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)

struct exercise_memory {
	struct silex_descriptor fetch[3];
	struct silex_descriptor push;
	__le32 config;
	u8 key[32];
	u8 in[SYMMETRIC_MAX];
	u8 out[SYMMETRIC_MAX];
};

#define SYMMETRIC_AT(exercise, member) \
	((u32)((exercise)->address + offsetof(struct exercise_memory, member)))

/* One job: its input is `in` over and over, and so is its output; `key` counts up from 0 */
struct symmetric_answer {
	u32 presence;
	u32 engine;
	u32 config;
	unsigned int key_size; /* 0: none */
	unsigned int in_size;
	unsigned int out_size;
	bool repeats;
	u8 in[16];
	u8 out[32];
};

static const struct symmetric_answer symmetric_answers[] = {
	{ /* FIPS 197, appendix C.1 */
	  .presence = SILEX_PRESENCE_AES,
	  .engine = SILEX_ENGINE_AES,
	  .config = SILEX_AES_MODE_ECB | SILEX_AES_KEY_128,
	  .key_size = 16,
	  .in_size = 16,
	  .out_size = 16,
	  .repeats = true,
	  .in = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc,
		  0xdd, 0xee, 0xff },
	  .out = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70,
		   0xb4, 0xc5, 0x5a } },
	{ /* FIPS 197, appendix C.3 */
	  .presence = SILEX_PRESENCE_AES,
	  .engine = SILEX_ENGINE_AES,
	  .config = SILEX_AES_MODE_ECB | SILEX_AES_KEY_256,
	  .key_size = 32,
	  .in_size = 16,
	  .out_size = 16,
	  .repeats = true,
	  .in = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc,
		  0xdd, 0xee, 0xff },
	  .out = { 0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b,
		   0x49, 0x60, 0x89 } },
	{ /* SHA-256 of "abc" and an invalid byte; FIPS 180-2, appendix B.1 */
	  .presence = SILEX_PRESENCE_HASH,
	  .engine = SILEX_ENGINE_HASH,
	  .config = SILEX_HASH_ALG_SHA256 | SILEX_HASH_PAD | SILEX_HASH_FINAL,
	  .in_size = 3,
	  .out_size = 32,
	  .in = { 'a', 'b', 'c' },
	  .out = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
		   0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
		   0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad } },
};

int symmetric_prepare(struct exercise *exercise)
{
	unsigned int i;

	exercise->memory = dmam_alloc_coherent(&exercise->pci->dev, sizeof(*exercise->memory),
					       &exercise->address, GFP_KERNEL);
	if (!exercise->memory)
		return -ENOMEM;
	for (i = 0; i < sizeof(exercise->memory->key); i++)
		exercise->memory->key[i] = i;
	return 0;
}

irqreturn_t symmetric_interrupt(int irq, void *data)
{
	struct exercise_core *core = data;

	if (!exercise_read(core->exercise, SILEX_CM_INT_STAT))
		return IRQ_NONE;
	exercise_write(core->exercise, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	core->interrupts++;
	complete(&core->ended);
	return IRQ_HANDLED;
}

/* The next known answer of an engine that is there */
static const struct symmetric_answer *symmetric_choose(struct exercise *exercise,
						       unsigned int round)
{
	u32 presence = exercise_read(exercise, SILEX_PRESENCE);

	/* Two rounds each: one that polls and one that does not */
	for (round /= 2;; round++) {
		const struct symmetric_answer
			*answer = &symmetric_answers[round % ARRAY_SIZE(symmetric_answers)];

		if (presence & answer->presence)
			return answer;
	}
}

static void symmetric_fill(struct exercise *exercise, const struct symmetric_answer *answer,
			   unsigned int in_size, unsigned int out_size)
{
	struct exercise_memory *memory = exercise->memory;
	u32 padded = round_up(in_size, 4);
	struct silex_list list;
	unsigned int at;

	for (at = 0; at < in_size; at += answer->in_size)
		memcpy(memory->in + at, answer->in, answer->in_size);
	memset(memory->out, 0, out_size);
	memory->config = cpu_to_le32(answer->config);
	silex_list_begin(&list, memory->fetch, SYMMETRIC_AT(exercise, fetch),
			 ARRAY_SIZE(memory->fetch));
	silex_list_config(&list, answer->engine, 0, SYMMETRIC_AT(exercise, config),
			  sizeof(memory->config));
	if (answer->key_size)
		silex_list_config(&list, answer->engine, SILEX_AES_KEY, SYMMETRIC_AT(exercise, key),
				  answer->key_size);
	silex_list_add(&list, SYMMETRIC_AT(exercise, in), padded | SILEX_LEN_REALIGN,
		       answer->engine | SILEX_TAG_LAST | SILEX_TAG_INVALID(padded - in_size));
	silex_list_stop(&list, 0);
	silex_list_begin(&list, &memory->push, SYMMETRIC_AT(exercise, push), 1);
	silex_list_add(&list, SYMMETRIC_AT(exercise, out), out_size | SILEX_LEN_REALIGN, 0);
	silex_list_stop(&list, 0);
}

static void symmetric_start(struct exercise *exercise, u32 interrupts)
{
	exercise_write(exercise, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	exercise_write(exercise, SILEX_CM_INT_EN, interrupts);
	exercise_write(exercise, SILEX_CM_FETCH_ADDR, SYMMETRIC_AT(exercise, fetch));
	exercise_write(exercise, SILEX_CM_PUSH_ADDR, SYMMETRIC_AT(exercise, push));
	exercise_write(exercise, SILEX_CM_CONFIG,
		       SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG);
	exercise_write(exercise, SILEX_CM_START, SILEX_CM_START_FETCH | SILEX_CM_START_PUSH);
}

static bool symmetric_is_right(struct exercise *exercise, const struct symmetric_answer *answer,
			       unsigned int out_size)
{
	unsigned int at;

	for (at = 0; at < out_size; at += answer->out_size) {
		if (memcmp(exercise->memory->out + at, answer->out, answer->out_size))
			return false;
	}
	return true;
}

bool symmetric_run(struct exercise *exercise, unsigned int round)
{
	const struct symmetric_answer *answer = symmetric_choose(exercise, round);
	unsigned int times = answer->repeats ? 1 + round * 7 % (SYMMETRIC_MAX / 16) : 1;
	unsigned int out_size = times * answer->out_size;

	symmetric_fill(exercise, answer, times * answer->in_size, out_size);
	if (exercise_polls(round)) {
		symmetric_start(exercise, 0);
		while (exercise_read(exercise, SILEX_CM_STATUS) & SYMMETRIC_WAITING)
			udelay(1);
	} else {
		symmetric_start(exercise, SYMMETRIC_IRQS);
		if (!wait_for_completion_timeout(&exercise->cores[SILEX_LINE_CM].ended,
						 EXERCISE_TIMEOUT))
			return false;
	}
	return symmetric_is_right(exercise, answer, out_size);
}
