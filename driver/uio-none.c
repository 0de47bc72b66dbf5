// SPDX-License-Identifier: GPL-2.0-or-later
/* Replaces uio-pk.c and uio-cm.c if the kernel has no UIO: the kernel owns all cores. */
#include "device.h"

void firesteel_pk_open(struct firesteel_device *device)
{
}

void firesteel_pk_close(struct firesteel_device *device)
{
}

void firesteel_pk_suspend(struct firesteel_pk *pk)
{
}

void firesteel_pk_resume(struct firesteel_pk *pk)
{
}

void firesteel_pk_suspect(struct firesteel_pk *pk)
{
}

void firesteel_pk_show(struct firesteel_pk *pk, struct seq_file *file)
{
}

void firesteel_cm_init(struct firesteel_device *device)
{
}

int firesteel_cm_open(struct firesteel_device *device)
{
	return -EOPNOTSUPP;
}

bool firesteel_cm_lock(struct firesteel_cm *cm)
{
	return false;
}

void firesteel_cm_close(struct firesteel_cm *cm)
{
}

irqreturn_t firesteel_cm_interrupt(struct firesteel_cm *cm)
{
	return IRQ_NONE;
}

void firesteel_cm_show(struct firesteel_cm *cm, struct seq_file *file)
{
}
