// SPDX-License-Identifier: GPL-2.0-or-later
/* One request: its memory, scattered as a packet's, and its life; see cryptobench.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "cryptobench.h"

/*
 * Where the first segment lies in its page, as the ESP header in the memory of a packet that is
 * sent: behind the room that the network code keeps free (NET_SKB_PAD and NET_IP_ALIGN, 66), the
 * headers of Ethernet and of the outer IPv4.
 */
#define REQUEST_HEAD_AT (66 + 14 + 20)

/* Where the tag lies in the same page: in a segment of its own, like ESP's trailer. */
#define REQUEST_TAG_AT 2048

static void request_free_pages(struct bench_request *request)
{
	while (request->page_count)
		__free_page(request->pages[--request->page_count]);
	kfree(request->pages);
}

static int request_alloc_pages(struct bench_request *request, unsigned int count)
{
	request->pages = kcalloc(count, sizeof(*request->pages), GFP_KERNEL);
	if (!request->pages)
		return -ENOMEM;
	for (; request->page_count < count; request->page_count++) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);

		if (!page)
			return -ENOMEM;
		request->pages[request->page_count] = page;
	}
	return 0;
}

/* Associated data and head, pages, tag; what has no bytes has no segment. */
static void request_scatter(struct bench_request *request, unsigned int first, unsigned int rest,
			    unsigned int tag)
{
	struct scatterlist *sg = request->sg;
	unsigned int page = 1, length;

	sg_init_table(sg, request->segments);
	if (first) {
		sg_set_page(sg, request->pages[0], first, REQUEST_HEAD_AT);
		sg = sg_next(sg);
	}
	for (; rest; rest -= length) {
		length = min_t(unsigned int, rest, PAGE_SIZE);
		sg_set_page(sg, request->pages[page++], length, 0);
		sg = sg_next(sg);
	}
	if (tag)
		sg_set_page(sg, request->pages[0], tag, REQUEST_TAG_AT);
}

static int request_alloc(struct bench_request *request, const struct bench_algorithm *algorithm,
			 const struct bench_settings *settings)
{
	unsigned int head = min(settings->head, settings->size);
	unsigned int rest = settings->size - head, first = settings->ad + head;
	unsigned int pages = DIV_ROUND_UP(rest, PAGE_SIZE);
	int err;

	err = request_alloc_pages(request, 1 + pages);
	if (err)
		return err;
	request->segments = !!first + pages + !!algorithm->tag_size;
	request->sg = kcalloc(request->segments, sizeof(*request->sg), GFP_KERNEL);
	if (!request->sg)
		return -ENOMEM;
	request_scatter(request, first, rest, algorithm->tag_size);
	return algorithm->kind->prepare(request, algorithm->tfm, settings);
}

struct bench_request *bench_request_new(const struct bench_algorithm *algorithm,
					const struct bench_settings *settings)
{
	/* By itself and not in an array: drivers may reach IV and digest by DMA. */
	struct bench_request *request = kzalloc(sizeof(*request), GFP_KERNEL);

	if (!request)
		return NULL;
	init_completion(&request->ended);
	request->each = settings->each;
	if (request_alloc(request, algorithm, settings)) {
		bench_request_free(request, algorithm->kind);
		return NULL;
	}
	return request;
}

void bench_request_free(struct bench_request *request, const struct bench_kind *kind)
{
	if (request->api)
		kind->release(request);
	kfree(request->sg);
	request_free_pages(request);
	kfree(request);
}

static void request_end(struct bench_request *request, int err)
{
	if (request->each)
		bench_clock_read(&request->completed);
	request->err = err;
	complete(&request->ended);
}

/* The API's callback: also called when a request that had to wait for the queue has begun. */
void bench_request_ended(void *request, int err)
{
	if (err != -EINPROGRESS)
		request_end(request, err);
}

void bench_request_submit(struct bench_request *request,
			  int (*submit)(struct bench_request *request))
{
	int err;

	if (request->each)
		bench_clock_read(&request->submitted);
	err = submit(request);
	/* Both mean that the callback comes, -EBUSY after the request waited for the queue. */
	if (err == -EINPROGRESS || err == -EBUSY)
		request->asynchronous = true;
	else
		request_end(request, err);
}
