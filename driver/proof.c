// SPDX-License-Identifier: GPL-2.0-or-later
#include "proof.h"

#include <linux/delay.h>

#include "cmd.h"

/* Between two looks at the core */
#define PAUSE_US 100u

#define AES_NEEDED  (SILEX_AES_MODE_ECB >> 8 | SILEX_AES_CAPS_KEY_128)
#define HASH_NEEDED (SILEX_HASH_ALG_SHA256 | SILEX_HASH_CAPS_PAD)

static bool proof_has(u32 caps, u32 needed)
{
	return (caps & needed) == needed;
}

/* A block of padding for AES, with whatever key is there, or for SHA-256; false: neither exists */
static bool proof_build(const struct firesteel_device *device, struct firesteel_cmd *cmd)
{
	bool aes = proof_has(device->aes_caps, AES_NEEDED);
	u32 engine = aes ? SILEX_ENGINE_AES : SILEX_ENGINE_HASH;
	unsigned int size = sizeof(cmd->arena->padding);

	if (!aes && !proof_has(device->hash_caps, HASH_NEEDED))
		return false;
	silex_list_keep(&cmd->fetch, 0);
	silex_list_keep(&cmd->push, 0);
	if (aes)
		firesteel_cmd_configure_aes(cmd, SILEX_AES_MODE_ECB, size);
	else
		firesteel_cmd_configure_hash(cmd, SILEX_HASH_ALG_SHA256, false, 0);
	silex_list_add(&cmd->fetch, firesteel_cmd_address(cmd, padding), size, engine);
	firesteel_cmd_end_item(cmd, size, size, engine | SILEX_TAG_LAST);
	firesteel_cmd_push_arena(cmd, digest, aes ? size : 32u);
	return firesteel_cmd_close(cmd);
}

/* How it has ended; FIRESTEEL_TIME_OUT: not while there was time */
static enum firesteel_fault proof_wait(struct firesteel_cryptomaster *cm)
{
	u64 deadline = ktime_get_ns() + (u64)firesteel_timeout_ms * NSEC_PER_MSEC;
	enum firesteel_fault fault;
	u64 reads = 0;
	bool last;

	for (;;) {
		last = ktime_get_ns() > deadline;
		fault = firesteel_cryptomaster_poll(cm, 0, &reads);
		if (fault != FIRESTEEL_TIME_OUT || last)
			return fault;
		usleep_range(PAUSE_US, 2 * PAUSE_US);
	}
}

bool firesteel_proof_passes(struct firesteel_device *device)
{
	struct firesteel_queue *queue = &device->queue;
	struct firesteel_cmd *cmd;
	bool passes = true;

	/* not ours yet: recovery finds the same */
	if (firesteel_cryptomaster_reset(&queue->cm) != FIRESTEEL_STOPPED)
		return true;
	cmd = firesteel_pool_get(&queue->pool, 0);
	if (proof_build(device, cmd)) {
		firesteel_cryptomaster_start(&queue->cm, cmd->fetch.address, cmd->push.address);
		passes = !proof_wait(&queue->cm) ||
			 firesteel_cryptomaster_stop(queue->cm.registers) != FIRESTEEL_AT_WORK;
	}
	firesteel_pool_put(&queue->pool, cmd);
	return passes;
}
