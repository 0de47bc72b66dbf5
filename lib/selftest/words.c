/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "vectors.h"

enum { NAME, SIZE, FLAGS, VERDICT, FIRST_VALUE };

static void split(const char *line, struct vector *vector)
{
	char *rest = vector->line, *word;

	if (strlen(line) >= sizeof(vector->line))
		abort();
	strcpy(vector->line, line);
	vector->words = 0;
	while (vector->words < VECTOR_WORDS && (word = strsep(&rest, " ")))
		vector->word[vector->words++] = word;
}

static bool begins_with(const char *line, const char *name)
{
	size_t length = strlen(name);

	return strncmp(line, name, length) == 0 && line[length] == ' ';
}

bool vector_next(const char *name, unsigned *at, struct vector *vector)
{
	while (selftest_vectors[*at]) {
		const char *line = selftest_vectors[(*at)++];

		if (begins_with(line, name)) {
			split(line, vector);
			return true;
		}
	}
	return false;
}

static uint8_t digit(char text)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = strchr(digits, text | 0x20);

	if (!text || !found)
		abort();
	return (uint8_t)(found - digits);
}

struct firesteel_bytes vector_bytes(const struct vector *vector, unsigned word,
				    uint8_t bytes[VECTOR_NUMBER])
{
	const char *text = vector->word[word];
	size_t digits, size = 0;

	if (word >= vector->words)
		abort();
	digits = strcmp(text, "-") == 0 ? 0 : strlen(text);
	if (digits > 2 * VECTOR_NUMBER)
		abort();
	if (digits % 2)
		bytes[size++] = digit(*text++);
	for (; size < (digits + 1) / 2; text += 2)
		bytes[size++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return (struct firesteel_bytes){ bytes, size };
}

bool vector_values(const char *name, size_t size, unsigned *at, struct values *values)
{
	static struct vector vector;

	do {
		if (!vector_next(name, at, &vector))
			return false;
		values->size = strtoul(vector.word[SIZE], NULL, 10);
	} while (size > 0 && size != values->size);
	values->good = strcmp(vector.word[VERDICT], "good") == 0;
	for (unsigned i = FIRST_VALUE; i < vector.words; i++)
		values->of[i - FIRST_VALUE] = vector_bytes(&vector, i,
							   values->bytes[i - FIRST_VALUE]);
	return true;
}
