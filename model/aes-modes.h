/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The modes that BA411E can have. */
#ifndef SILEX_AES_MODES_H
#define SILEX_AES_MODES_H

#include "aes-mode.h"

extern const struct silex_aes_mode silex_aes_ecb;
extern const struct silex_aes_mode silex_aes_cbc;
extern const struct silex_aes_mode silex_aes_ctr;
extern const struct silex_aes_mode silex_aes_cfb;
extern const struct silex_aes_mode silex_aes_ofb;
extern const struct silex_aes_mode silex_aes_ccm;
extern const struct silex_aes_mode silex_aes_gcm;
extern const struct silex_aes_mode silex_aes_xts;
extern const struct silex_aes_mode silex_aes_cmac;

#endif
