/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Silex cores as a PCI function, see silex.h and silex/pci.h.
 *
 * The lines are levels, messages are edges: a message goes out when a line
 * rises, and for lines that are up when MSI-X is switched on.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_device.h"
#include "migration/vmstate.h"
#include "qapi/error.h"
#include "hw/firesteel/silex.h"
#include "hw/firesteel/silex/pci.h"

OBJECT_DECLARE_SIMPLE_TYPE(SilexPci, SILEX_PCI)

struct SilexPci {
    PCIDevice parent;

    SilexWindow window;
};

static bool any_line_is_up(const SilexWindow *window)
{
    unsigned i;

    for (i = 0; i < SILEX_LINES; i++) {
        if (window->lines[i]) {
            return true;
        }
    }
    return false;
}

/*
 * The pin is silent until a driver has switched the window on: the engine's
 * interrupt of power-on would else take the pin from devices that share it.
 */
static void set_pin(SilexWindow *window)
{
    PCIDevice *pci = PCI_DEVICE(window->device);
    uint16_t command = pci_get_word(pci->config + PCI_COMMAND);

    pci_set_irq(pci, (command & PCI_COMMAND_MEMORY) && any_line_is_up(window));
}

static void line_changed(SilexWindow *window, unsigned line)
{
    PCIDevice *pci = PCI_DEVICE(window->device);

    if (!msix_enabled(pci)) {
        set_pin(window);
    } else if (window->lines[line]) {
        msix_notify(pci, line);
    }
}

static void config_write(PCIDevice *pci, uint32_t address, uint32_t value,
                         int length)
{
    SilexWindow *window = &SILEX_PCI(pci)->window;
    bool before = msix_enabled(pci);
    unsigned i;

    pci_default_write_config(pci, address, value, length);
    if (!msix_enabled(pci)) {
        set_pin(window);
        return;
    }
    for (i = 0; i < SILEX_LINES && !before; i++) {
        line_changed(window, i);
    }
}

static void pci_realize(PCIDevice *pci, Error **errp)
{
    SilexWindow *window = &SILEX_PCI(pci)->window;

    /* in zero time, the interrupt after power-on comes when the model is made */
    pci_config_set_interrupt_pin(pci->config, 1);
    if (!silex_window_realize(window, DEVICE(pci), pci_get_address_space(pci),
                              line_changed, errp)) {
        return;
    }
    if (msix_init_exclusive_bar(pci, SILEX_LINES, SILEX_PCI_MSIX_BAR, errp)) {
        silex_window_unrealize(window);
        return;
    }
    for (unsigned i = 0; i < SILEX_LINES; i++) {
        msix_vector_use(pci, i);
    }
    pci_register_bar(pci, SILEX_PCI_WINDOW_BAR, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &window->registers);
}

static void pci_reset(Object *object, ResetType type)
{
    silex_window_reset(&SILEX_PCI(object)->window);
}

static void pci_instance_init(Object *object)
{
    silex_window_init(&SILEX_PCI(object)->window);
}

static int pci_pre_save(void *opaque)
{
    SilexPci *cores = opaque;

    return silex_window_at_rest(&cores->window);
}

static const VMStateField pci_fields[] = {
    VMSTATE_PCI_DEVICE(parent, SilexPci),
    VMSTATE_MSIX(parent, SilexPci),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription pci_vmstate = {
    .name = TYPE_SILEX_PCI,
    .pre_save = pci_pre_save,
    .fields = pci_fields,
};

static void pci_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    ResettableClass *rc = RESETTABLE_CLASS(klass);

    pc->realize = pci_realize;
    pc->config_write = config_write;
    pc->vendor_id = SILEX_PCI_VENDOR;
    pc->device_id = SILEX_PCI_DEVICE;
    pc->class_id = PCI_CLASS_CRYPT_OTHER;
    rc->phases.hold = pci_reset;
    dc->desc = "Silex cores: CryptoMaster with AES and hash, public key";
    dc->vmsd = &pci_vmstate;
    dc->hotpluggable = false;
    silex_window_class_init(klass, offsetof(SilexPci, window));
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo pci_type = {
    .name = TYPE_SILEX_PCI,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(SilexPci),
    .instance_init = pci_instance_init,
    .class_init = pci_class_init,
    .interfaces =
        (InterfaceInfo[]) {
            { INTERFACE_CONVENTIONAL_PCI_DEVICE },
            {},
        },
};

static void pci_register(void)
{
    type_register_static(&pci_type);
}
type_init(pci_register)
