/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include <wolfssl/options.h>

#include <stdlib.h>

#include <firesteel/wolfssl.h>
#include <wolfssl/error-ssl.h>
#include <wolfssl/ssl.h>

#include "check.h"
#include "wire.h"

struct wolfssl_end {
	WOLFSSL_CTX *context;
	WOLFSSL *ssl;
	struct wire *wire;
	bool serves;
	int error;
};

static int take(WOLFSSL *ssl, char *bytes, int size, void *context)
{
	struct wolfssl_end *end = context;
	size_t got = queue_take(&end->wire->to[TO_WOLFSSL], bytes, (size_t)size);

	(void)ssl;
	return got > 0 ? (int)got : WOLFSSL_CBIO_ERR_WANT_READ;
}

static int give(WOLFSSL *ssl, char *bytes, int size, void *context)
{
	struct wolfssl_end *end = context;

	(void)ssl;
	queue_put(&end->wire->to[TO_OPENSSL], bytes, (size_t)size);
	return size;
}

static void configure(struct wolfssl_end *end, const struct identity *identity, int device)
{
	/* Before the key, which gets the ID of its context when it is loaded */
	CHECK(wolfSSL_CTX_SetDevId(end->context, device) == WOLFSSL_SUCCESS);
	wolfSSL_CTX_SetIORecv(end->context, take);
	wolfSSL_CTX_SetIOSend(end->context, give);
	if (end->serves) {
		CHECK(wolfSSL_CTX_use_certificate_buffer(end->context, identity->certificate,
							 identity->certificate_size,
							 WOLFSSL_FILETYPE_ASN1) == WOLFSSL_SUCCESS);
		CHECK(wolfSSL_CTX_use_PrivateKey_buffer(end->context, identity->key,
							identity->key_size,
							WOLFSSL_FILETYPE_ASN1) == WOLFSSL_SUCCESS);
	} else {
		CHECK(wolfSSL_CTX_load_verify_buffer(end->context, identity->certificate,
						     identity->certificate_size,
						     WOLFSSL_FILETYPE_ASN1) == WOLFSSL_SUCCESS);
		wolfSSL_CTX_set_verify(end->context, WOLFSSL_VERIFY_PEER, NULL);
	}
}

struct wolfssl_end *wolfssl_open(const struct scene *scene, struct wire *wire,
				 const struct identity *identity, int device)
{
	struct wolfssl_end *end = calloc(1, sizeof(*end));
	WOLFSSL_METHOD *method = scene->wolfssl_serves ? wolfTLS_server_method()
						       : wolfTLS_client_method();

	CHECK(end);
	end->wire = wire;
	end->serves = scene->wolfssl_serves;
	end->context = wolfSSL_CTX_new(method);
	CHECK(end->context);
	configure(end, identity, device);
	end->ssl = wolfSSL_new(end->context);
	CHECK(end->ssl);
	wolfSSL_SetIOReadCtx(end->ssl, end);
	wolfSSL_SetIOWriteCtx(end->ssl, end);
	return end;
}

void wolfssl_close(struct wolfssl_end *end)
{
	wolfSSL_free(end->ssl);
	wolfSSL_CTX_free(end->context);
	free(end);
}

static enum step step_of(struct wolfssl_end *end, int returned)
{
	if (returned > 0)
		return STEP_DONE;
	end->error = wolfSSL_get_error(end->ssl, returned);
	return end->error == WOLFSSL_ERROR_WANT_READ ? STEP_AGAIN : STEP_FAILED;
}

enum step wolfssl_handshake(struct wolfssl_end *end)
{
	int returned = end->serves ? wolfSSL_accept(end->ssl) : wolfSSL_connect(end->ssl);

	return step_of(end, returned == WOLFSSL_SUCCESS ? 1 : returned);
}

enum step wolfssl_write(struct wolfssl_end *end, const void *bytes, size_t size)
{
	return step_of(end, wolfSSL_write(end->ssl, bytes, (int)size));
}

enum step wolfssl_read(struct wolfssl_end *end, void *bytes, size_t size, size_t *got)
{
	int returned = wolfSSL_read(end->ssl, bytes, (int)size);

	*got = returned > 0 ? (size_t)returned : 0;
	return step_of(end, returned);
}

int wolfssl_error(struct wolfssl_end *end)
{
	return end->error;
}
