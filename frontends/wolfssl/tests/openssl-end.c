/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "check.h"

static EVP_PKEY *keys[KINDS];
static X509 *certificates[KINDS];

struct openssl_end {
	SSL_CTX *context;
	SSL *ssl;
	BIO *in, *out;
	struct wire *wire;
};

/* ---- identities ---- */

static X509 *certify(EVP_PKEY *key)
{
	X509 *certificate = X509_new();
	X509_NAME *name = X509_get_subject_name(certificate);
	X509_EXTENSION *authority = X509V3_EXT_conf_nid(NULL, NULL, NID_basic_constraints,
							"critical,CA:TRUE");

	CHECK(X509_set_version(certificate, 2) && authority);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"test", -1, -1,
					 0));
	CHECK(X509_set_issuer_name(certificate, name) && X509_set_pubkey(certificate, key));
	CHECK(X509_add_ext(certificate, authority, -1));
	CHECK(X509_sign(certificate, key, EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256()) > 0);
	X509_EXTENSION_free(authority);
	return certificate;
}

void openssl_begin(struct identity identities[KINDS])
{
	keys[KIND_RSA] = EVP_RSA_gen(2048);
	keys[KIND_EC] = EVP_EC_gen("P-256");
	keys[KIND_ED] = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	for (unsigned i = 0; i < KINDS; i++) {
		struct identity *identity = &identities[i];

		CHECK(keys[i]);
		certificates[i] = certify(keys[i]);
		*identity = (struct identity){ .key = NULL };
		identity->key_size = i2d_PrivateKey(keys[i], &identity->key);
		identity->certificate_size = i2d_X509(certificates[i], &identity->certificate);
		CHECK(identity->key_size > 0 && identity->certificate_size > 0);
	}
}

void openssl_finish(struct identity identities[KINDS])
{
	for (unsigned i = 0; i < KINDS; i++) {
		OPENSSL_free(identities[i].key);
		OPENSSL_free(identities[i].certificate);
		X509_free(certificates[i]);
		EVP_PKEY_free(keys[i]);
	}
}

/* ---- an end ---- */

static void configure(struct openssl_end *end, const struct scene *scene)
{
	const int version = scene->newest ? TLS1_3_VERSION : TLS1_2_VERSION;

	CHECK(SSL_CTX_set_min_proto_version(end->context, version));
	CHECK(SSL_CTX_set_max_proto_version(end->context, version));
	if (scene->newest)
		CHECK(SSL_CTX_set_ciphersuites(end->context, scene->suite));
	else
		CHECK(SSL_CTX_set_cipher_list(end->context, scene->suite));
	CHECK(SSL_CTX_set1_groups_list(end->context, scene->group));
	CHECK(SSL_CTX_set1_sigalgs_list(end->context, scene->signature));
	if (scene->wolfssl_serves) {
		SSL_CTX_set_verify(end->context, SSL_VERIFY_PEER, NULL);
		CHECK(X509_STORE_add_cert(SSL_CTX_get_cert_store(end->context),
					  certificates[scene->kind]));
	} else {
		/* Of groups too, for what comes first in the scene */
		SSL_CTX_set_options(end->context, SSL_OP_CIPHER_SERVER_PREFERENCE);
		CHECK(SSL_CTX_use_certificate(end->context, certificates[scene->kind]) > 0);
		CHECK(SSL_CTX_use_PrivateKey(end->context, keys[scene->kind]) > 0);
	}
}

struct openssl_end *openssl_open(const struct scene *scene, struct wire *wire)
{
	struct openssl_end *end = calloc(1, sizeof(*end));

	CHECK(end);
	end->wire = wire;
	end->context = SSL_CTX_new(scene->wolfssl_serves ? TLS_client_method()
							 : TLS_server_method());
	CHECK(end->context);
	configure(end, scene);
	end->ssl = SSL_new(end->context);
	end->in = BIO_new(BIO_s_mem());
	end->out = BIO_new(BIO_s_mem());
	CHECK(end->ssl && end->in && end->out);
	BIO_set_mem_eof_return(end->in, -1);
	SSL_set_bio(end->ssl, end->in, end->out);
	if (scene->wolfssl_serves)
		SSL_set_connect_state(end->ssl);
	else
		SSL_set_accept_state(end->ssl);
	return end;
}

void openssl_close(struct openssl_end *end)
{
	SSL_free(end->ssl);
	SSL_CTX_free(end->context);
	free(end);
	ERR_clear_error();
}

static void receive(struct openssl_end *end)
{
	uint8_t bytes[4096];
	size_t size;

	while ((size = queue_take(&end->wire->to[TO_OPENSSL], bytes, sizeof(bytes))) > 0)
		CHECK(BIO_write(end->in, bytes, (int)size) == (int)size);
}

static void send(struct openssl_end *end)
{
	uint8_t bytes[4096];
	int size;

	while ((size = BIO_read(end->out, bytes, sizeof(bytes))) > 0)
		queue_put(&end->wire->to[TO_WOLFSSL], bytes, (size_t)size);
}

static enum step step_of(struct openssl_end *end, int returned)
{
	int error = SSL_get_error(end->ssl, returned);

	send(end);
	if (returned > 0)
		return STEP_DONE;
	return error == SSL_ERROR_WANT_READ ? STEP_AGAIN : STEP_FAILED;
}

enum step openssl_handshake(struct openssl_end *end)
{
	enum step step;

	ERR_clear_error();
	receive(end);
	step = step_of(end, SSL_do_handshake(end->ssl));
	if (step == STEP_FAILED)
		ERR_print_errors_fp(stderr);
	return step;
}

enum step openssl_write(struct openssl_end *end, const void *bytes, size_t size)
{
	ERR_clear_error();
	return step_of(end, SSL_write(end->ssl, bytes, (int)size));
}

enum step openssl_read(struct openssl_end *end, void *bytes, size_t size, size_t *got)
{
	ERR_clear_error();
	receive(end);
	*got = 0;
	return step_of(end, SSL_read_ex(end->ssl, bytes, size, got));
}

bool openssl_was_told_of_forgery(struct openssl_end *end)
{
	uint8_t byte;
	size_t got;

	return openssl_read(end, &byte, 1, &got) == STEP_FAILED &&
	       ERR_GET_REASON(ERR_peek_error()) == SSL_R_SSLV3_ALERT_BAD_RECORD_MAC;
}

const char *openssl_suite(struct openssl_end *end)
{
	return SSL_get_cipher(end->ssl);
}
