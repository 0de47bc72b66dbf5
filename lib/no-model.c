/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces model.c: a library without the model of the cores. */
#include <stdio.h>

#include "transport.h"

int fs_model_open(const char *options, struct fs_transport **transport,
		  char message[FIRESTEEL_MESSAGE_SIZE])
{
	(void)options;
	*transport = NULL;
	snprintf(message, FIRESTEEL_MESSAGE_SIZE,
		 "this library was built without the model: allowed are auto and uio:NAME");
	return FIRESTEEL_ERROR_ABSENT;
}

int fs_model_open_engine(const char *options, unsigned *last, struct fs_transport **transport)
{
	(void)options;
	(void)last;
	*transport = NULL;
	return FIRESTEEL_ERROR_ABSENT;
}
