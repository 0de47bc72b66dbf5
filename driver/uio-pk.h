/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public-key engine, which only programs use: how it is exported to them. */
#ifndef FIRESTEEL_UIO_PK_H
#define FIRESTEEL_UIO_PK_H

#include "pk.h"
#include "resources.h"

struct seq_file;

/* Exports the engine to programs; if that fails, the log says why */
void firesteel_uio_pk_open(struct firesteel_pk *pk, struct device *dev,
			   const struct firesteel_resources *resources);

/* Revokes it, whatever programs are doing with it */
void firesteel_uio_pk_close(struct firesteel_pk *pk);

/* The engine is being reset, or has no power, between these two */
void firesteel_uio_pk_suspend(struct firesteel_pk *pk);
void firesteel_uio_pk_resume(struct firesteel_pk *pk);

/* The window may have been reset without notice */
void firesteel_uio_pk_suspect(struct firesteel_pk *pk);

void firesteel_uio_pk_show(struct firesteel_pk *pk, struct seq_file *file);

#endif
