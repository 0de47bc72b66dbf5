/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "fork.h"

static pthread_mutex_t mutex;
static fs_fork_mark made; /* of the mutex */
static struct firesteel *first;

/* A child may have inherited a mutex that a thread of its parent held, which it does not have */
void fs_registry_lock(void)
{
	if (fs_fork_enter(&made)) {
		pthread_mutex_init(&mutex, NULL);
		fs_fork_made(&made);
	}
	pthread_mutex_lock(&mutex);
}

void fs_registry_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

struct firesteel *fs_registry_find(const char *name)
{
	for (struct firesteel *device = first; device; device = device->next) {
		if (*device->key && strcmp(device->key, name) == 0) {
			device->users++;
			return device;
		}
	}
	return NULL;
}

void fs_registry_add(const char *name, struct firesteel *device)
{
	if (strncmp(name, "model", strlen("model")) != 0)
		snprintf(device->key, sizeof(device->key), "%s", name);
	device->users = 1;
	device->next = first;
	first = device;
}

bool fs_registry_remove(struct firesteel *device)
{
	struct firesteel **at = &first;

	if (--device->users > 0)
		return false;
	while (*at != device)
		at = &(*at)->next;
	*at = device->next;
	return true;
}

static bool has_file(const struct firesteel *device, const char *file)
{
	for (unsigned core = 0; core < FS_CORES; core++)
		if (*device->transport->file[core] &&
		    strcmp(device->transport->file[core], file) == 0)
			return true;
	return false;
}

bool fs_registry_has_file(const char *file)
{
	for (struct firesteel *device = first; device; device = device->next)
		for (unsigned i = 0; i < device->engines; i++)
			if (has_file(device->engine[i], file))
				return true;
	return false;
}
