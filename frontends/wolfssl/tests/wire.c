/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "wire.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

void queue_put(struct queue *queue, const void *bytes, size_t size)
{
	if (queue->first == queue->last)
		queue->first = queue->last = 0;
	if (queue->capacity - queue->last < size) {
		queue->capacity = queue->last + size;
		queue->bytes = realloc(queue->bytes, queue->capacity);
		CHECK(queue->bytes);
	}
	memcpy(queue->bytes + queue->last, bytes, size);
	queue->last += size;
}

size_t queue_take(struct queue *queue, void *bytes, size_t size)
{
	size_t has = queue->last - queue->first;

	size = size < has ? size : has;
	if (size > 0)
		memcpy(bytes, queue->bytes + queue->first, size);
	queue->first += size;
	return size;
}

void queue_free(struct queue *queue)
{
	free(queue->bytes);
	*queue = (struct queue){ .bytes = NULL };
}
