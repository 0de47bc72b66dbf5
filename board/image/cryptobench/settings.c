// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written to /proc/cryptobench, read and checked; see cryptobench.h. */
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "cryptobench.h"

#define SETTINGS_MEMORY_MAX (256ul << 20)

struct settings_number {
	const char *key;
	size_t offset;
	unsigned int least;
	unsigned int most;
};

#define SETTINGS_NUMBER(name, low, high) { #name, offsetof(struct bench_settings, name), low, high }

static const struct settings_number settings_numbers[] = {
	SETTINGS_NUMBER(key, 0, 128),        SETTINGS_NUMBER(auth_key, 0, 64),
	SETTINGS_NUMBER(size, 1, 1 << 20),   SETTINGS_NUMBER(ad, 0, 64),
	SETTINGS_NUMBER(head, 0, 1024),      SETTINGS_NUMBER(decrypt, 0, 1),
	SETTINGS_NUMBER(requests, 1, 10000), SETTINGS_NUMBER(in_flight, 1, 1024),
	SETTINGS_NUMBER(each, 0, 1),
};

struct settings_text {
	const char *key;
	size_t offset;
	size_t size;
};

#define SETTINGS_TEXT(name) \
	{ #name, offsetof(struct bench_settings, name), sizeof_field(struct bench_settings, name) }

static const struct settings_text settings_texts[] = {
	SETTINGS_TEXT(kind),
	SETTINGS_TEXT(algorithm),
	SETTINGS_TEXT(reference),
};

static int settings_set_number(struct bench_settings *settings,
			       const struct settings_number *number, const char *value)
{
	unsigned int parsed;

	if (kstrtouint(value, 10, &parsed) || parsed < number->least || parsed > number->most) {
		pr_err("cryptobench: %s=%s: allowed are numbers from %u to %u\n", number->key,
		       value, number->least, number->most);
		return -EINVAL;
	}
	*(unsigned int *)((char *)settings + number->offset) = parsed;
	return 0;
}

static int settings_set_text(struct bench_settings *settings, const struct settings_text *text,
			     const char *value)
{
	if (!*value || strscpy((char *)settings + text->offset, value, text->size) < 0) {
		pr_err("cryptobench: %s=%s: allowed are 1 to %zu characters\n", text->key, value,
		       text->size - 1);
		return -EINVAL;
	}
	return 0;
}

static int settings_set(struct bench_settings *settings, const char *key, const char *value)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(settings_numbers); i++) {
		if (!strcmp(key, settings_numbers[i].key))
			return settings_set_number(settings, &settings_numbers[i], value);
	}
	for (i = 0; i < ARRAY_SIZE(settings_texts); i++) {
		if (!strcmp(key, settings_texts[i].key))
			return settings_set_text(settings, &settings_texts[i], value);
	}
	pr_err("cryptobench: there is no setting %s\n", key);
	return -EINVAL;
}

static int settings_check(const struct bench_settings *settings)
{
	u64 pages = 1 + DIV_ROUND_UP(settings->size, PAGE_SIZE);

	if (!*settings->algorithm || !*settings->reference || !settings->size ||
	    !settings->requests) {
		pr_err("cryptobench: algorithm, reference, size and requests must be given\n");
		return -EINVAL;
	}
	if (!bench_kind_known(settings->kind)) {
		pr_err("cryptobench: kind=%s: allowed are cipher, aead, hash\n", settings->kind);
		return -EINVAL;
	}
	if (settings->each && settings->in_flight > 1) {
		pr_err("cryptobench: each=1 takes one request in flight, not %u\n",
		       settings->in_flight);
		return -EINVAL;
	}
	if (((u64)settings->requests + settings->in_flight) * pages * PAGE_SIZE >
	    SETTINGS_MEMORY_MAX) {
		pr_err("cryptobench: %u requests of %u bytes need more than %lu MiB\n",
		       settings->requests, settings->size, SETTINGS_MEMORY_MAX >> 20);
		return -EINVAL;
	}
	return 0;
}

int bench_settings_parse(struct bench_settings *settings, char *text)
{
	char *word, *value;
	int err;

	memset(settings, 0, sizeof(*settings));
	settings->in_flight = 1;
	while ((word = strsep(&text, " \t\n"))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (!value) {
			pr_err("cryptobench: %s: wanted is KEY=VALUE\n", word);
			return -EINVAL;
		}
		*value++ = '\0';
		err = settings_set(settings, word, value);
		if (err)
			return err;
	}
	return settings_check(settings);
}
