// SPDX-License-Identifier: GPL-2.0-or-later
/* Replaces uio-pk.c and uio-cm.c if the kernel has no UIO: the kernel owns all cores. */
#include "uio-cm.h"
#include "uio-pk.h"

unsigned int firesteel_buffer_kib;

void firesteel_uio_pk_open(struct firesteel_pk *pk, struct device *dev,
			   const struct firesteel_resources *resources)
{
}

void firesteel_uio_pk_close(struct firesteel_pk *pk)
{
}

void firesteel_uio_pk_suspend(struct firesteel_pk *pk)
{
}

void firesteel_uio_pk_resume(struct firesteel_pk *pk)
{
}

void firesteel_uio_pk_suspect(struct firesteel_pk *pk)
{
}

void firesteel_uio_pk_show(struct firesteel_pk *pk, struct seq_file *file)
{
}

void firesteel_uio_cm_init(struct firesteel_uio_cm *cm, struct device *dev,
			   const struct firesteel_resources *resources)
{
}

int firesteel_uio_cm_open(struct firesteel_uio_cm *cm)
{
	return -EOPNOTSUPP;
}

bool firesteel_uio_cm_lock(struct firesteel_uio_cm *cm)
{
	return false;
}

void firesteel_uio_cm_close(struct firesteel_uio_cm *cm)
{
}

bool firesteel_uio_cm_suspend(struct firesteel_uio_cm *cm)
{
	return true;
}

void firesteel_uio_cm_resume(struct firesteel_uio_cm *cm)
{
}

irqreturn_t firesteel_uio_cm_interrupt(struct firesteel_uio_cm *cm)
{
	return IRQ_NONE;
}

void firesteel_uio_cm_show(struct firesteel_uio_cm *cm, struct seq_file *file)
{
}
