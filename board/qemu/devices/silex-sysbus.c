/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Silex cores on the platform bus of a device-tree board, see silex.h.
 *
 *   silex@ADDRESS {
 *       compatible = "firesteel,silex";
 *       reg = <ADDRESS 0x10000>;
 *       interrupts = <CryptoMaster's>, <the public-key engine's>;
 *       interrupt-names = "cryptomaster", "pk";
 *   };
 *
 * Whether its DMA is coherent follows from the whole tree, as dma-coherent is inherited.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "exec/address-spaces.h"
#include "hw/arm/fdt.h"
#include "hw/irq.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "system/device_tree.h"
#include "hw/firesteel/silex.h"

OBJECT_DECLARE_SIMPLE_TYPE(SilexSysbus, SILEX_SYSBUS)

struct SilexSysbus {
    SysBusDevice parent;

    SilexWindow window;
    qemu_irq irqs[SILEX_LINES];
};

void silex_sysbus_add_fdt_node(void *fdt, const char *bus, hwaddr address,
                               const int irq[SILEX_LINES])
{
    static const char names[] = "cryptomaster\0pk";
    g_autofree char *node = g_strdup_printf("%s/silex@%" PRIx64, bus, address);

    qemu_fdt_add_subnode(fdt, node);
    qemu_fdt_setprop_string(fdt, node, "compatible", SILEX_COMPATIBLE);
    qemu_fdt_setprop_cells(fdt, node, "reg", address, SILEX_WINDOW_SIZE);
    qemu_fdt_setprop_cells(fdt, node, "interrupts", GIC_FDT_IRQ_TYPE_SPI,
                           irq[SILEX_LINE_CM], GIC_FDT_IRQ_FLAGS_LEVEL_HI,
                           GIC_FDT_IRQ_TYPE_SPI, irq[SILEX_LINE_PK],
                           GIC_FDT_IRQ_FLAGS_LEVEL_HI);
    qemu_fdt_setprop(fdt, node, "interrupt-names", names, sizeof(names));
}

static void line_changed(SilexWindow *window, unsigned line)
{
    qemu_set_irq(SILEX_SYSBUS(window->device)->irqs[line], window->lines[line]);
}

static void sysbus_realize_cores(DeviceState *dev, Error **errp)
{
    SilexSysbus *cores = SILEX_SYSBUS(dev);

    if (silex_window_realize(&cores->window, dev, &address_space_memory,
                             line_changed, errp)) {
        sysbus_init_mmio(SYS_BUS_DEVICE(dev), &cores->window.registers);
    }
}

static void sysbus_reset(Object *object, ResetType type)
{
    silex_window_reset(&SILEX_SYSBUS(object)->window);
}

static void sysbus_instance_init(Object *object)
{
    SilexSysbus *cores = SILEX_SYSBUS(object);
    unsigned i;

    silex_window_init(&cores->window);
    for (i = 0; i < SILEX_LINES; i++) {
        sysbus_init_irq(SYS_BUS_DEVICE(object), &cores->irqs[i]);
    }
}

static int sysbus_pre_save(void *opaque)
{
    SilexSysbus *cores = opaque;

    return silex_window_at_rest(&cores->window);
}

static const VMStateDescription sysbus_vmstate = {
    .name = TYPE_SILEX_SYSBUS,
    .pre_save = sysbus_pre_save,
    .fields = (const VMStateField[]) { VMSTATE_END_OF_LIST() },
};

static void sysbus_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    dc->realize = sysbus_realize_cores;
    rc->phases.hold = sysbus_reset;
    dc->desc = "Silex cores: CryptoMaster with AES and hash, public key";
    dc->vmsd = &sysbus_vmstate;
    dc->user_creatable = true;
    dc->hotpluggable = false;
    silex_window_class_init(klass, offsetof(SilexSysbus, window));
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo sysbus_type = {
    .name = TYPE_SILEX_SYSBUS,
    .parent = TYPE_DYNAMIC_SYS_BUS_DEVICE,
    .instance_size = sizeof(SilexSysbus),
    .instance_init = sysbus_instance_init,
    .class_init = sysbus_class_init,
};

static void sysbus_register(void)
{
    type_register_static(&sysbus_type);
}
type_init(sysbus_register)
