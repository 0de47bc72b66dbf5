/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a device, and its remapping in a forked child. */
#include "device.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../silex/ba414.h"
#include "../silex/soc.h"
#include "calibrate.h"
#include "fork.h"
#include "number.h"
#include "option.h"
#include "pool.h"
#include "registry.h"

/* ---- capabilities ---- */

static unsigned multipliers(uint32_t hardware)
{
	unsigned power = SILEX_PK_HWCONFIG_MULTIPLIERS_OF(hardware);

	/* 0, 1, 2, 4 and 8 stand for 1, 4, 16, 64 and 256 */
	return power == 8 ? 256 : power == 4 ? 64 : power == 2 ? 16 : power == 1 ? 4 : 1;
}

static unsigned curves(uint32_t hardware)
{
	static const struct {
		uint32_t bit;
		enum firesteel_curve_name name;
	} pairs[] = {
		{ SILEX_PK_HWCONFIG_P192, FIRESTEEL_P192 },
		{ SILEX_PK_HWCONFIG_P256, FIRESTEEL_P256 },
		{ SILEX_PK_HWCONFIG_P384, FIRESTEEL_P384 },
		{ SILEX_PK_HWCONFIG_P521, FIRESTEEL_P521 },
		{ SILEX_PK_HWCONFIG_25519, FIRESTEEL_CURVE25519 },
	};
	unsigned found = 0;

	for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (hardware & pairs[i].bit)
			found |= 1u << pairs[i].name;
	return found;
}

/* Whether the core is one that this library can drive */
static bool look_at_pk(struct firesteel *device)
{
	struct firesteel_capabilities *has = &device->capabilities;
	uint32_t hardware = fs_read(device->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_HWCONFIG);
	unsigned bytes = hardware & SILEX_PK_HWCONFIG_BYTES;

	if (hardware == FS_ALL_ONES || bytes < 32 || bytes > FS_NUMBER_MAX ||
	    !(hardware & SILEX_PK_HWCONFIG_GF_P) || hardware & SILEX_PK_HWCONFIG_AHB_MASTER)
		return false;
	has->public_key = true;
	has->operand_bytes = bytes;
	has->multipliers = multipliers(hardware);
	has->curves = curves(hardware);
	has->protection = !(hardware & SILEX_PK_HWCONFIG_NO_PROTECTION);
	return true;
}

static void look_at_engines(struct firesteel *device)
{
	struct firesteel_capabilities *has = &device->capabilities;
	struct fs_transport *transport = device->transport;
	uint32_t presence = fs_read(transport, FS_CM, SILEX_PRESENCE);
	uint32_t aes = fs_read(transport, FS_CM, SILEX_AES_CAPS);
	uint32_t hash = fs_read(transport, FS_CM, SILEX_HASH_CAPS);

	if (presence & SILEX_PRESENCE_AES) {
		has->modes = aes & SILEX_AES_CAPS_MODES;
		has->key_bits = aes / SILEX_AES_CAPS_KEY_128 & 7;
		has->cts = aes & SILEX_AES_CAPS_CTS;
		has->counter_bits = fs_read(transport, FS_CM, SILEX_AES_COUNTER_BITS);
	}
	if (presence & SILEX_PRESENCE_HASH) {
		/* both count SHA-1 to SHA-512 upwards; the core has MD5 before them */
		has->digests = (hash & SILEX_HASH_CAPS_ALGS) >> 1 & ((1u << FIRESTEEL_DIGESTS) - 1);
		has->hmac = hash & SILEX_HASH_CAPS_HMAC;
		if (!(hash & SILEX_HASH_CAPS_PAD))
			has->digests = 0;
	}
}

static bool look_at_cm(struct firesteel *device)
{
	uint32_t presence = fs_read(device->transport, FS_CM, SILEX_PRESENCE);

	if (presence == FS_ALL_ONES || !(presence & (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)))
		return false;
	if (!device->pool)
		device->pool = fs_pool_new(device->transport);
	if (!device->pool)
		return false;
	look_at_engines(device);
	device->capabilities.cryptomaster = true;
	device->capabilities.pool_bytes = fs_pool_bytes(device->pool);
	return true;
}

static void look(struct firesteel *device)
{
	struct fs_transport *transport = device->transport;

	snprintf(device->capabilities.name, sizeof(device->capabilities.name), "%s",
		 transport->name);
	transport->has[FS_PK] = transport->has[FS_PK] && look_at_pk(device);
	transport->has[FS_CM] = transport->has[FS_CM] && look_at_cm(device);
}

/* ---- in a forked child ---- */

static void begin_threads(struct firesteel *device)
{
	for (unsigned core = 0; core < FS_CORES; core++) {
		fs_turn_begin(&device->turn[core]);
		fs_queue_begin(&device->queue[core]);
	}
}

static int adopt(struct firesteel *device)
{
	int error = device->transport->ops->remap(device->transport);

	begin_threads(device);
	fs_statistics_clear(&device->statistics);
	if (!error)
		error = fs_random_begin(&device->random);
	atomic_store(&device->broken, error);
	return error;
}

int fs_device_enter(struct firesteel *device)
{
	uint64_t now = 2 * (uint64_t)fs_fork_count();

	for (;;) {
		uint64_t seen = atomic_load_explicit(&device->entered, memory_order_acquire);

		if (seen == now)
			return atomic_load_explicit(&device->broken, memory_order_relaxed);
		if (seen != now + 1 &&
		    atomic_compare_exchange_strong(&device->entered, &seen, now + 1)) {
			int error = adopt(device);

			atomic_store_explicit(&device->entered, now, memory_order_release);
			return error;
		}
		sched_yield();
	}
}

