/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A configuration from words: properties of a device, options of a program. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"

enum type { SWITCH, NUMBER32, NUMBER64, FETCHER };

/* Of the part: a profile has it */
#define FIELD(type, field)  { #field, type, offsetof(struct silex_config, field), true }
#define TIMING(type, field) { #field, type, offsetof(struct silex_config, timing.field), false }
#define NAMED(name, type, field) { name, type, offsetof(struct silex_config, field), false }

_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "NUMBER32 serves both");

static const struct field {
	const char *key;
	enum type type;
	size_t offset;
	bool profiled;
} fields[] = {
	FIELD(SWITCH, cryptomaster),
	FIELD(SWITCH, aes),
	FIELD(SWITCH, hash),
	FIELD(NUMBER32, presence_others),
	FIELD(SWITCH, address64),
	FIELD(NUMBER32, length_bits),
	FIELD(SWITCH, push_end),
	FIELD(SWITCH, back_pressure),
	FIELD(NUMBER32, aes_caps),
	FIELD(NUMBER32, aes_counter_bits),
	FIELD(SWITCH, aes_key_size_bits),
	FIELD(NUMBER32, hash_caps),
	FIELD(NUMBER32, sha3_caps),
	FIELD(NUMBER32, sm4_caps),
	FIELD(NUMBER32, aria_caps),
	FIELD(SWITCH, pk),
	FIELD(NUMBER32, pk_max_bytes),
	FIELD(NUMBER32, pk_multipliers),
	FIELD(NUMBER32, pk_curves),
	FIELD(NUMBER32, pk_features),
	FIELD(SWITCH, pk_protection),
	FIELD(SWITCH, pk_fail_pointer_old),
	FIELD(SWITCH, pk_infinity),
	FIELD(SWITCH, pk_bad_order),
	FIELD(SWITCH, pk_words),
	FIELD(NUMBER32, pk_microcode),
	FIELD(NUMBER32, pk_version),
	NAMED("rules", SWITCH, rules),
	TIMING(SWITCH, zero),
	TIMING(NUMBER64, clock_hz),
	TIMING(NUMBER64, register_ns),
	TIMING(NUMBER32, dma_bytes_per_beat),
	TIMING(NUMBER32, dma_latency_cycles),
	TIMING(FETCHER, fetcher),
	TIMING(NUMBER32, start_cycles),
	TIMING(NUMBER32, end_cycles),
	TIMING(NUMBER32, aes128_cycles),
	TIMING(NUMBER32, aes192_cycles),
	TIMING(NUMBER32, aes256_cycles),
	TIMING(NUMBER32, aes_key_cycles),
	TIMING(NUMBER32, sha1_cycles),
	TIMING(NUMBER32, sha256_cycles),
	TIMING(NUMBER32, sha512_cycles),
	TIMING(NUMBER32, pk_operation_cycles),
	TIMING(NUMBER32, pk_product_cycles),
	TIMING(NUMBER32, pk_row_cycles),
	NAMED("seed", NUMBER64, faults.seed),
};

#define FIELDS (sizeof(fields) / sizeof(*fields))

_Static_assert(FIELDS <= 64, "silex_config.given has a bit for each");

/* Keys that are no field */
static const char *const others[] = { "profile", "faults", NULL };

const char *silex_config_key(unsigned index)
{
	return index < FIELDS                                      ? fields[index].key
	       : index < FIELDS + sizeof(others) / sizeof(*others) ? others[index - FIELDS]
								   : NULL;
}

const char *silex_config_profile(unsigned index)
{
	const struct silex_profile *profile = silex_profile(index);

	return profile ? profile->name : NULL;
}

static int refuse_key(const char *key, char *error, size_t size)
{
	int used = snprintf(error, size, "\"%s\": no such key; there are", key);

	for (unsigned i = 0; silex_config_key(i) && used > 0 && (size_t)used < size; i++)
		used += snprintf(error + used, size - (size_t)used, " %s", silex_config_key(i));
	return -1;
}

