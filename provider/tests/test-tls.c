/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libssl with the provider on one side, as client and as server, and the default provider alone on
 * the other: every suite with AES that libssl has, with CBC in both orders of MAC and encryption;
 * records of many sizes; and records that somebody has changed on their way.
 */
/* DH objects are deprecated, but make such a file in three lines */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <stdio.h>
#include <string.h>

#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "unit.h"

/* Weak by now, but libssl still has them at this level */
#define SUITES "ALL:AES:@SECLEVEL=0"

#define KEYS 3u /* RSA, P-256, Ed25519 */

static EVP_PKEY *keys[KEYS];
static X509 *certificates[KEYS];

static SSL_CTX *make_context(OSSL_LIB_CTX *library, const char *properties, bool server)
{
	SSL_CTX *context = SSL_CTX_new_ex(library, properties,
					  server ? TLS_server_method() : TLS_client_method());

	CHECK(context && SSL_CTX_set_cipher_list(context, SUITES));
	CHECK(SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
						"TLS_AES_128_CCM_SHA256:"
						"TLS_AES_128_CCM_8_SHA256"));
	SSL_CTX_set_min_proto_version(context, 0);
	SSL_CTX_set_dh_auto(context, 1);
	for (unsigned i = 0; i < KEYS && server; i++) {
		CHECK(SSL_CTX_use_certificate(context, certificates[i]) > 0);
		CHECK(SSL_CTX_use_PrivateKey(context, keys[i]) > 0);
	}
	return context;
}

struct line {
	SSL *end[2]; /* client, server */
	BIO *to[2]; /* what the end reads from */
};

static struct line connect_ends(SSL_CTX *client, SSL_CTX *server)
{
	struct line line = { .end = { SSL_new(client), SSL_new(server) } };

	for (unsigned i = 0; i < 2; i++)
		line.to[i] = BIO_new(BIO_s_mem());
	for (unsigned i = 0; i < 2; i++) {
		BIO_up_ref(line.to[i]);
		BIO_up_ref(line.to[!i]);
		SSL_set_bio(line.end[i], line.to[i], line.to[!i]);
	}
	SSL_set_connect_state(line.end[0]);
	SSL_set_accept_state(line.end[1]);
	return line;
}

static void hang_up(struct line *line)
{
	for (unsigned i = 0; i < 2; i++) {
		SSL_free(line->end[i]);
		BIO_free(line->to[i]);
	}
}

/* What succeeds leaves no error behind: SSL_get_error() would take it for that of a later call that
 * only has to wait */
static void no_error_left(void)
{
	if (ERR_peek_error())
		ERR_print_errors_fp(stderr);
	CHECK(!ERR_peek_error());
}

/* What programs derive for themselves is the same at both ends */
static void export_keys(struct line *line)
{
	static const char label[] = "EXPORTER-firesteel-test";
	uint8_t keys[2][256];

	for (unsigned i = 0; i < 2; i++)
		CHECK(SSL_export_keying_material(line->end[i], keys[i], sizeof(keys[i]), label,
						 strlen(label), NULL, 0, 0) > 0);
	CHECK(memcmp(keys[0], keys[1], sizeof(keys[0])) == 0);
}

static bool shake_hands(struct line *line)
{
	int done[2] = { 0 };

	ERR_clear_error();
	for (unsigned i = 0; i < 20 && (done[0] != 1 || done[1] != 1); i++)
		done[i % 2] = SSL_do_handshake(line->end[i % 2]);
	if (done[0] != 1 || done[1] != 1)
		return false;
	export_keys(line);
	no_error_left();
	return true;
}

/* One message from an end to the other */
static void say(struct line *line, unsigned from, size_t size)
{
	static uint8_t sent[40000], got[40000];
	size_t done = 0, part;

	unit_fill(sent, size);
	CHECK(SSL_write_ex(line->end[from], sent, size, &part) && part == size);
	while (done < size) {
		CHECK(SSL_read_ex(line->end[!from], got + done, size - done, &part));
		done += part;
	}
	CHECK(memcmp(sent, got, size) == 0);
	no_error_left();
}

/* The last record to arrive at an end is changed: it must not be taken */
static void forge(struct line *line)
{
	uint8_t message[333] = { 0 }, *bytes;
	size_t part;
	long size;

	CHECK(SSL_write_ex(line->end[0], message, sizeof(message), &part));
	size = BIO_get_mem_data(line->to[1], &bytes);
	CHECK(size > (long)sizeof(message));
	/* the length in front stays */
	bytes[5 + unit_random((unsigned)size - 5)] ^= 1u << unit_random(8);
	CHECK(!SSL_read_ex(line->end[1], message, sizeof(message), &part));
	CHECK(SSL_get_error(line->end[1], 0) == SSL_ERROR_SSL);
	ERR_clear_error();
}

