/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a cost model (cycles.h): what its classes cost, and its caches.
 */
#ifndef FIRESTEEL_CYCLES_TABLE_H
#define FIRESTEEL_CYCLES_TABLE_H

/*
 * Switch the model on.  @table is "NAME:VALUE/NAME:VALUE/...", with each name
 * of cycles-classes.h once (VALUE in units), those of cycles_cache_set(), and
 * "count:1" if instructions are to be counted by class, which takes the host
 * more time and the board none.
 */
bool cycles_set_up(const char *table, Error **errp);

#endif
