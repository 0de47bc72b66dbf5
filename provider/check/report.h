/* SPDX-License-Identifier: Apache-2.0 */
/* What a run had from the cores, in words. */
#ifndef FSP_CHECK_REPORT_H
#define FSP_CHECK_REPORT_H

#include "check/files.h"

/* To standard error, which keeps the program's output clean */
void report(const struct files *files, const char *program);

#endif
