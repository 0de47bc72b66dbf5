/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing: picks a transport, and makes a device of what it reaches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"
#include "cancel.h"
#include "device.h"
#include "option.h"
#include "pool.h"
#include "probe.h"
#include "registry.h"

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
		return fs_uio_open(NULL, fs_registry_has_file, transport, message);
	if (begins_with(name, "uio:") && name[4])
		return fs_uio_open(name + 4, fs_registry_has_file, transport, message);
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

static int set_up(struct firesteel *device, char *message)
{
	int error;

	fs_option_defaults(device);
	error = fs_option_environment(device, message);
	if (error)
		return error;
	error = fs_random_begin(&device->random);
	if (error)
		return fail(message, error, "the kernel provides no random numbers");
	fs_random_get(&device->random, device->preset, sizeof(device->preset));
	fs_probe(device);
	if (!fs_has_pk(device->transport) && !device->transport->has[FS_CM])
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

/* ---- further public-key cores ---- */

static int open_further(const char *name, unsigned *last, struct fs_transport **transport)
{
	if (strcmp(name, "auto") == 0)
		return fs_uio_open_engine(NULL, fs_registry_has_file, last, transport);
	if (begins_with(name, "model:"))
		return fs_model_open_engine(name + 6, last, transport);
	return FIRESTEEL_ERROR_ABSENT;
}

/* What one of them can do all can, and what one of them takes they all take */
static bool is_alike(const struct firesteel_capabilities *one,
		     const struct firesteel_capabilities *other)
{
	return one->operand_bytes == other->operand_bytes &&
	       one->multipliers == other->multipliers && one->curves == other->curves &&
	       one->protection == other->protection;
}

static struct firesteel *new_engine(struct fs_transport *transport)
{
	struct firesteel *engine = calloc(1, sizeof(*engine));
	char unwanted[FIRESTEEL_MESSAGE_SIZE];

	if (!engine) {
		transport->ops->close(transport, true);
		return NULL;
	}
	engine->transport = transport;
	fs_device_begin(engine);
	if (set_up(engine, unwanted) == FIRESTEEL_OK)
		return engine;
	fs_device_free(engine);
	return NULL;
}

/* Those that are like the device's own, and answer rightly now */
static void add_engines(struct firesteel *device, const char *name)
{
	struct fs_transport *transport;
	unsigned last = 0;

	while (device->transport->has[FS_PK] && device->engines < FS_ENGINES &&
	       open_further(name, &last, &transport) == FIRESTEEL_OK) {
		struct firesteel *engine = new_engine(transport);

		if (!engine)
			continue;
		if (engine->right && is_alike(&engine->capabilities, &device->capabilities))
			fs_device_add_engine(device, engine);
		else
			fs_device_free(engine);
	}
}

/* ---- opening ---- */

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
	fs_device_begin(new);
	error = set_up(new, message);
	if (error) {
		fs_device_free(new);
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
	FS_UNCANCELLED;

	if (!device)
		return FIRESTEEL_ERROR_INVALID;
	if (!message)
		message = unwanted;
	message[0] = '\0';
	if (!name)
		name = secure_getenv("FIRESTEEL_DEVICE");
	if (!name || !*name)
		name = "auto";
	fs_registry_lock();
	*device = fs_registry_find(name);
	if (!*device) {
		error = open_new(name, device, message);
		if (!error) {
			fs_registry_add(name, *device);
			add_engines(*device, name);
		}
	}
	fs_registry_unlock();
	return error;
}

void firesteel_close(struct firesteel *device)
{
	bool last;
	FS_UNCANCELLED;

	if (!device)
		return;
	fs_registry_lock();
	last = fs_registry_remove(device);
	fs_registry_unlock();
	if (last)
		fs_device_free(device);
}

int firesteel_retry(struct firesteel *device)
{
	struct fs_transport *transport;
	int error;
	FS_UNCANCELLED;

	if (!device)
		return FIRESTEEL_ERROR_INVALID;
	error = fs_device_enter(device);
	if (error)
		return error;
	if (!fs_pool_can_lock())
		return FIRESTEEL_ERROR_BUSY;
	transport = device->transport;
	fs_registry_lock();
	if (!transport->has[FS_CM]) {
		error = transport->ops->retry(transport);
		if (!error && !fs_probe_cm(device))
			error = FIRESTEEL_ERROR_ABSENT;
		if (!error)
			fs_calibrate_messages(device);
		transport->has[FS_CM] = !error;
	}
	fs_registry_unlock();
	return error;
}
