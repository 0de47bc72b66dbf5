// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/cryptobench: settings in, what was measured out; see cryptobench.h. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cryptobench.h"

#define MAIN_NAME        "cryptobench"
#define MAIN_TEXT_MAX    1024
#define MAIN_REPORT_HEAD 2048
/* Bytes of a line "each INSTRUCTIONS NS IDLE_NS" at the most */
#define MAIN_REPORT_EACH 70

static DEFINE_MUTEX(main_mutex);
/* What is open: that which these settings name; closed while they name nothing */
static struct bench_settings main_settings;
static struct bench_algorithm main_algorithm;
static struct bench_algorithm main_reference;
static char *main_report;
static size_t main_report_length;

static void main_free_requests(struct bench_request **requests, unsigned int count,
			       const struct bench_kind *kind)
{
	while (count--) {
		if (requests[count])
			bench_request_free(requests[count], kind);
	}
	kvfree(requests);
}

static struct bench_request **main_make_requests(const struct bench_algorithm *algorithm,
						 const struct bench_sample *sample,
						 const struct bench_settings *settings)
{
	unsigned int count = settings->in_flight + settings->requests, i;
	struct bench_request **requests = kvcalloc(count, sizeof(*requests), GFP_KERNEL);

	if (!requests)
		return NULL;
	for (i = 0; i < count; i++) {
		requests[i] = bench_request_new(algorithm, settings);
		if (!requests[i]) {
			main_free_requests(requests, count, algorithm->kind);
			return NULL;
		}
		bench_sample_fill(sample, requests[i]);
	}
	return requests;
}

static int main_check(struct bench_request **requests, const struct bench_sample *sample,
		      const struct bench_algorithm *algorithm,
		      const struct bench_settings *settings)
{
	unsigned int count = settings->in_flight + settings->requests, i;

	for (i = 0; i < count; i++) {
		if (bench_sample_fits(sample, requests[i]))
			continue;
		pr_err("cryptobench: %s: request %u of %u gave error %d or another result than %s\n",
		       crypto_tfm_alg_driver_name(algorithm->tfm), i + 1, count, requests[i]->err,
		       settings->reference);
		return -EBADMSG;
	}
	return 0;
}

static void main_write_each(struct bench_request **requests, const struct bench_result *result,
			    unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct bench_clock *from = &requests[i]->submitted;
		const struct bench_clock *to = &requests[i]->completed;

		main_report_length += scnprintf(
			main_report + main_report_length, MAIN_REPORT_EACH, "each %llu %llu %llu\n",
			to->instructions - from->instructions - result->reading.instructions,
			to->time_ns - from->time_ns - result->reading.time_ns,
			to->idle_ns - from->idle_ns);
	}
}

/* `requests` are those that were measured. */
static int main_write_report(struct bench_request **requests, const struct bench_result *result,
			     const struct bench_algorithm *algorithm,
			     const struct bench_settings *settings)
{
	const struct bench_clock *from = &result->begin, *to = &result->end;

	main_report_length = 0;
	kvfree(main_report);
	main_report = kvmalloc(MAIN_REPORT_HEAD + settings->requests * MAIN_REPORT_EACH,
			       GFP_KERNEL);
	if (!main_report)
		return -ENOMEM;
	main_report_length = scnprintf(
		main_report, MAIN_REPORT_HEAD,
		"algorithm %s\ndriver %s\nreference %s\nsize %u\nrequests %u\nin_flight %u\n"
		"asynchronous %u\nsegments %u\ntime_ns %llu\ninstructions %llu\nidle_ns %llu\n"
		"stalled_ns %llu\nreading_instructions %llu\n",
		crypto_tfm_alg_name(algorithm->tfm), crypto_tfm_alg_driver_name(algorithm->tfm),
		settings->reference, settings->size, settings->requests, settings->in_flight,
		result->asynchronous, requests[0]->segments,
		to->time_ns - from->time_ns - result->reading.time_ns,
		to->instructions - from->instructions - result->reading.instructions,
		to->idle_ns - from->idle_ns, to->stalled_ns - from->stalled_ns,
		result->reading.instructions);
	if (settings->each)
		main_write_each(requests, result, settings->requests);
	return 0;
}

