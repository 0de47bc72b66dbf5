/* SPDX-License-Identifier: Apache-2.0 */
/* A library without the model: it says that it has none, and needs nothing to say so. */
#include <stdio.h>
#include <string.h>

#include <firesteel/firesteel.h>

static int expect(const char *name, int error, const char *part)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;
	int found = firesteel_open(name, &device, message);

	if (found == error && strstr(message, part))
		return 0;
	fprintf(stderr, "%s: %d, \"%s\"; not %d with \"%s\"\n", name, found, message, error, part);
	return 1;
}

int main(void)
{
	return expect("model", FIRESTEEL_ERROR_ABSENT, "built without the model") |
	       expect("uio:nothing", FIRESTEEL_ERROR_ABSENT, "nothing");
}
