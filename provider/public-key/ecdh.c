/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman on elliptic curves, on the core.  The core checks that the peer's point is on the
 * curve before it uses the secret, as libcrypto does when the key comes and when it is given.  The
 * curves that it has are of prime order, so that the mode with the cofactor (which is 1) gives the
 * same.
 */
#include "public-key/ecdh.h"

#include "base/policy.h"
#include "public-key/exchange.h"

struct firesteel_request fsp_ecdh_request(const struct fsp_ec *ec, const struct fsp_ec *peer,
					  uint8_t *x)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDH,
		.ecdh = { .curve = ec->curve,
			  .secret = ec->secret,
			  .peer_x = peer->x,
			  .peer_y = peer->y,
			  .x = { x, ec->size } },
	};
}

/* Asked before the numbers are read, which are those of new keys in a handshake */
static bool wants(const struct fsp_exchange *exchange)
{
	struct firesteel_request request;
	struct fsp_ec curve;

	if (!fsp_ec_curve_for(exchange->key, FSP_TASK_ECDH, &curve))
		return false;
	request = fsp_ecdh_request(&curve, &curve, NULL);
	return fsp_ec_wants(exchange->provider, FSP_TASK_ECDH, &request, &curve);
}

static bool derive(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity)
{
	const struct fsp_ec *ec, *peer;
	struct firesteel_request request;

	if (!wants(exchange))
		return false;
	ec = fsp_key_components(exchange->key);
	peer = fsp_key_components(exchange->peer);
	if (!ec || !peer || ec->curve.name != peer->curve.name || ec->secret.size == 0 ||
	    peer->x.size == 0 || capacity < ec->size || fsp_exchange_derives(exchange)) {
		fsp_policy_unfit(exchange->provider, FSP_TASK_ECDH);
		return false;
	}
	request = fsp_ecdh_request(ec, peer, out);
	if (fsp_policy_run(exchange->provider, FSP_TASK_ECDH, &request, ec->size) != FIRESTEEL_OK)
		return false;
	*size = ec->size;
	return true;
}

static const struct fsp_exchange_kind ecdh_kind = { .name = "ECDH", .derive = derive };
FSP_EXCHANGE_TABLE(ecdh);
