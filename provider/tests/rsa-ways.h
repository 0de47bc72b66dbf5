/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with an RSA key: signatures with every padding, digest and salt, decryption with right
 * and wrong padding, each call beside the default provider's. */
#ifndef FSP_TESTS_RSA_WAYS_H
#define FSP_TESTS_RSA_WAYS_H

#include "unit.h"

#define RSA_MOST 1024u /* bytes of a modulus */

extern struct unit unit;

/* One key, of either provider */
struct rsa_pair {
	EVP_PKEY *ours, *theirs;
	size_t size;
};

struct rsa_pair rsa_pair(EVP_PKEY *theirs);
void rsa_pair_free(struct rsa_pair *pair);

/* How a signature is made; digest NULL: none, salt 0 and less: as libcrypto names them */
struct rsa_way {
	int padding;
	const char *digest, *mask;
	int salt;
};

bool rsa_sign(EVP_PKEY *key, const char *properties, const struct rsa_way *way, const uint8_t *in,
	      size_t in_size, uint8_t *out, size_t *size);
bool rsa_verify(EVP_PKEY *key, const char *properties, const struct rsa_way *way, const uint8_t *in,
		size_t in_size, const uint8_t *bytes, size_t size);

/* Everything; and parts of it */
void rsa_all_ways(const struct rsa_pair *pair);
void rsa_messages(const struct rsa_pair *pair);
void rsa_decryptions(const struct rsa_pair *pair);

/* Without padding.  With a key that is not `right` software's answer is another one each time, by its
 * blinding. */
void rsa_raw(const struct rsa_pair *pair, bool right);

#endif