/* ---- opening ---- */

static int fail(char *message, int error, const char *text)
{
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "%s", text);
	return error;
}

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

static int open_transport(const char *name, struct fs_transport **transport, char *message)
{
	if (strcmp(name, "auto") == 0)
		return fs_uio_open(NULL, transport, message);
	if (begins_with(name, "uio:") && name[4])
		return fs_uio_open(name + 4, transport, message);
	if (strcmp(name, "model") == 0)
		return fs_model_open(NULL, transport, message);
	if (begins_with(name, "model:"))
		return fs_model_open(name + 6, transport, message);
	snprintf(
		message, FIRESTEEL_MESSAGE_SIZE,
		"\"%.80s\" is no device: allowed are auto, uio:NAME, model and model:KEY=VALUE,...",
		name);
	return FIRESTEEL_ERROR_INVALID;
}

static void free_device(struct firesteel *device)
{
	bool mapped = atomic_load(&device->entered) == 2 * (uint64_t)fs_fork_count();

	for (unsigned core = 0; mapped && core < FS_CORES; core++)
		fs_queue_end(&device->queue[core]);
	fs_pool_free(device->pool);
	device->transport->ops->close(device->transport, mapped);
	firesteel_wipe(&device->random, sizeof(device->random));
	firesteel_wipe(device->preset, sizeof(device->preset));
	free(device);
}

static int set_up(struct firesteel *device, char *message)
{
	int error;

	begin_threads(device);
	fs_option_defaults(device);
	error = fs_option_environment(device, message);
	if (error)
		return error;
	error = fs_random_begin(&device->random);
	if (error)
		return fail(message, error, "the kernel provides no random numbers");
	fs_random_get(&device->random, device->preset, sizeof(device->preset));
	look(device);
	if (!device->transport->has[FS_PK] && !device->transport->has[FS_CM])
		return fail(message,
			    device->transport->taken[FS_CM] ? FIRESTEEL_ERROR_BUSY
							    : FIRESTEEL_ERROR_ABSENT,
			    device->transport->taken[FS_CM]
				    ? "the CryptoMaster belongs to another process"
				    : "the device has no core that this library knows");
	fs_expect_begin(&device->expectations, device->capabilities.multipliers);
	fs_calibrate(device);
	fs_statistics_clear(&device->statistics);
	return FIRESTEEL_OK;
}

static int open_new(const char *name, struct firesteel **device, char *message)
{
	struct firesteel *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return fail(message, FIRESTEEL_ERROR_MEMORY, "there is no memory");
	error = open_transport(name, &new->transport, message);
	if (error) {
		free(new);
		return error;
	}
	atomic_store(&new->entered, 2 * (uint64_t)fs_fork_count());
	error = set_up(new, message);
	if (error) {
		free_device(new);
		return error;
	}
	*device = new;
	return FIRESTEEL_OK;
}

int firesteel_open(const char *name, struct firesteel **device,
		   char message[FIRESTEEL_MESSAGE_SIZE])
{
	char unwanted[FIRESTEEL_MESSAGE_SIZE];
	int error = FIRESTEEL_OK;

	if (!device)
		return FIRESTEEL_ERROR_INVALID;
	if (!message)
		message = unwanted;
	message[0] = '\0';
	if (!name)
		name = secure_getenv("FIRESTEEL_DEVICE");
	if (!name || !*name)
		name = "auto";
	fs_fork_watch();
	fs_registry_lock();
	*device = fs_registry_find(name);
	if (!*device) {
		error = open_new(name, device, message);
		if (!error)
			fs_registry_add(name, *device);
	}
	fs_registry_unlock();
	return error;
}

void firesteel_close(struct firesteel *device)
{
	bool last;

	if (!device)
		return;
	fs_registry_lock();
	last = fs_registry_remove(device);
	fs_registry_unlock();
	if (last)
		free_device(device);
}

int firesteel_retry(struct firesteel *device)
{
	struct fs_transport *transport;
	int error;

	if (!device)
		return FIRESTEEL_ERROR_INVALID;
	error = fs_device_enter(device);
	if (error)
		return error;
	transport = device->transport;
	fs_registry_lock();
	if (!transport->has[FS_CM]) {
		error = transport->ops->retry(transport);
		if (!error && !look_at_cm(device))
			error = FIRESTEEL_ERROR_ABSENT;
		if (!error)
			fs_calibrate_messages(device);
		transport->has[FS_CM] = !error;
	}
	fs_registry_unlock();
	return error;
}

/* ---- the rest of the interface ---- */

void firesteel_capabilities(struct firesteel *device, struct firesteel_capabilities *capabilities)
{
	fs_device_enter(device);
	*capabilities = device->capabilities;
	capabilities->public_key = device->transport->has[FS_PK];
	capabilities->cryptomaster = device->transport->has[FS_CM];
}

void firesteel_statistics(struct firesteel *device, struct firesteel_statistics *statistics)
{
	fs_device_enter(device);
	fs_statistics_read(&device->statistics, statistics);
}

void *firesteel_buffer_new(struct firesteel *device, size_t size)
{
	if (fs_device_enter(device) || fs_health_error(device, FS_CM))
		return NULL;
	return fs_pool_buffer_new(device->pool, size);
}

void firesteel_buffer_free(struct firesteel *device, void *buffer)
{
	if (!fs_device_enter(device) && device->pool)
		fs_pool_buffer_free(device->pool, buffer);
}