static bool converse(SSL_CTX *client, SSL_CTX *server, const SSL_CIPHER *suite, int version,
		     bool mac_first)
{
	struct line line = connect_ends(client, server);
	bool good;

	SSL_set_min_proto_version(line.end[0], version);
	SSL_set_max_proto_version(line.end[0], version);
	if (version == TLS1_3_VERSION)
		CHECK(SSL_set_ciphersuites(line.end[0], SSL_CIPHER_get_name(suite)));
	else
		CHECK(SSL_set_cipher_list(line.end[0], SSL_CIPHER_get_name(suite)));
	SSL_set_security_level(line.end[0], 0);
	SSL_set_security_level(line.end[1], 0);
	if (mac_first)
		SSL_set_options(line.end[0], SSL_OP_NO_ENCRYPT_THEN_MAC);
	good = shake_hands(&line);
	if (good) {
		CHECK(SSL_get_current_cipher(line.end[0]) == suite ||
		      SSL_CIPHER_get_id(SSL_get_current_cipher(line.end[1])) ==
			      SSL_CIPHER_get_id(suite));
		for (unsigned i = 0; i < 24; i++)
			say(&line, i % 2, i < 20 ? 1 + i * 7 : 1 + unit_random(40000));
		forge(&line);
	}
	ERR_clear_error();
	hang_up(&line);
	return good;
}

/* Every suite of the list in every version that has it; how many conversations there were */
static unsigned all_suites(SSL_CTX *client, SSL_CTX *server)
{
	static const int versions[] = { TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION,
					TLS1_3_VERSION };
	STACK_OF(SSL_CIPHER) *suites = SSL_CTX_get_ciphers(client);
	unsigned spoken = 0;

	for (int i = 0; i < sk_SSL_CIPHER_num(suites); i++) {
		const SSL_CIPHER *suite = sk_SSL_CIPHER_value(suites, i);
		const char *name = SSL_CIPHER_get_name(suite);

		if (!strstr(name, "AES") || strstr(name, "PSK") || strstr(name, "SRP"))
			continue;
		for (unsigned v = 0; v < COUNT(versions); v++) {
			bool newest = strncmp(name, "TLS_", 4) == 0;

			if (newest != (versions[v] == TLS1_3_VERSION))
				continue;
			spoken += converse(client, server, suite, versions[v], false);
			spoken += converse(client, server, suite, versions[v], true);
		}
	}
	return spoken;
}

/* A key remembers in which contexts it was used: so each has its own, which goes before it */
static void make_keys(void)
{
	keys[0] = EVP_RSA_gen(2048);
	keys[1] = EVP_EC_gen("P-256");
	keys[2] = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	for (unsigned i = 0; i < KEYS; i++)
		CHECK(keys[i] && (certificates[i] = unit_certificate(keys[i])));
}

static void free_keys(void)
{
	for (unsigned i = 0; i < KEYS; i++) {
		X509_free(certificates[i]);
		EVP_PKEY_free(keys[i]);
	}
}

/* A server with parameters in a file, as programs have them: both operations are the core's */
static void own_parameters(struct unit *unit, SSL_CTX *client, SSL_CTX *server)
{
	DH *parameters = DH_new();
	BIGNUM *prime = BN_new(), *generator = BN_new();
	EVP_PKEY *read;
	BIO *file = BIO_new(BIO_s_mem());
	unsigned long long before = unit_count("dh", UNIT_HARDWARE);
	const SSL_CIPHER *suite = NULL;

	CHECK(BN_generate_prime_ex(prime, 1024, 0, NULL, NULL, NULL) && BN_set_word(generator, 2));
	CHECK(DH_set0_pqg(parameters, prime, NULL, generator));
	CHECK(PEM_write_bio_DHparams(file, parameters));
	read = PEM_read_bio_Parameters_ex(file, NULL, unit->library, "?firesteel.cores=yes");
	SSL_CTX_set_security_level(server, 0);
	CHECK(read && SSL_CTX_set_dh_auto(server, 0) && SSL_CTX_set0_tmp_dh_pkey(server, read));
	for (int i = 0; i < sk_SSL_CIPHER_num(SSL_CTX_get_ciphers(client)); i++) {
		suite = sk_SSL_CIPHER_value(SSL_CTX_get_ciphers(client), i);
		if (strcmp(SSL_CIPHER_get_name(suite), "DHE-RSA-AES128-GCM-SHA256") == 0)
			break;
	}
	CHECK(converse(client, server, suite, TLS1_2_VERSION, false));
	CHECK(unit_count("dh", UNIT_HARDWARE) == before + 2);
	DH_free(parameters);
	BIO_free(file);
}

