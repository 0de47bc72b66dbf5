/* SPDX-License-Identifier: Apache-2.0 */
#include "base/settings.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/params.h>

enum key { DEVICE, COMPLETION, OPERATIONS, THRESHOLDS, STATISTICS, PROGRAMS, ON_ERROR, KEYS };

static const struct {
	const char *key, *environment;
} names[KEYS] = {
	[DEVICE] = { "device", "FIRESTEEL_DEVICE" },
	[COMPLETION] = { "completion", "FIRESTEEL_COMPLETION" },
	[OPERATIONS] = { "operations", "FIRESTEEL_PROVIDER_OPERATIONS" },
	[THRESHOLDS] = { "thresholds", "FIRESTEEL_PROVIDER_THRESHOLDS" },
	[STATISTICS] = { "statistics", "FIRESTEEL_PROVIDER_STATISTICS" },
	[PROGRAMS] = { "programs", "FIRESTEEL_PROVIDER_PROGRAMS" },
	[ON_ERROR] = { "on_error", "FIRESTEEL_PROVIDER_ON_ERROR" },
};

/* One value, and where it came from */
struct given {
	const char *value; /* NULL: none */
	const char *from;
};

static bool wrong(char message[FSP_TEXT_SIZE], const struct given *given, const char *found,
		  size_t length, const char *allowed)
{
	snprintf(message, FSP_TEXT_SIZE, "%s: \"%.*s\" is not allowed; allowed: %s", given->from,
		 (int)(length < 60 ? length : 60), found, allowed);
	return false;
}

static void read_given(struct given given[KEYS], const OSSL_CORE_HANDLE *core,
		       OSSL_FUNC_core_get_params_fn *get_params)
{
	OSSL_PARAM params[KEYS + 1];
	char *values[KEYS] = { NULL };

	for (unsigned i = 0; i < KEYS; i++)
		params[i] = OSSL_PARAM_construct_utf8_ptr(names[i].key, &values[i], 0);
	params[KEYS] = OSSL_PARAM_construct_end();
	if (!get_params || !get_params(core, params))
		memset(values, 0, sizeof(values));
	for (unsigned i = 0; i < KEYS; i++) {
		const char *environment = secure_getenv(names[i].environment);

		given[i] = environment ? (struct given){ environment, names[i].environment }
				       : (struct given){ values[i], names[i].key };
	}
}

static bool take_text(char text[FSP_TEXT_SIZE], const struct given *given,
		      char message[FSP_TEXT_SIZE])
{
	if (!given->value)
		return true;
	if (strlen(given->value) >= FSP_TEXT_SIZE)
		return wrong(message, given, given->value, strlen(given->value),
			     "at most 255 characters");
	strcpy(text, given->value);
	return true;
}

static bool take_completion(struct fsp_settings *settings, const struct given *given,
			    char message[FSP_TEXT_SIZE])
{
	static const char *const allowed[] = { "adaptive", "poll", "irq" };

	if (!given->value)
		return true;
	for (unsigned i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (strcmp(given->value, allowed[i]) == 0)
			return take_text(settings->completion, given, message);
	return wrong(message, given, given->value, strlen(given->value), "adaptive, poll, irq");
}

static bool take_on_error(struct fsp_settings *settings, const struct given *given,
			  char message[FSP_TEXT_SIZE])
{
	if (!given->value || strcmp(given->value, "software") == 0)
		return true;
	settings->refuse = true;
	if (strcmp(given->value, "refuse") == 0)
		return true;
	return wrong(message, given, given->value, strlen(given->value), "software, refuse");
}

/* The next part of a list with commas, without blanks around it; false at the end */
static bool next_part(const char **rest, const char **part, size_t *length)
{
	const char *end;

	if (!**rest)
		return false;
	end = strchrnul(*rest, ',');
	*part = *rest;
	*rest = *end ? end + 1 : end;
	while (*part < end && isspace((unsigned char)**part))
		(*part)++;
	while (end > *part && isspace((unsigned char)end[-1]))
		end--;
	*length = (size_t)(end - *part);
	return true;
}

static bool is(const char *part, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(part, word, length) == 0;
}

static bool take_operations(struct fsp_settings *settings, const struct given *given,
			    char message[FSP_TEXT_SIZE])
{
	const char *rest = given->value, *part;
	size_t length;

	if (!rest || strcmp(rest, "all") == 0)
		return true;
	memset(settings->on, 0, sizeof(settings->on));
	if (strcmp(rest, "none") == 0)
		return true;
	if (!*rest)
		return wrong(message, given, "", 0, "all, none, or some of " FSP_WORK_NAMES);
	while (next_part(&rest, &part, &length)) {
		enum fsp_work work;

		if (!fsp_work_find(part, length, &work))
			return wrong(message, given, part, length,
				     "all, none, or some of " FSP_WORK_NAMES);
		settings->on[work] = true;
	}
	return true;
}

static bool take_bytes(const char *text, size_t length, size_t *bytes)
{
	char *end;

	if (is(text, length, "auto")) {
		*bytes = FSP_AUTO;
		return true;
	}
	if (is(text, length, "never")) {
		*bytes = FSP_NEVER;
		return true;
	}
	if (length == 0 || length > 9 || !isdigit((unsigned char)*text))
		return false;
	*bytes = strtoul(text, &end, 10);
	return end == text + length;
}

static bool take_thresholds(struct fsp_settings *settings, const struct given *given,
			    char message[FSP_TEXT_SIZE])
{
	static const char
		allowed[] = "NAME=SIZE, NAME=auto, NAME=never, with NAME all, " FSP_WORK_NAMES;
	const char *rest = given->value, *part;
	size_t length, bytes;

	while (rest && next_part(&rest, &part, &length)) {
		const char *equals = memchr(part, '=', length);
		size_t name = equals ? (size_t)(equals - part) : 0;
		enum fsp_work work;

		if (!equals || !take_bytes(equals + 1, length - name - 1, &bytes))
			return wrong(message, given, part, length, allowed);
		if (is(part, name, "all")) {
			for (unsigned i = 0; i < FSP_WORKS; i++)
				settings->threshold[i] = bytes;
		} else if (fsp_work_find(part, name, &work)) {
			settings->threshold[work] = bytes;
		} else {
			return wrong(message, given, part, length, allowed);
		}
	}
	return true;
}

bool fsp_settings_read(struct fsp_settings *settings, const OSSL_CORE_HANDLE *core,
		       OSSL_FUNC_core_get_params_fn *get_params, char message[FSP_TEXT_SIZE])
{
	struct given given[KEYS];

	memset(settings, 0, sizeof(*settings));
	for (unsigned i = 0; i < FSP_WORKS; i++) {
		settings->on[i] = true;
		settings->threshold[i] = FSP_AUTO;
	}
	read_given(given, core, get_params);
	return take_on_error(settings, &given[ON_ERROR], message) &&
	       take_text(settings->device, &given[DEVICE], message) &&
	       take_text(settings->statistics, &given[STATISTICS], message) &&
	       take_text(settings->programs, &given[PROGRAMS], message) &&
	       take_completion(settings, &given[COMPLETION], message) &&
	       take_operations(settings, &given[OPERATIONS], message) &&
	       take_thresholds(settings, &given[THRESHOLDS], message);
}

bool fsp_settings_want(const struct fsp_settings *settings, const char *program)
{
	const char *rest = settings->programs, *part;
	size_t length;

	if (!*rest)
		return true;
	while (next_part(&rest, &part, &length))
		if (is(part, length, program))
			return true;
	return false;
}
