/* SPDX-License-Identifier: Apache-2.0 */
/* The UIO devices that the kernel lists. */
#ifndef FS_UIO_LIST_H
#define FS_UIO_LIST_H

/* Where; tests replace it by their trees */
extern const char *fs_uio_sysfs; /* /sys/class/uio */
extern const char *fs_uio_dev; /* /dev */

#define FS_UIO_NAME 64

/* One UIO device */
struct fs_uio_entry {
	char name[FS_UIO_NAME]; /* uio0 */
	char kind[FS_UIO_NAME]; /* SILEX_SHARE_PK, SILEX_SHARE_CM */
	char window[FS_UIO_NAME]; /* its device: 0000:00:02.0 */
};

/* Those of the kinds above that `selection` (NULL: all) means, in the order of their numbers;
 * returns how many */
unsigned fs_uio_list(const char *selection, struct fs_uio_entry *entries, unsigned capacity);

/* A number that the kernel reports of a map ("addr", "size", "offset"); 0 if it does not */
unsigned long fs_uio_map_number(const char *name, unsigned map, const char *what);

#endif
