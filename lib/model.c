/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of the cores (model/) in this process: for tests on machines that have none.
 *
 * Time is the machine's.  A process that is forked has a model of its own, in the state of
 * power-on; the lock page is shared with the parent, and what the kernel does with that of real
 * cores is done here when a waiter asks.
 *
 * Options besides those of the model:
 *	engines=N	so many public-key cores, each a model of its own; CryptoMaster is number 0's
 *	N:KEY=VALUE	an option of number N alone, counted from 0
 *	coherent=off	the process has results of its own (transport.h), which show what the core has
 *			written there only when they are refreshed
 *	instance=FILE	CryptoMaster has one owner, as a real one has: instance.h
 *	microcode=FILE	the public-key core gets the file's bytes at power-on and after each reset, before
 *			anything else: with real cores the kernel's driver does that
 */
#include "../model/silex-model.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../silex/ba414.h"
#include "../silex/soc.h"
#include "clock.h"
#include "instance.h"
#include "microcode.h"
#include "model-slots.h"

#define MEMORY_BUS  0x40000000u
#define MEMORY_SIZE (1u << 20)

/* Behind it, if there are results */
#define RESULTS_BUS  (MEMORY_BUS + MEMORY_SIZE)
#define RESULTS_SIZE (MEMORY_SIZE / 4)

/* Without a word from the core; it is asked again */
#define NAP_NS (200 * FS_MICROSECOND)

struct model {
	struct fs_transport transport;
	struct silex_config config;
	struct silex_model *model;
	struct silex_model *parents; /* the parent's state, in a child: not to be touched */
	pthread_mutex_t mutex; /* a model is not entered by two threads */
	uint64_t wake;
	bool line[SILEX_LINES];
	unsigned number; /* of its public-key core */
	unsigned engines; /* how many there are */
	char instance[128]; /* the file that says who owns the CryptoMaster; empty: each its own */
	struct fs_microcode *microcode; /* NULL: the part needs none, or has none */
	bool incoherent; /* there are results */
	uint8_t *written; /* them, as the core sees them */
	void *owned; /* the file's page, by which it is ours; NULL: it is not, or there is no file */
};

static struct model *of(struct fs_transport *transport)
{
	return (struct model *)(void *)transport;
}

/* ---- what the model asks for ---- */

static bool is_in(uint64_t bus, size_t length, uint64_t address, size_t size)
{
	return address >= bus && size <= length && address - bus <= length - size;
}

static uint8_t *translate(struct model *model, uint64_t address, size_t size)
{
	if (is_in(MEMORY_BUS, MEMORY_SIZE, address, size))
		return model->transport.dma + (address - MEMORY_BUS);
	if (model->written && is_in(RESULTS_BUS, RESULTS_SIZE, address, size))
		return model->written + (address - RESULTS_BUS);
	return NULL;
}

static int dma_read(void *opaque, uint64_t address, void *data, size_t size)
{
	const uint8_t *bytes = translate(opaque, address, size);

	if (!bytes)
		return -1;
	memcpy(data, bytes, size);
	return 0;
}

static int dma_write(void *opaque, uint64_t address, const void *data, size_t size)
{
	uint8_t *bytes = translate(opaque, address, size);

	if (!bytes)
		return -1;
	memcpy(bytes, data, size);
	return 0;
}

static uint64_t time_now(void *opaque)
{
	(void)opaque;
	return fs_now();
}

static void wake_at(void *opaque, uint64_t when)
{
	((struct model *)opaque)->wake = when;
}

static void interrupt(void *opaque, unsigned line, bool level)
{
	((struct model *)opaque)->line[line] = level;
}

static void load_microcode(struct model *model)
{
	for (size_t i = 0; model->microcode && i < model->microcode->words; i++)
		silex_model_write(model->model, SILEX_PK_CODE_BASE + 4 * (uint32_t)i,
				  model->microcode->word[i]);
}

static int new_model(struct model *model, char message[FIRESTEEL_MESSAGE_SIZE])
{
	const struct silex_host host = {
		.opaque = model,
		.read = dma_read,
		.write = dma_write,
		.now = time_now,
		.wake_at = wake_at,
		.interrupt = interrupt,
	};
	char error[SILEX_MODEL_ERROR_SIZE] = "";

	model->wake = SILEX_MODEL_NEVER;
	memset(model->line, 0, sizeof(model->line));
	pthread_mutex_init(&model->mutex, NULL);
	model->model = silex_model_new(&model->config, &host, error);
	if (!model->model)
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: %.240s", error);
	else
		load_microcode(model);
	return model->model ? FIRESTEEL_OK : FIRESTEEL_ERROR_INVALID;
}

