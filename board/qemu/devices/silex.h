/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Silex cores of a board.  What they compute, when they are done and how
 * they fail is the model's affair (model/); here one model is given a window
 * of registers, memory, virtual time and interrupt lines.
 *
 * Life of a window:
 *   1. silex_window_init() when the device object is made: default cores;
 *   2. the properties of silex_window_class_init() choose other ones;
 *   3. silex_window_realize() makes the model, which counts for the probe;
 *   4. silex_window_reset() at power-on and reset.
 */
#ifndef FIRESTEEL_SILEX_H
#define FIRESTEEL_SILEX_H

#include "hw/qdev-core.h"
#include "hw/sysbus.h"
#include "system/dma.h"
#include "hw/firesteel/model/silex-model.h"
#include "hw/firesteel/silex/soc.h"

#define TYPE_SILEX_PCI "silex-pci"
#define TYPE_SILEX_SYSBUS "silex-sysbus"
#define SILEX_COMPATIBLE "firesteel,silex"

typedef struct SilexWindow SilexWindow;

/* A line has changed; all levels are in @window->lines */
typedef void SilexLineChanged(SilexWindow *window, unsigned line);

struct SilexWindow {
    DeviceState *device;
    char *name;                 /* the device's id, or "coresN" */
    MemoryRegion registers;
    AddressSpace *memory;       /* what DMA reaches */
    SilexLineChanged *changed;
    bool lines[SILEX_LINES];
    bool used;                  /* a register was accessed */
    QEMUTimer *timer;
    struct silex_config config;
    struct silex_model *model;
};

void silex_window_init(SilexWindow *window);

/* Properties, one for each key of the model; @offset: of the window in the
 * device's object */
void silex_window_class_init(ObjectClass *klass, size_t offset);

/* Makes @window->registers ready to be mapped; false: the cores cannot be */
bool silex_window_realize(SilexWindow *window, DeviceState *device,
                          AddressSpace *memory, SilexLineChanged *changed,
                          Error **errp);
void silex_window_unrealize(SilexWindow *window);
void silex_window_reset(SilexWindow *window);

/* What a VMStateDescription does before it saves the cores: they can be saved
 * at rest only, as a reset leaves them.  0 if they are. */
int silex_window_at_rest(const SilexWindow *window);

/* The device-tree node of a window on the platform bus; @irq: number of the
 * shared interrupt of each line */
void silex_sysbus_add_fdt_node(void *fdt, const char *bus, hwaddr address,
                               const int irq[SILEX_LINES]);

#endif
