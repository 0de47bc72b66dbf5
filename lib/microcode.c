/* SPDX-License-Identifier: Apache-2.0 */
#include "microcode.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(char *message, const char *file, const char *why)
{
	snprintf(message, FIRESTEEL_MESSAGE_SIZE, "model: microcode=%.100s: %.100s", file, why);
}

/* Words as they lie in memory that the core reads: the first byte is the lowest */
static size_t read_words(FILE *from, struct fs_microcode *microcode)
{
	size_t size = fread(microcode->word, 1, sizeof(microcode->word), from);

	if (size == 0 || size % 4 > 0 || ferror(from) || fgetc(from) != EOF)
		return 0;
	for (size_t i = 0; i < size / 4; i++)
		microcode->word[i] = le32toh(microcode->word[i]);
	return size / 4;
}

static struct fs_microcode *read_file(FILE *from, const char *file, char *message)
{
	struct fs_microcode *microcode = calloc(1, sizeof(*microcode));

	if (!microcode) {
		fail(message, file, "there is no memory");
		return NULL;
	}
	microcode->words = read_words(from, microcode);
	if (microcode->words)
		return microcode;
	fail(message, file, "allowed is a file of 4 to 16384 bytes, a multiple of 4");
	free(microcode);
	return NULL;
}

int fs_microcode_read(const char *file, struct fs_microcode **microcode,
		      char message[FIRESTEEL_MESSAGE_SIZE])
{
	FILE *from = fopen(file, "rbe");

	free(*microcode);
	*microcode = NULL;
	if (!from) {
		fail(message, file, strerror(errno));
		return FIRESTEEL_ERROR_INVALID;
	}
	*microcode = read_file(from, file, message);
	fclose(from);
	return *microcode ? FIRESTEEL_OK : FIRESTEEL_ERROR_INVALID;
}