/* ---- registers ---- */

static uint32_t model_read(struct fs_transport *transport, enum fs_core core, uint32_t offset)
{
	struct model *model = of(transport);
	uint32_t value;

	(void)core;
	pthread_mutex_lock(&model->mutex);
	value = silex_model_read(model->model, offset);
	pthread_mutex_unlock(&model->mutex);
	return value;
}

static void model_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			uint32_t value)
{
	struct model *model = of(transport);

	(void)core;
	pthread_mutex_lock(&model->mutex);
	silex_model_write(model->model, offset, value);
	pthread_mutex_unlock(&model->mutex);
}

static void model_put(struct fs_transport *transport, uint32_t offset, const uint8_t *bytes,
		      size_t words)
{
	for (size_t i = 0; i < words; i++)
		model_write(transport, FS_PK, offset + 4 * (uint32_t)i,
			    bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
				    (uint32_t)bytes[4 * i + 2] << 16 |
				    (uint32_t)bytes[4 * i + 3] << 24);
}

static void model_get(struct fs_transport *transport, uint32_t offset, uint8_t *bytes, size_t words)
{
	for (size_t i = 0; i < words; i++) {
		uint32_t word = model_read(transport, FS_PK, offset + 4 * (uint32_t)i);

		for (unsigned byte = 0; byte < 4; byte++)
			bytes[4 * i + byte] = (uint8_t)(word >> (8 * byte));
	}
}

/* ---- interrupts ---- */

static void model_arm(struct fs_transport *transport)
{
	(void)transport;
}

/*
 * The model raises interrupts when it is advanced at the time for which it has asked.  That of the
 * public-key core is cleared here, as the kernel's handler does: else the one that follows power-on would
 * keep those from sleeping who wait for the core.
 */
static void model_sleep(struct fs_transport *transport, enum fs_core core, uint64_t ns)
{
	struct model *model = of(transport);
	uint64_t until = fs_now() + (ns < NAP_NS ? ns : NAP_NS);
	struct timespec end;

	pthread_mutex_lock(&model->mutex);
	if (model->wake != SILEX_MODEL_NEVER && ns > NAP_NS)
		until = model->wake < fs_now() + ns ? model->wake : until;
	if (model->line[core == FS_PK ? SILEX_LINE_PK : SILEX_LINE_CM]) {
		until = 0;
		if (core == FS_PK)
			silex_model_write(model->model, SILEX_PK_BASE + SILEX_PK_CONTROL,
					  SILEX_PK_CONTROL_CLEAR_IRQ);
	}
	pthread_mutex_unlock(&model->mutex);
	end = fs_timespec(until);
	if (until > 0)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL);
	pthread_mutex_lock(&model->mutex);
	silex_model_advance(model->model);
	pthread_mutex_unlock(&model->mutex);
}

/* ---- the lock page: the kernel's part ---- */

static void model_reap(struct fs_transport *transport)
{
	fs_model_slots_reap(transport->share, transport->slot);
}

static int model_join(struct fs_transport *transport)
{
	int slot = fs_model_slots_join(transport->share);

	if (slot >= 0)
		transport->slot = (unsigned)slot;
	transport->taken[FS_PK] = slot < 0;
	transport->has[FS_PK] = slot >= 0;
	return slot < 0 ? FIRESTEEL_ERROR_BUSY : FIRESTEEL_OK;
}

static void model_give_up(struct fs_transport *transport)
{
	struct model *model = of(transport);

	pthread_mutex_lock(&model->mutex);
	silex_model_reset(model->model);
	load_microcode(model);
	pthread_mutex_unlock(&model->mutex);
	fs_model_slots_reclaim(transport->share, transport->slot);
}

static void model_wake(struct fs_transport *transport)
{
	(void)transport; /* those that sleep look by themselves, and often */
}

/* ---- the CryptoMaster's owner ---- */

static void *map_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void own(struct model *model)
{
	struct fs_transport *transport = &model->transport;
	bool mine = !*model->instance || (model->owned = fs_instance_lock(model->instance));

	transport->has[FS_CM] = model->config.cryptomaster && mine;
	transport->taken[FS_CM] = model->config.cryptomaster && !mine;
}

