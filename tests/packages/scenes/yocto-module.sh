# SPDX-License-Identifier: Apache-2.0
# Does what Yocto's class `module` does for the recipe `firesteel-module`, for the kernel whose headers are there.
#
#   yocto-module.sh ARGUMENT...    of make
#   /firesteel/source.tar.xz       the source
mkdir -p /firesteel/work/source
tar -xf /firesteel/source.tar.xz -C /firesteel/work/source --strip-components=1
ln -s /lib/modules/*/build /firesteel/kernel
make "$@"
make "$@" DEPMOD=echo MODLIB=/firesteel/work/installed/lib/modules/here modules_install
find /firesteel/work/installed -name 'firesteel.ko*' | grep .
[ -e /firesteel/work/source/driver/Module.symvers ]
