/* SPDX-License-Identifier: Apache-2.0 */
#include "include/firesteel/firesteel.h"

static const char *const texts[] = {
	[-FIRESTEEL_OK] = "done",
	[-FIRESTEEL_ERROR_INVALID] =
		"the request is not valid: an operand is missing or of a wrong size",
	[-FIRESTEEL_ERROR_ABSENT] = "there is no such device, or its cores do not do this",
	[-FIRESTEEL_ERROR_BUSY] = "every CryptoMaster for programs belongs to another process",
	[-FIRESTEEL_ERROR_TIMEOUT] = "the core was not free in time",
	[-FIRESTEEL_ERROR_FAULT] = "the core did not answer correctly",
	[-FIRESTEEL_ERROR_GONE] = "the core has been removed",
	[-FIRESTEEL_ERROR_REFUSED] = "the core rejects an operand",
	[-FIRESTEEL_ERROR_SIGNATURE] = "the signature is wrong",
	[-FIRESTEEL_ERROR_TAG] = "the authentication tag is wrong",
	[-FIRESTEEL_ERROR_MEMORY] = "out of memory",
	[-FIRESTEEL_ERROR_SYSTEM] = "a system call failed",
	[-FIRESTEEL_ERROR_FORKED] = "the job belongs to the parent process",
	[-FIRESTEEL_ERROR_CHECK] = "the core's result was wrong",
	[-FIRESTEEL_ERROR_NEWER] =
		"the request has an operation, flag or member that this version of the library does not know",
};

const char *firesteel_error_text(int error)
{
	unsigned index = (unsigned)-error;

	return index < sizeof(texts) / sizeof(*texts) ? texts[index] : "an unknown error";
}