static int set_instance(struct model *model, const char *file, char *message)
{
	int descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (descriptor >= 0 && strlen(file) < sizeof(model->instance)) {
		close(descriptor);
		strcpy(model->instance, file);
		return FIRESTEEL_OK;
	}
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: instance=%.150s: %s", file,
		 strerror(descriptor < 0 ? errno : ENAMETOOLONG));
	if (descriptor >= 0)
		close(descriptor);
	return FIRESTEEL_ERROR_INVALID;
}

/* ---- life ---- */

static int model_remap(struct fs_transport *transport)
{
	struct model *model = of(transport);
	char message[FIRESTEEL_MESSAGE_SIZE];
	int error;

	/* another thread of the parent may have been at work in it; it stays as it is */
	model->parents = model->model;
	error = new_model(model, message);
	/* without a slot CryptoMaster is still there */
	if (!error && (transport->has[FS_PK] || transport->taken[FS_PK]))
		model_join(transport);
	return error;
}

static int model_refresh(struct fs_transport *transport, size_t offset, size_t size)
{
	uint8_t *written = of(transport)->written;

	if (!is_in(0, RESULTS_SIZE, offset, size))
		return FIRESTEEL_ERROR_SYSTEM;
	memcpy(written + RESULTS_SIZE + offset, written + offset, size);
	return FIRESTEEL_OK;
}

static int model_retry(struct fs_transport *transport)
{
	if (transport->taken[FS_CM]) {
		own(of(transport));
		if (transport->has[FS_CM] && !transport->dma)
			transport->dma = map_memory(MEMORY_SIZE);
		if (!transport->dma)
			transport->has[FS_CM] = false;
	}
	if (transport->has[FS_CM])
		return FIRESTEEL_OK;
	return transport->taken[FS_CM] ? FIRESTEEL_ERROR_BUSY : FIRESTEEL_ERROR_ABSENT;
}

static void model_close(struct fs_transport *transport, bool mapped)
{
	struct model *model = of(transport);

	if (mapped && transport->has[FS_PK] && transport->share)
		fs_model_slots_leave(transport->share, transport->slot);
	if (mapped || !model->parents)
		silex_model_free(model->model);
	if (transport->share)
		fs_model_slots_free(transport->share);
	if (transport->dma)
		munmap(transport->dma, MEMORY_SIZE);
	if (model->written)
		munmap(model->written, 2 * RESULTS_SIZE);
	if (model->owned)
		munmap(model->owned, 1);
	free(model->microcode);
	free(model);
}

static const struct fs_transport_ops ops = {
	.read = model_read,
	.write = model_write,
	.put = model_put,
	.get = model_get,
	.arm = model_arm,
	.sleep = model_sleep,
	.give_up = model_give_up,
	.wake = model_wake,
	.reap = model_reap,
	.refresh = model_refresh,
	.remap = model_remap,
	.join = model_join,
	.retry = model_retry,
	.close = model_close,
};

/* ---- opening ---- */

static int refuse(char *message, const char *key, const char *value, const char *allowed)
{
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: %s=%.80s: allowed is %s", key, value,
		 allowed);
	return FIRESTEEL_ERROR_INVALID;
}

static int set_engines(struct model *model, const char *value, char *message)
{
	unsigned long engines = strtoul(value, NULL, 10);

	if (engines < 1 || engines > FS_ENGINES || strspn(value, "0123456789") != strlen(value))
		return refuse(message, "engines", value, "1 to 16");
	model->engines = (unsigned)engines;
	return FIRESTEEL_OK;
}

static int set_coherent(struct model *model, const char *value, char *message)
{
	model->incoherent = strcmp(value, "off") == 0;
	if (model->incoherent || strcmp(value, "on") == 0)
		return FIRESTEEL_OK;
	return refuse(message, "coherent", value, "on or off");
}

/* What stands behind the number of a core; NULL: it is another one's */
static char *of_number(const struct model *model, char *word)
{
	size_t digits = strspn(word, "0123456789");

	if (digits == 0 || word[digits] != ':')
		return word;
	return strtoul(word, NULL, 10) == model->number ? word + digits + 1 : NULL;
}

