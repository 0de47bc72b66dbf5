/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "vector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char *path;
static unsigned line_number;

void vector_check(bool holds, const char *condition)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%u: %s does not hold\n", path, line_number, condition);
	abort();
}

/* What is no hexadecimal number has no bytes */
static void read_bytes(struct vector *vector, unsigned i)
{
	const char *word = vector->word[i];
	size_t size = strlen(word) / 2;

	vector->size[i] = 0;
	if (strspn(word, "0123456789abcdefABCDEF") != strlen(word) || strlen(word) % 2 != 0)
		return;
	CHECK(size <= VECTOR_LARGEST);
	for (size_t j = 0; j < size; j++) {
		unsigned byte;

		CHECK(sscanf(word + 2 * j, "%2x", &byte) == 1);
		vector->bytes[i][j] = (uint8_t)byte;
	}
	vector->size[i] = size;
}

static void read_line(struct vector *vector, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	for (unsigned i = 0; i < VECTOR_WORDS; i++) {
		vector->word[i] = strsep(&line, " ");
		vector->size[i] = 0;
		if (vector->word[i])
			read_bytes(vector, i);
	}
	CHECK(!line);
}

unsigned vectors_run(const char *file_name, bool (*run)(const struct vector *vector))
{
	FILE *file = fopen(file_name, "r");
	struct vector vector;
	char *line = NULL;
	size_t capacity = 0;
	unsigned tried = 0;

	CHECK(file);
	path = file_name;
	for (unsigned i = 0; i < VECTOR_WORDS; i++)
		CHECK((vector.bytes[i] = malloc(VECTOR_LARGEST)));
	for (line_number = 1; getline(&line, &capacity, file) > 0; line_number++) {
		read_line(&vector, line);
		tried += run(&vector);
	}
	for (unsigned i = 0; i < VECTOR_WORDS; i++)
		free(vector.bytes[i]);
	free(line);
	fclose(file);
	return tried;
}

bool vector_pad(const struct vector *vector, unsigned word, uint8_t *out, size_t size)
{
	const uint8_t *bytes = vector->bytes[word];
	size_t has = vector->size[word];

	for (; has > size; has--)
		if (*bytes++ != 0)
			return false;
	memset(out, 0, size - has);
	memcpy(out + size - has, bytes, has);
	return true;
}
