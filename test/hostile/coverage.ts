/** Where a promise is tested: a file, and words of the title in it. */
export interface Proof {
  readonly file: string;
  readonly title: string;
}

const proof = (file: string, title: string): Proof => ({ file: `test/${file}`, title });
const auth = (id: string) => proof('edge/auth.pg.test.ts', `${id}:`);
const rates = (id: string) => proof('edge/rate-limits.pg.test.ts', `${id}:`);
const here = (id: string) => proof('hostile/cases.pg.test.ts', `${id}:`);

/** Every case of the tables of security cases, each against two edges. */
export const caseProofs: Readonly<Record<string, Proof>> = {
  ...{ A1: auth('A1'), A2: auth('A2'), A3: auth('A3'), A4: auth('A4') },
  ...{ A25: auth('A25'), A26: auth('A26'), A27: auth('A27') },
  ...{ B1: auth('B1'), B2: auth('B2'), B6: rates('B6'), B7: auth('B7') },
  ...{ C1: here('C1'), C6: here('C6'), C9: here('C9') },
  ...{ D1: here('D1'), D3: here('D3'), D4: here('D4'), D7: here('D7') },
  ...{ U1: here('U1'), U8: here('U8'), U9: here('U9'), U11: here('U11') },
  ...{ U12: here('U12'), U13: here('U13') },
  ...{ S1: here('S1'), S9: here('S9'), K1: here('K1'), R1: rates('R1'), T8: here('T8') },
};

/** Every category that the tables name, of which they list only a few cases. */
export const categoryProofs: Readonly<Record<string, readonly Proof[]>> = {
  'headers are hostile': [
    proof('edge/auth/two-edges.pg.test.ts', 'each of the four headers has one form'),
    proof('hostile/categories/identity.ts', 'forged or misspelt identities'),
  ],
  'sessions are single-purpose': [
    proof('edge/auth/two-edges.pg.test.ts', 'a token of one kind is worth nothing'),
    proof('hostile/categories/tokens.ts', 'tokens of another kind'),
  ],
  'every role × route × owner cell is closed unless opened': [
    proof('hostile/cells.pg.test.ts', 'every cell of role, route and owner is closed'),
    proof('hostile/cells.pg.test.ts', 'to whom it is open'),
  ],
  'numbers, ids and strings have many spellings': [
    proof('fuzz/bad-input.test.ts', 'a path parameter is taken in its own spelling only'),
    proof('hostile/categories/spellings.ts', 'spellings of ids, numbers and words'),
  ],
  'bodies and uploads are hostile, in size, shape and encoding': [
    proof('edge/hostile-bodies.pg.test.ts', 'no body makes a defect'),
    proof('edge/hostile-uploads.test.ts', 'an upload that is reset anywhere'),
    proof('hostile/categories/multipart.ts', 'multipart'),
  ],
  'presigned URLs are bound to length, checksum, key and time': [
    proof('infra/object-store/embedded-store.test.ts', 'nothing is added to a URL'),
    proof('hostile/categories/objects.ts', 'presigned URLs, changed'),
  ],
  'secrets are sealed and appear nowhere in the clear': [
    proof('infra/crypto/credential-seal.test.ts', 'a text opens in no other context'),
    proof('actors/services/key-rotation.pg.test.ts', 'keys are rotated under traffic'),
  ],
  'outbound calls go to no private address and have limits': [
    proof('infra/outbound/public-address.test.ts', 'test('),
    proof('infra/outbound/hostile-receivers.test.ts', 'test('),
  ],
  'limits hold across processes and behind proxies': [
    rates('R1'),
    proof('edge/middleware/remote-address.test.ts', 'test('),
    proof('hostile/categories/limits.ts', 'floods and claimed addresses'),
  ],
  'slow clients, deep JSON and bombs do not stall others': [
    proof('edge/hostile-connections.test.ts', 'a body that drips is cut off'),
    proof('hostile/categories/bodies.ts', "'['.repeat(30_000)"),
    proof('hostile/categories/python.ts', 'bombs'),
  ],
  'operations leave an audit trail that shows tampering': [
    proof('actors/services/operator.pg.test.ts', 'every order has one entry'),
  ],
  'dependencies are pinned, few, and without install scripts': [
    proof('tidy/dependencies.test.ts', 'test('),
  ],
};
