/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's settings: keys in the provider's section of openssl.cnf, each with an environment
 * variable that overrides it.
 *
 *	key		environment			value
 *	device		FIRESTEEL_DEVICE		auto, uio:NAME or model, as firesteel_open() has it
 *	completion	FIRESTEEL_COMPLETION		adaptive, poll or irq
 *	operations	FIRESTEEL_PROVIDER_OPERATIONS	all, none, or names separated by commas
 *	thresholds	FIRESTEEL_PROVIDER_THRESHOLDS	NAME=SIZE with commas; for SIZE also auto or
 *							never; for NAME also all
 *	statistics	FIRESTEEL_PROVIDER_STATISTICS	a file; %p in it is the process ID
 *	programs	FIRESTEEL_PROVIDER_PROGRAMS	names separated by commas, of all that get the cores
 *	on_error	FIRESTEEL_PROVIDER_ON_ERROR	software or refuse
 */
#ifndef FSP_SETTINGS_H
#define FSP_SETTINGS_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>

#include "base/work.h"

#define FSP_TEXT_SIZE 256

#define FSP_AUTO  ((size_t)-2)
#define FSP_NEVER ((size_t)-1)

struct fsp_settings {
	char device[FSP_TEXT_SIZE]; /* empty: the library's default */
	char completion[FSP_TEXT_SIZE]; /* empty: no file */
	char statistics[FSP_TEXT_SIZE]; /* empty: none */
	char programs[FSP_TEXT_SIZE]; /* empty: any */
	bool refuse; /* whether to load when something is wrong */
	bool on[FSP_WORKS];
	size_t threshold[FSP_WORKS]; /* bytes, of public keys bits; FSP_AUTO or FSP_NEVER */
};

/* false: `message` names the error and the allowed values.  `refuse` is still valid then. */
bool fsp_settings_read(struct fsp_settings *settings, const OSSL_CORE_HANDLE *core,
		       OSSL_FUNC_core_get_params_fn *get_params, char message[FSP_TEXT_SIZE]);

/* Whether a program of this name gets the cores */
bool fsp_settings_want(const struct fsp_settings *settings, const char *program);

#endif
