/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Figures of the documentation that follow from the model: a page has them as tests compute them. */
#ifndef SILEX_TESTS_PAGE_H
#define SILEX_TESTS_PAGE_H

/* Ends the test unless docs/`page` has this line, made as by printf(); says it, to be copied */
__attribute__((format(printf, 2, 3))) void page_expect(const char *page, const char *format, ...);

#endif
