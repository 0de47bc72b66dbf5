/* SPDX-License-Identifier: Apache-2.0 */
/* Files in the place of UIO devices: a tree of them, for each test anew. */
#ifndef FS_TESTS_UIO_FILES_H
#define FS_TESTS_UIO_FILES_H

#include <stdint.h>

#include "../../silex/share.h"
#include "operands.h"

#define FAKE_BUFFER_SIZE   0x100000u /* a CryptoMaster's */
#define FAKE_RESULTS_SIZE  0x40000u
#define FAKE_RESULTS_BEGIN 0x102000u /* in the file */

/* Where sysfs and the devices are */
extern char fake_sysfs[64], fake_dev[64];

/* A device as a file that is mapped here, too */
struct fake {
	uint8_t *bytes;
	struct silex_share *share;
};

int fake_begin(void **state);
int fake_end(void **state);

/* A device that is only told of: its name, its kind and the window that it belongs to */
void fake_describe(const char *name, const char *kind, const char *window);

/* The public-key core of a window, of whose lock page slots are given away from number 3 on.  Or its
 * CryptoMaster. */
struct fake fake_pk(const char *name, const char *window);
struct fake fake_cm(const char *name, const char *window);

/* The CryptoMaster of that name is not coherent: it has results */
void fake_results(const char *name);

void fake_set(struct fake *fake, uint32_t offset, uint32_t value);

/* What a kernel says to who maps the lock page, and to who joins; 0: it gives a slot */
extern int fake_map_error, fake_join_error;

/* With a short time-out */
struct firesteel *fake_open(const char *name);

#define FAKE_TEST(name) cmocka_unit_test_setup_teardown(name, fake_begin, fake_end)

#endif
