/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Exponentiation (opcodes 10 and 14: RSA's public operation, Diffie-Hellman), and the test by
 * Miller and Rabin that rests on it. */
#include "pk-modexp.h"

#include "pk-modulus.h"

uint32_t silex_pk_modexp(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	gcry_mpi_t result = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	if (error)
		return error;
	/* No order is given to blind the exponent with: RAND_KE here costs time and changes nothing */
	gcry_mpi_powm(result, silex_pk_operand_a(operation), silex_pk_operand_b(operation), n);
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

/* Whether n passes for a prime with this base: base^odd is 1, or -1 after at most `twos` - 1
 * squarings, n - 1 being odd * 2^twos */
static bool passes(struct silex_pk_operation *operation, gcry_mpi_t n, gcry_mpi_t base)
{
	gcry_mpi_t minus_one = silex_pk_number(operation);
	gcry_mpi_t odd = silex_pk_number(operation);
	gcry_mpi_t power = silex_pk_number(operation);
	gcry_mpi_t square = silex_pk_number(operation);
	unsigned twos = 1;

	gcry_mpi_sub_ui(minus_one, n, 1);
	while (!gcry_mpi_test_bit(minus_one, twos))
		twos++;
	gcry_mpi_rshift(odd, minus_one, twos);
	gcry_mpi_powm(power, base, odd, n);
	if (gcry_mpi_cmp_ui(power, 1) == 0)
		return true;
	while (twos-- > 0) {
		if (gcry_mpi_cmp(power, minus_one) == 0)
			return true;
		gcry_mpi_mulm(square, power, power, n);
		gcry_mpi_swap(square, power);
	}
	return false;
}

uint32_t silex_pk_miller_rabin(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand(operation, SILEX_PK_SLOT_N);
	gcry_mpi_t base = silex_pk_operand(operation, SILEX_PK_SLOT_A);
	uint32_t error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_N, n);

	if (error)
		return error;
	if (!passes(operation, n, base))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_N, SILEX_PK_STATUS_COMPOSITE);
	return 0;
}