/* Handshakes with a kind of certificate and a group: what the cores did of each */
static void with_curves(SSL_CTX *client, SSL_CTX *server, const char *what)
{
	static const char *const groups[] = { "X25519", "P-256", "P-384", "P-521" };
	static const struct {
		const char *algorithms, *suite, *work;
	} kinds[] = {
		{ "rsa_pss_rsae_sha256", "ECDHE-RSA-AES128-GCM-SHA256", "rsa" },
		{ "ecdsa_secp256r1_sha256", "ECDHE-ECDSA-AES128-GCM-SHA256", "ecdsa" },
		{ "ed25519", "ECDHE-ECDSA-AES128-GCM-SHA256", "ed25519" },
	};

	for (unsigned i = 0; i < COUNT(groups) * COUNT(kinds) * 2; i++) {
		const char *agreed = i % 4 ? "ecdh" : "x25519";
		unsigned kind = i / 4 % 3;
		int version = i < 12 ? TLS1_2_VERSION : TLS1_3_VERSION;
		struct line line = connect_ends(client, server);
		unsigned long long signatures = unit_count(kinds[kind].work, UNIT_HARDWARE);
		unsigned long long secrets = unit_count(agreed, UNIT_HARDWARE);
		char group[32];

		/* up to TLS 1.2 the certificate's curve has to be one of them */
		snprintf(group, sizeof(group), "%s%s", groups[i % 4], i % 4 == 1 ? "" : ":P-256");
		SSL_set_min_proto_version(line.end[0], version);
		SSL_set_max_proto_version(line.end[0], version);
		CHECK(SSL_set1_sigalgs_list(line.end[0], kinds[kind].algorithms));
		CHECK(SSL_set1_groups_list(line.end[0], group));
		if (version == TLS1_2_VERSION)
			CHECK(SSL_set_cipher_list(line.end[0], kinds[kind].suite));
		CHECK(SSL_set1_groups_list(line.end[1], group));
		if (!shake_hands(&line))
			fprintf(stderr, "%s: %s, %s\n", what, group, kinds[kind].algorithms);
		CHECK(SSL_is_init_finished(line.end[0]) && SSL_is_init_finished(line.end[1]));
		say(&line, 0, 1000);
		say(&line, 1, 1000);
		/* the key and the secret; the signature or its verification */
		CHECK(unit_count(agreed, UNIT_HARDWARE) == secrets + 2);
		CHECK(unit_count(kinds[kind].work, UNIT_HARDWARE) >= signatures + 1);
		hang_up(&line);
	}
}

static void both_ways(const char *device, const char *thresholds)
{
	struct unit unit = unit_open(device, thresholds);
	SSL_CTX *client[2], *server[2];
	unsigned spoken[3];

	make_keys();
	client[0] = make_context(unit.library, "?firesteel.cores=yes", false);
	server[0] = make_context(unit.library, "?firesteel.cores=yes", true);
	client[1] = make_context(NULL, NULL, false);
	server[1] = make_context(NULL, NULL, true);
	spoken[0] = all_suites(client[1], server[1]); /* what libssl speaks with itself */
	spoken[1] = all_suites(client[0], server[1]);
	spoken[2] = all_suites(client[1], server[0]);
	printf("%s: %u, %u, %u conversations\n", thresholds, spoken[0], spoken[1], spoken[2]);
	CHECK(spoken[0] > 40 && spoken[0] == spoken[1] && spoken[0] == spoken[2]);
	CHECK(unit_count("cbc", UNIT_HARDWARE) > 100);
	CHECK(unit_count("gcm", UNIT_HARDWARE) > 100);
	CHECK(unit_count("ccm", UNIT_HARDWARE) > 100);
	CHECK(unit_count("digest", UNIT_HARDWARE) > 100);
	CHECK(unit_count("hmac", UNIT_HARDWARE) > 100);
	CHECK(unit_count("rsa", UNIT_HARDWARE) > 100);
	CHECK(unit_count("dh", UNIT_HARDWARE) > 20);
	own_parameters(&unit, client[1], server[0]);
	if (strcmp(thresholds, "all=1") == 0) {
		with_curves(client[0], server[1], "as client");
		with_curves(client[1], server[0], "as server");
	}
	for (unsigned i = 0; i < 2; i++) {
		SSL_CTX_free(client[i]);
		SSL_CTX_free(server[i]);
	}
	free_keys();
	unit_close(&unit);
}

int main(void)
{
	both_ways("model:hash=on", "all=1");
	both_ways("model:hash=on", "all=256");
	return 0;
}
