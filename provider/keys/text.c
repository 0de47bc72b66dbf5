/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/text.h"

#include "keys/kinds.h"

struct text {
	const struct fsp_functions *software; /* the default provider's encoder */
	void *soft; /* its context */
};

static void free_text(void *opaque)
{
	struct text *text = opaque;

	if (!text)
		return;
	if (text->soft)
		FSP_SOFT(text->software, encoder_freectx, ENCODER_FREECTX)(text->soft);
	OPENSSL_free(text);
}

static void *new(struct fsp_provider *provider, const struct fsp_key_kind *kind)
{
	struct text *text = OPENSSL_zalloc(sizeof(*text));

	if (!text)
		return NULL;
	text->software = fsp_software_find(provider, OSSL_OP_ENCODER, kind->name, "output=text");
	if (text->software)
		text->soft = FSP_SOFT(text->software, encoder_newctx,
				      ENCODER_NEWCTX)(text->software->context);
	if (text->soft)
		return text;
	free_text(text);
	return NULL;
}

static int encode(void *opaque, OSSL_CORE_BIO *to, const void *key, const OSSL_PARAM abstract[],
		  int selection, OSSL_PASSPHRASE_CALLBACK *passphrase, void *argument)
{
	struct text *text = opaque;

	return FSP_SOFT(text->software, encoder_encode,
			ENCODER_ENCODE)(text->soft, to, ((const struct fsp_key *)key)->data,
					abstract, selection, passphrase, argument);
}

#define FUNCTION(number, function) { OSSL_FUNC_ENCODER_##number, (void (*)(void))(function) }

#define TEXT_TABLE(id)                                      \
	static void *new_##id(void *provider)               \
	{                                                   \
		return new(provider, &fsp_key_##id##_kind); \
	}                                                   \
	const OSSL_DISPATCH fsp_text_##id[] = {             \
		FUNCTION(NEWCTX, new_##id),                 \
		FUNCTION(FREECTX, free_text),               \
		FUNCTION(ENCODE, encode),                   \
		{ 0, NULL },                                \
	}

TEXT_TABLE(rsa);
TEXT_TABLE(rsa_pss);
TEXT_TABLE(dh);
TEXT_TABLE(dhx);
TEXT_TABLE(ec);
TEXT_TABLE(x25519);
TEXT_TABLE(ed25519);
