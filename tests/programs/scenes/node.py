# SPDX-License-Identifier: Apache-2.0
"""Node.js, which reads a section of its own of OpenSSL's configuration: keys, ciphers and hashes;
and a server and a client of TLS.
"""

from pathlib import Path

from scenes import content, process, web
from scenes.cells import Cells
from scenes.pki import Authority
from scenes.side import Side, pair

_SIZE = 1_000_000

_WORK = """
const assert = require('assert'), crypto = require('crypto');
const text = Buffer.alloc(9000, 'text'), key = Buffer.alloc(32, 1), nonce = Buffer.alloc(12, 2);
const sealer = crypto.createCipheriv('aes-256-gcm', key, nonce);
const sealed = Buffer.concat([sealer.update(text), sealer.final()]);
const opener = crypto.createDecipheriv('aes-256-gcm', key, nonce);
opener.setAuthTag(sealer.getAuthTag());
assert(Buffer.concat([opener.update(sealed), opener.final()]).equals(text));
const hash = crypto.createHash('sha256').update(text);
assert.equal(hash.copy().digest('hex'), crypto.createHash('sha256').update(text).digest('hex'));
const kinds = [
  ['rsa', {modulusLength: 2048}], ['ec', {namedCurve: 'P-256'}], ['x25519', {}], ['ed25519', {}],
];
for (const [kind, options] of kinds) {
  const pair = crypto.generateKeyPairSync(kind, options);
  const format = {type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x'};
  const pem = pair.privateKey.export(format);
  const back = crypto.createPrivateKey({key: pem, passphrase: 'x'});
  assert(back.equals(pair.privateKey));
  if (kind === 'x25519') {
    const other = crypto.generateKeyPairSync(kind);
    const here = crypto.diffieHellman({privateKey: back, publicKey: other.publicKey});
    const there = {privateKey: other.privateKey, publicKey: pair.publicKey};
    assert(here.equals(crypto.diffieHellman(there)));
  } else {
    const digest = kind === 'ed25519' ? null : 'sha256';
    assert(crypto.verify(digest, text, pair.publicKey, crypto.sign(digest, text, back)));
  }
}
"""

_SERVE = """
const https = require('https'), fs = require('fs');
const [port, directory] = process.argv.slice(1);
const read = (name) => fs.readFileSync(directory + '/' + name);
const sent = read('sent');
https.createServer({key: read('ec.key'), cert: read('ec.crt')}, (_, answer) => answer.end(sent))
  .listen(port, '127.0.0.1');
"""

_FETCH = """
const https = require('https'), fs = require('fs');
const [port, directory] = process.argv.slice(1);
const ca = fs.readFileSync(directory + '/authority.crt');
https.get({host: 'localhost', family: 4, port, ca}, (answer) => answer.pipe(process.stdout));
"""


def play(cells: Cells) -> None:
    """The scene."""
    ours = Side("node-work", True)
    wanted = ("gcm", "digest", "cbc")
    with cells.cell("Node.js's crypto", ours, None, *wanted, later="rsa ecdsa x25519 ed25519"):
        process.run(ours, ["node", "-e", _WORK])
    for name in ("server", "client"):
        ours, theirs = pair(f"node-{name}")
        here, there = (ours, theirs) if name == "server" else (theirs, ours)
        directory = Path("/tmp") / f"node-{name}"
        authority = Authority(directory, theirs)
        authority.identity("ec", "ec")
        digest = content.make(directory / "sent", _SIZE)
        port = process.free_port()
        with process.server(f"node-{name}", here, _command(_SERVE, port, directory)) as server:
            server.wait_until(process.listening(port), "does not listen")
            with cells.cell(f"Node.js and TLS, {name} ours", ours, theirs, "gcm", later="x25519"):
                got = process.run(there, _command(_FETCH, port, directory))
                content.check(got, digest, "Node.js")
        with (
            cells.cell(f"Node.js and curl, {name} ours", ours, theirs, "gcm", later="x25519"),
            process.server(f"node-curl-{name}", here, _command(_SERVE, port, directory)) as server,
        ):
            server.wait_until(process.listening(port), "does not listen")
            url = f"https://localhost:{port}/"
            content.check(web.curl(there, url, authority=authority), digest, "curl")


def _command(script: str, port: int, directory: Path) -> list[str]:
    return ["node", "-e", script, str(port), str(directory)]