static int refuse_value(const char *key, const char *value, const char *allowed, char *error,
			size_t size)
{
	snprintf(error, size, "%s = \"%s\": must be %s", key, value, allowed);
	return -1;
}

static bool read_number(const char *text, uint64_t limit, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno && *value <= limit;
}

static bool read_switch(const char *text, bool *value)
{
	*value = strcmp(text, "on") == 0;
	return *value || strcmp(text, "off") == 0;
}

static bool read_fetcher(const char *text, enum silex_fetcher *value)
{
	*value = strcmp(text, "serial") == 0 ? SILEX_FETCHER_SERIAL : SILEX_FETCHER_AHEAD;
	return *value == SILEX_FETCHER_SERIAL || strcmp(text, "ahead") == 0;
}

static int set_field(const struct field *field, void *field_value, const char *value, char *error,
		     size_t size)
{
	enum silex_fetcher fetcher;
	uint64_t number;
	bool on;

	switch (field->type) {
	case SWITCH:
		if (!read_switch(value, &on))
			return refuse_value(field->key, value, "on or off", error, size);
		*(bool *)field_value = on;
		return 0;
	case NUMBER32:
		if (!read_number(value, UINT32_MAX, &number))
			return refuse_value(field->key, value, "a number of 32 bits", error, size);
		*(uint32_t *)field_value = (uint32_t)number;
		return 0;
	case NUMBER64:
		if (!read_number(value, UINT64_MAX, &number))
			return refuse_value(field->key, value, "a number of 64 bits", error, size);
		*(uint64_t *)field_value = number;
		return 0;
	case FETCHER:
		if (!read_fetcher(value, &fetcher))
			return refuse_value(field->key, value, "ahead or serial", error, size);
		*(enum silex_fetcher *)field_value = fetcher;
		return 0;
	}
	return -1;
}

static size_t size_of(enum type type)
{
	static const size_t sizes[] = {
		[SWITCH] = sizeof(bool),
		[NUMBER32] = sizeof(uint32_t),
		[NUMBER64] = sizeof(uint64_t),
		[FETCHER] = sizeof(enum silex_fetcher),
	};

	return sizes[type];
}

/* All that the profile has, but for what is given */
static void follow(struct silex_config *config, const struct silex_config *profile)
{
	for (unsigned i = 0; i < FIELDS; i++)
		if (fields[i].profiled && !(config->given >> i & 1))
			memcpy((char *)config + fields[i].offset,
			       (const char *)profile + fields[i].offset, size_of(fields[i].type));
}

static int set_profile(struct silex_config *config, const char *value, char *error, size_t size)
{
	int used;

	for (unsigned i = 0; silex_profile(i); i++) {
		if (strcmp(silex_profile(i)->name, value) == 0) {
			follow(config, &silex_profile(i)->config);
			return 0;
		}
	}
	used = snprintf(error, size, "profile = \"%s\": must be one of", value);
	for (unsigned i = 0; silex_profile(i) && used > 0 && (size_t)used < size; i++)
		used += snprintf(error + used, size - (size_t)used, " %s", silex_profile(i)->name);
	return -1;
}

int silex_config_set(struct silex_config *config, const char *key, const char *value, char *error,
		     size_t size)
{
	if (strcmp(key, "faults") == 0)
		return silex_faults_parse(value, &config->faults, error, size);
	if (strcmp(key, "profile") == 0)
		return set_profile(config, value, error, size);
	for (unsigned i = 0; i < FIELDS; i++) {
		if (strcmp(key, fields[i].key) != 0)
			continue;
		if (set_field(&fields[i], (char *)config + fields[i].offset, value, error, size) !=
		    0)
			return -1;
		config->given |= (uint64_t)1 << i;
		return 0;
	}
	return refuse_key(key, error, size);
}
