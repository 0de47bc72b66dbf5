// SPDX-License-Identifier: GPL-2.0-or-later
#include "algorithms.h"

#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "algorithm.h"
#include "calibrate.h"
#include "compat.h"

static DEFINE_MUTEX(algorithms_lock);

static void algorithms_register_more(struct work_struct *work)
{
	firesteel_algorithms_register();
}

static DECLARE_WORK(more, algorithms_register_more);

/* The module's start registers what there is; devices that come later ask for it */
static bool started;

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

static void algorithms_each_registered(void (*each)(struct firesteel_algorithm *algorithm,
						    void *data),
				       void *data)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;

	lockdep_assert_held(&algorithms_lock);
	for (i = 0; (algorithm = algorithms_at(i)); i++)
		if (algorithm->registered)
			each(algorithm, data);
}

/* Where the core never pays, users who ask for an algorithm by its name get the kernel's software
 * directly.  Whoever looks for one reads the priority meanwhile.
 */
static void algorithms_update_cost(struct firesteel_algorithm *algorithm, void *data)
{
	struct firesteel_cost *cost = &algorithm->cost;

	firesteel_cost_update(cost);
	WRITE_ONCE(algorithm->class->api(algorithm)->cra_priority,
		   firesteel_cost_pays(cost) ? FIRESTEEL_PRIORITY : FIRESTEEL_PRIORITY_ASIDE);
}

/* One that cannot be registered takes no other with it, which may be in use by now */
static void algorithms_add(struct firesteel_algorithm *algorithm)
{
	int err = algorithm->class->add(algorithm);

	if (err) {
		pr_err("%s cannot be registered: %d\n", firesteel_algorithm_driver_name(algorithm),
		       err);
		return;
	}
	algorithm->registered = true;
	firesteel_calibrate(algorithm);
}

void firesteel_algorithms_register(void)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;

	mutex_lock(&algorithms_lock);
	WRITE_ONCE(started, true);
	for (i = 0; (algorithm = algorithms_at(i)); i++)
		if (!algorithm->registered && firesteel_devices_have(&algorithm->need))
			algorithms_add(algorithm);
	/* those before the reference did not know its times */
	algorithms_each_registered(algorithms_update_cost, NULL);
	mutex_unlock(&algorithms_lock);
}

void firesteel_algorithms_expect(void)
{
	if (READ_ONCE(started))
		queue_work(firesteel_unbound_wq, &more);
}

void firesteel_algorithms_unregister(void)
{
	struct firesteel_algorithm *algorithm;
	unsigned int i;

	cancel_work_sync(&more);
	mutex_lock(&algorithms_lock);
	for (i = 0; (algorithm = algorithms_at(i)); i++) {
		if (algorithm->registered)
			algorithm->class->remove(algorithm);
		algorithm->registered = false;
	}
	mutex_unlock(&algorithms_lock);
}

void firesteel_algorithms_each(void (*each)(struct firesteel_algorithm *algorithm, void *data),
			       void *data)
{
	mutex_lock(&algorithms_lock);
	algorithms_each_registered(each, data);
	mutex_unlock(&algorithms_lock);
}

void firesteel_algorithms_update(void (*change)(void *data), void *data)
{
	mutex_lock(&algorithms_lock);
	change(data);
	algorithms_each_registered(algorithms_update_cost, NULL);
	mutex_unlock(&algorithms_lock);
}
