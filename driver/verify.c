// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify.h"

#include "algorithm.h"

unsigned int firesteel_verify;

int firesteel_verifier_open(struct firesteel_verifier *verifier, const char *algorithm)
{
	int err;

	verifier->cipher = NULL;
	if (!READ_ONCE(firesteel_verify))
		return 0;
	verifier->cipher = crypto_alloc_sync_skcipher(algorithm, 0, FIRESTEEL_FALLBACK_MASK);
	if (!IS_ERR(verifier->cipher))
		return 0;
	err = PTR_ERR(verifier->cipher);
	verifier->cipher = NULL;
	return err;
}

int firesteel_verifier_set_key(struct firesteel_verifier *verifier, const u8 *key,
			       unsigned int size)
{
	return verifier->cipher ? crypto_sync_skcipher_setkey(verifier->cipher, key, size) : 0;
}

void firesteel_verifier_close(struct firesteel_verifier *verifier)
{
	if (verifier->cipher)
		crypto_free_sync_skcipher(verifier->cipher);
}

bool firesteel_verifier_count(struct firesteel_verifier *verifier)
{
	unsigned int each = READ_ONCE(firesteel_verify);

	return each && (unsigned int)atomic_inc_return(&verifier->requests) % each == 0;
}

/* Turns the backup into what the core should have written */
static int verifier_compute(struct crypto_sync_skcipher *cipher, struct firesteel_cmd *cmd,
			    bool decrypt)
{
	SYNC_SKCIPHER_REQUEST_ON_STACK(request, cipher);
	u8 iv[SILEX_AES_BLOCK];
	struct scatterlist list;
	int err;

	memcpy(iv, cmd->arena->iv, sizeof(iv));
	sg_init_one(&list, cmd->backup, cmd->backup_size);
	skcipher_request_set_sync_tfm(request, cipher);
	skcipher_request_set_callback(request, 0, NULL, NULL);
	skcipher_request_set_crypt(request, &list, &list, cmd->backup_size, iv);
	err = decrypt ? crypto_skcipher_decrypt(request) : crypto_skcipher_encrypt(request);
	skcipher_request_zero(request);
	return err;
}

bool firesteel_verifier_check(struct firesteel_verifier *verifier, struct firesteel_cmd *cmd,
			      bool decrypt)
{
	if (verifier_compute(verifier->cipher, cmd, decrypt))
		return true;
	return !firesteel_cmd_replace(cmd, cmd->backup, cmd->backup_size);
}
