/* SPDX-License-Identifier: Apache-2.0 */
#include "option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static const char *const completions[] = {
	[FIRESTEEL_ADAPTIVE] = "adaptive",
	[FIRESTEEL_POLL] = "poll",
	[FIRESTEEL_IRQ] = "irq",
};

struct option {
	const char *key;
	const char *variable;
	int (*set)(struct firesteel *device, const char *value);
	const char *allowed;
	const char *without;
};

static int set_completion(struct firesteel *device, const char *value)
{
	for (int i = 0; i < (int)(sizeof(completions) / sizeof(*completions)); i++) {
		if (strcmp(completions[i], value) == 0) {
			atomic_store(&device->completion, i);
			return FIRESTEEL_OK;
		}
	}
	return FIRESTEEL_ERROR_INVALID;
}

static int number(const char *value, uint64_t least, uint64_t most, uint64_t *found)
{
	unsigned long long parsed;
	char *end;

	if (*value < '0' || *value > '9')
		return FIRESTEEL_ERROR_INVALID;
	errno = 0;
	parsed = strtoull(value, &end, 10);
	if (errno || *end || parsed < least || parsed > most)
		return FIRESTEEL_ERROR_INVALID;
	*found = parsed;
	return FIRESTEEL_OK;
}

static int set_spin(struct firesteel *device, const char *value)
{
	uint64_t ns;
	int error = number(value, 0, FS_SECOND, &ns);

	if (!error)
		atomic_store(&device->spin_ns, ns);
	return error;
}

static int set_timeout(struct firesteel *device, const char *value)
{
	uint64_t ms;
	int error = number(value, 1, 600000, &ms);

	if (!error)
		atomic_store(&device->timeout_ns, ms * FS_MILLISECOND);
	return error;
}

static const struct option options[] = {
	{ "completion", "FIRESTEEL_COMPLETION", set_completion, "adaptive, poll or irq",
	  "adaptive" },
	{ "spin_ns", "FIRESTEEL_SPIN_NS", set_spin, "a number from 0 to 1000000000", "50000" },
	{ "timeout_ms", "FIRESTEEL_TIMEOUT_MS", set_timeout, "a number from 1 to 600000", "2000" },
};

#define OPTIONS (sizeof(options) / sizeof(*options))

static int apply(struct firesteel *device, const struct option *option, const char *name,
		 const char *value, char *message)
{
	int error = option->set(device, value);

	if (error)
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "%s is \"%.80s\": allowed is %s", name,
			 value, option->allowed);
	return error;
}

/* A device's engines have its options */
static int apply_to_all(struct firesteel *device, const struct option *option, const char *name,
			const char *value, char *message)
{
	int error = FIRESTEEL_OK;

	for (unsigned i = 0; !error && i < device->engines; i++)
		error = apply(device->engine[i], option, name, value, message);
	return error;
}

void fs_option_defaults(struct firesteel *device)
{
	for (unsigned i = 0; i < OPTIONS; i++)
		options[i].set(device, options[i].without);
}

int fs_option_environment(struct firesteel *device, char message[FIRESTEEL_MESSAGE_SIZE])
{
	int error = FIRESTEEL_OK;

	for (unsigned i = 0; !error && i < OPTIONS; i++) {
		const char *value = secure_getenv(options[i].variable);

		if (value && *value)
			error = apply(device, &options[i], options[i].variable, value, message);
	}
	return error;
}

int firesteel_set(struct firesteel *device, const char *key, const char *value,
		  char message[FIRESTEEL_MESSAGE_SIZE])
{
	char unwanted[FIRESTEEL_MESSAGE_SIZE];

	if (!device || !key || !value)
		return FIRESTEEL_ERROR_INVALID;
	if (!message)
		message = unwanted;
	for (unsigned i = 0; i < OPTIONS; i++)
		if (strcmp(options[i].key, key) == 0)
			return apply_to_all(device, &options[i], key, value, message);
	snprintf(message, FIRESTEEL_MESSAGE_SIZE,
		 "\"%.80s\" is no option: there are completion, spin_ns and timeout_ms", key);
	return FIRESTEEL_ERROR_INVALID;
}