static int main_measure(const struct bench_algorithm *algorithm, const struct bench_sample *sample,
			const struct bench_settings *settings)
{
	struct bench_request **requests = main_make_requests(algorithm, sample, settings);
	struct bench_result result;
	int err;

	if (!requests) {
		pr_err("cryptobench: no memory for %u requests of %u bytes\n",
		       settings->requests + settings->in_flight, settings->size);
		return -ENOMEM;
	}
	bench_measure(&result, requests, settings, algorithm->kind);
	err = main_check(requests, sample, algorithm, settings)
		      ?: main_write_report(requests + settings->in_flight, &result, algorithm,
					   settings);
	main_free_requests(requests, settings->in_flight + settings->requests, algorithm->kind);
	return err;
}

static void main_close(void)
{
	bench_algorithm_close(&main_reference);
	bench_algorithm_close(&main_algorithm);
	main_settings = (struct bench_settings){};
}

static bool main_is_open(const struct bench_settings *settings)
{
	return !strcmp(settings->kind, main_settings.kind) &&
	       !strcmp(settings->algorithm, main_settings.algorithm) &&
	       !strcmp(settings->reference, main_settings.reference) &&
	       settings->key == main_settings.key && settings->auth_key == main_settings.auth_key;
}

/*
 * The algorithm is opened before the reference, and both stay open until others are asked for.
 * The kernel drops what it has put together from other algorithms when some of these come anew,
 * so that with a reference there a name may come to stand for something slower.
 */
static int main_open(const struct bench_settings *settings)
{
	int err;

	if (main_is_open(settings))
		return 0;
	main_close();
	err = bench_algorithm_open(&main_algorithm, settings->algorithm, settings)
		      ?: bench_algorithm_open(&main_reference, settings->reference, settings);
	if (err)
		main_close();
	else
		main_settings = *settings;
	return err;
}

static int main_run(const struct bench_settings *settings)
{
	struct bench_sample sample;
	int err;

	err = main_open(settings);
	if (err)
		return err;
	err = bench_sample_make(&sample, &main_reference, settings)
		      ?: main_measure(&main_algorithm, &sample, settings);
	bench_sample_free(&sample);
	return err;
}

static ssize_t main_write(struct file *file, const char __user *from, size_t length, loff_t *at)
{
	struct bench_settings settings;
	char *text;
	int err;

	if (length > MAIN_TEXT_MAX)
		return -EINVAL;
	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = bench_settings_parse(&settings, text);
	kfree(text);
	if (err)
		return err;
	err = mutex_lock_interruptible(&main_mutex);
	if (err)
		return err;
	main_report_length = 0;
	err = main_run(&settings);
	mutex_unlock(&main_mutex);
	return err ?: length;
}

static ssize_t main_read(struct file *file, char __user *to, size_t length, loff_t *at)
{
	ssize_t copied;
	int err;

	err = mutex_lock_interruptible(&main_mutex);
	if (err)
		return err;
	copied = simple_read_from_buffer(to, length, at, main_report, main_report_length);
	mutex_unlock(&main_mutex);
	return copied;
}

static const struct proc_ops main_ops = {
	.proc_read = main_read,
	.proc_write = main_write,
	.proc_lseek = default_llseek,
};

static int __init cryptobench_init(void)
{
	int err;

	err = bench_clock_open();
	if (err)
		return err;
	if (!proc_create(MAIN_NAME, 0600, NULL, &main_ops)) {
		bench_clock_close();
		return -ENOMEM;
	}
	return 0;
}
module_init(cryptobench_init);

static void __exit cryptobench_exit(void)
{
	remove_proc_entry(MAIN_NAME, NULL);
	main_close();
	bench_clock_close();
	kvfree(main_report);
}
module_exit(cryptobench_exit);

MODULE_DESCRIPTION("What a request to the kernel's crypto API costs, exactly");
MODULE_LICENSE("GPL");
