#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a binding and its examples, as a kernel's `make dt_binding_check` does but without the kernel's other
# bindings, inside the root of packages.txt:
#
#   check-binding.sh WORK NAME
#
# WORK has the binding as crypto/NAME and may be written to. What is wrong goes to WORK/messages.
set -eu

work=$1
export PYTHONPATH=/firesteel/dtschema PATH=/firesteel/dtschema/bin:$PATH
cd "$work"
binding=crypto/$2

# The headers that examples include.
mkdir -p include/dt-bindings/interrupt-controller
echo '#define GIC_SPI 0' >include/dt-bindings/interrupt-controller/arm-gic.h
echo '#define IRQ_TYPE_LEVEL_HIGH 4' >include/dt-bindings/interrupt-controller/irq.h

{
    dt-doc-validate -u "$work" "$binding" 2>&1 || true
    dt-mk-schema -j "$binding" >schema.json || echo "$binding: no schema"
    dt-extract-example "$binding" >example.dts || echo "$binding: no examples"
    # The kernel's own flags for examples.
    gcc -E -P -nostdinc -undef -x assembler-with-cpp -Iinclude -o example.pre example.dts
    dtc -q -I dts -O dtb -o example.dtb example.pre || echo "$binding: an example is no device tree"
    dt-validate -s schema.json example.dtb 2>&1 || true
} >messages