static int set_option(struct model *model, char *word, char *message)
{
	char error[SILEX_MODEL_ERROR_SIZE] = "";
	char *value = strchr(word, '=');

	if (!value) {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE,
			 "model: \"%.80s\" is no option: allowed is KEY=VALUE,...", word);
		return FIRESTEEL_ERROR_INVALID;
	}
	*value++ = '\0';
	word = of_number(model, word);
	if (!word)
		return FIRESTEEL_OK;
	if (strcmp(word, "engines") == 0)
		return set_engines(model, value, message);
	if (strcmp(word, "instance") == 0)
		return set_instance(model, value, message);
	if (strcmp(word, "microcode") == 0)
		return fs_microcode_read(value, &model->microcode, message);
	if (strcmp(word, "coherent") == 0)
		return set_coherent(model, value, message);
	if (silex_config_set(&model->config, word, value, error, sizeof(error)) == 0)
		return FIRESTEEL_OK;
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: %.240s", error);
	return FIRESTEEL_ERROR_INVALID;
}

static int set_options(struct model *model, const char *options, char *message)
{
	char words[512], *rest = words, *word;
	int error = FIRESTEEL_OK;

	if (options && strlen(options) >= sizeof(words)) {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: the options are too long");
		return FIRESTEEL_ERROR_INVALID;
	}
	snprintf(words, sizeof(words), "%s", options ? options : "");
	while (!error && (word = strsep(&rest, ",")))
		if (*word)
			error = set_option(model, word, message);
	return error;
}

/* What FIRESTEEL_MODEL says holds for every model, unless its own options say something else */
static int configure(struct model *model, const char *options, char *message)
{
	struct silex_config *config = &model->config;
	char unwanted[SILEX_MODEL_ERROR_SIZE];
	int error;

	silex_config_default(config);
	silex_config_set(config, "hash", "on", unwanted, sizeof(unwanted)); /* of any profile */
	config->timing.zero = !options;
	error = set_options(model, secure_getenv("FIRESTEEL_MODEL"), message);
	if (!error)
		error = set_options(model, options, message);
	if (model->number > 0) {
		config->cryptomaster = config->aes = config->hash = false;
		*model->instance = '\0';
	}
	return error;
}

/* What the core writes, and behind it what the process sees of that */
static bool map_results(struct model *model)
{
	struct fs_transport *transport = &model->transport;

	if (!model->incoherent || !transport->has[FS_CM])
		return true;
	model->written = map_memory(2 * RESULTS_SIZE);
	if (!model->written)
		return false;
	transport->results = model->written + RESULTS_SIZE;
	transport->results_bus = RESULTS_BUS;
	transport->results_size = RESULTS_SIZE;
	return true;
}

static int map_all(struct fs_transport *transport, char *message)
{
	if (transport->has[FS_CM])
		transport->dma = map_memory(MEMORY_SIZE);
	if (transport->has[FS_PK])
		transport->share = fs_model_slots_new();
	if ((transport->has[FS_CM] && !transport->dma) ||
	    (transport->has[FS_PK] && !transport->share) || !map_results(of(transport))) {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: there is no memory");
		return FIRESTEEL_ERROR_MEMORY;
	}
	return transport->share ? model_join(transport) : FIRESTEEL_OK;
}

static int open_number(unsigned number, const char *options, struct fs_transport **transport,
		       char message[FIRESTEEL_MESSAGE_SIZE])
{
	struct model *model = calloc(1, sizeof(*model));
	int error;

	*transport = NULL;
	if (!model) {
		snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: there is no memory");
		return FIRESTEEL_ERROR_MEMORY;
	}
	model->number = number;
	model->engines = 1;
	error = configure(model, options, message);
	if (!error && number >= model->engines)
		error = FIRESTEEL_ERROR_ABSENT;
	model->transport.ops = &ops;
	model->transport.bus = MEMORY_BUS;
	model->transport.dma_size = MEMORY_SIZE;
	model->transport.has[FS_PK] = model->config.pk;
	own(model);
	snprintf(model->transport.name, sizeof(model->transport.name), "model");
	if (!error)
		error = map_all(&model->transport, message);
	if (!error)
		error = new_model(model, message);
	if (error)
		model_close(&model->transport, true);
	else
		*transport = &model->transport;
	return error;
}

int fs_model_open(const char *options, struct fs_transport **transport,
		  char message[FIRESTEEL_MESSAGE_SIZE])
{
	return open_number(0, options, transport, message);
}

int fs_model_open_engine(const char *options, unsigned *last, struct fs_transport **transport)
{
	char unwanted[FIRESTEEL_MESSAGE_SIZE];

	return open_number(++*last, options, transport, unwanted);
}
