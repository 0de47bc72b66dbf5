// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes into every request and what must come out, as another implementation has it; see
 * cryptobench.h.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/string.h>

#include "cryptobench.h"

/* Bytes that repeat at no power of two */
static void sample_pattern(u8 *bytes, unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		bytes[i] = i % 251;
}

/* Encrypts the pattern with the reference, and puts both where the direction wants them. */
static int sample_encrypt(struct bench_sample *sample, const struct bench_algorithm *reference,
			  const struct bench_settings *settings)
{
	struct bench_settings encrypting = *settings;
	struct bench_request *request;
	u8 *plain = settings->decrypt ? sample->output : sample->input;
	u8 *encrypted = settings->decrypt ? sample->input : sample->output;
	int err;

	encrypting.decrypt = 0;
	encrypting.each = 0;
	request = bench_request_new(reference, &encrypting);
	if (!request)
		return -ENOMEM;
	sample_pattern(plain, settings->ad + settings->size);
	sg_copy_from_buffer(request->sg, request->segments, plain, sample->length);
	bench_request_submit(request, reference->kind->encrypt);
	wait_for_completion(&request->ended);
	err = request->err;
	sg_copy_to_buffer(request->sg, request->segments, encrypted, sample->length);
	memcpy(sample->digest, request->digest, reference->digest_size);
	bench_request_free(request, reference->kind);
	return err;
}

int bench_sample_make(struct bench_sample *sample, const struct bench_algorithm *reference,
		      const struct bench_settings *settings)
{
	int err = -ENOMEM;

	memset(sample, 0, sizeof(*sample));
	sample->length = settings->ad + settings->size + reference->tag_size;
	/* Where a tag was read, it is left as it may be. */
	sample->checked = sample->length - (settings->decrypt ? reference->tag_size : 0);
	sample->input = kvzalloc(sample->length, GFP_KERNEL);
	sample->output = kvzalloc(sample->length, GFP_KERNEL);
	if (sample->input && sample->output)
		err = sample_encrypt(sample, reference, settings);
	if (err)
		pr_err("cryptobench: the reference %s fails (error %d)\n", settings->reference,
		       err);
	return err;
}

void bench_sample_free(struct bench_sample *sample)
{
	kvfree(sample->input);
	kvfree(sample->output);
}

void bench_sample_fill(const struct bench_sample *sample, struct bench_request *request)
{
	sg_copy_from_buffer(request->sg, request->segments, sample->input, sample->length);
}

/* Compares segment by segment. */
bool bench_sample_fits(const struct bench_sample *sample, const struct bench_request *request)
{
	const u8 *expected = sample->output;
	unsigned int left = sample->checked, i;
	struct scatterlist *sg;

	if (request->err || memcmp(request->digest, sample->digest, sizeof(sample->digest)))
		return false;
	for_each_sg(request->sg, sg, request->segments, i)
	{
		unsigned int length = min(sg->length, left);

		if (memcmp(sg_virt(sg), expected, length))
			return false;
		expected += length;
		left -= length;
	}
	return true;
}
