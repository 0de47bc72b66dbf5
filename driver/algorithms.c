// SPDX-License-Identifier: GPL-2.0-or-later
#include "algorithm.h"

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "calibrate.h"

static DEFINE_MUTEX(lock);

static void algorithms_register_more(struct work_struct *work)
{
	firesteel_algorithms_register();
}

static DECLARE_WORK(more, algorithms_register_more);

/* The module's start registers what there is; devices that come later ask for it */
static bool started;

static const struct crypto_alg *algorithms_base(const struct firesteel_algorithm *algorithm)
{
	switch (algorithm->kind) {
	case FIRESTEEL_SKCIPHER:
		return &algorithm->api.skcipher.base;
	case FIRESTEEL_AHASH:
		return &algorithm->api.ahash.halg.base;
	default:
		return &algorithm->api.aead.base;
	}
}

const char *firesteel_algorithm_name(const struct firesteel_algorithm *algorithm)
{
	return algorithms_base(algorithm)->cra_name;
}

const char *firesteel_algorithm_driver_name(const struct firesteel_algorithm *algorithm)
{
	return algorithms_base(algorithm)->cra_driver_name;
}

static int algorithms_add(struct firesteel_algorithm *algorithm)
{
	switch (algorithm->kind) {
	case FIRESTEEL_SKCIPHER:
		return crypto_register_skcipher(&algorithm->api.skcipher);
	case FIRESTEEL_AHASH:
		return crypto_register_ahash(&algorithm->api.ahash);
	default:
		return crypto_register_aead(&algorithm->api.aead);
	}
}

static void algorithms_unregister(struct firesteel_algorithm *algorithm)
{
	switch (algorithm->kind) {
	case FIRESTEEL_SKCIPHER:
		crypto_unregister_skcipher(&algorithm->api.skcipher);
		break;
	case FIRESTEEL_AHASH:
		crypto_unregister_ahash(&algorithm->api.ahash);
		break;
	default:
		crypto_unregister_aead(&algorithm->api.aead);
	}
}

static const struct {
	struct firesteel_algorithm *first;
	const unsigned int *count;
} tables[] = {
	{ firesteel_skciphers, &firesteel_skcipher_count },
	{ firesteel_aeads, &firesteel_aead_count },
	{ firesteel_authencs, &firesteel_authenc_count },
	{ firesteel_ahashes, &firesteel_ahash_count },
};

/* One step of going through all tables; NULL after the last */
static struct firesteel_algorithm *algorithms_at(unsigned int index)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (index < *tables[i].count)
			return &tables[i].first[index];
		index -= *tables[i].count;
	}
	return NULL;
}

int firesteel_algorithms_register(void)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;
	int err = 0;

	mutex_lock(&lock);
	started = true;
	for (i = 0; (algorithm = algorithms_at(i)) && !err; i++) {
		if (algorithm->registered || !firesteel_device_exists(&algorithm->need))
			continue;
		err = algorithms_add(algorithm);
		if (err) {
			pr_err("%s cannot be registered: %d\n",
			       firesteel_algorithm_driver_name(algorithm), err);
			break;
		}
		algorithm->registered = true;
		firesteel_calibrate(algorithm);
	}
	mutex_unlock(&lock);
	return err;
}

void firesteel_algorithms_expect(void)
{
	if (READ_ONCE(started))
		queue_work(system_unbound_wq, &more);
}

void firesteel_algorithms_unregister(void)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;

	cancel_work_sync(&more);
	mutex_lock(&lock);
	for (i = 0; (algorithm = algorithms_at(i)); i++) {
		if (algorithm->registered)
			algorithms_unregister(algorithm);
		algorithm->registered = false;
	}
	mutex_unlock(&lock);
}

/* Under the lock */
static void algorithms_each_registered(void (*each)(struct firesteel_algorithm *algorithm,
						    void *data),
				       void *data)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;

	for (i = 0; (algorithm = algorithms_at(i)); i++)
		if (algorithm->registered)
			each(algorithm, data);
}

void firesteel_algorithms_each(void (*each)(struct firesteel_algorithm *algorithm, void *data),
			       void *data)
{
	mutex_lock(&lock);
	algorithms_each_registered(each, data);
	mutex_unlock(&lock);
}

static void algorithms_update_cost(struct firesteel_algorithm *algorithm, void *data)
{
	firesteel_cost_update(&algorithm->cost);
}

void firesteel_algorithms_update(void (*change)(void *data), void *data)
{
	mutex_lock(&lock);
	if (change)
		change(data);
	algorithms_each_registered(algorithms_update_cost, NULL);
	mutex_unlock(&lock);
}
