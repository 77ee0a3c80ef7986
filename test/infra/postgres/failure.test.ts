import test from 'ava';
import postgres from 'postgres';
import { failureKind, isOutage, isRefusedLogin } from '../../../infra/postgres/failure.ts';

/** As the client library makes it of what the server answers; its type knows no such constructor. */
function answered(severity: string, code: string): Error {
  const told = { severity, code, message: `${severity} ${code}` };
  return Object.assign(new postgres.PostgresError(told.message), told);
}

for (const severity of ['FATAL', 'PANIC']) {
  // A full disk ends the server while it writes a commit; others may have seen it written.
  for (const code of ['53000', '53100', '53200', '53400', '57014', '40001', '58030']) {
    test(`${severity} ${code} leaves in doubt what was written, in an outage`, (t) => {
      const failure = answered(severity, code);
      t.is(failureKind(failure), 'ambiguous');
      t.true(isOutage(failure));
    });
  }
}

for (const code of ['57P03', '53300']) {
  test(`FATAL ${code} comes before any statement`, (t) => {
    t.is(failureKind(answered('FATAL', code)), 'unavailable');
    t.true(isOutage(answered('FATAL', code)));
  });
}

// "… is not currently accepting connections"; as ERROR it would be of the statement.
test('FATAL 55000 is an outage, ERROR 55000 is none', (t) => {
  t.true(isOutage(answered('FATAL', '55000')));
  t.false(isOutage(answered('ERROR', '55000')));
});

// A mistake of the operator's, which callers of a service that runs meet as an outage.
for (const code of ['28P01', '28000', '3D000']) {
  test(`FATAL ${code} is a refused login, an outage that came before any statement`, (t) => {
    const failure = answered('FATAL', code);
    t.true(isRefusedLogin(failure));
    t.true(isOutage(failure));
    t.is(failureKind(failure), 'unavailable');
    t.false(isRefusedLogin(answered('ERROR', code)));
    t.false(isOutage(answered('ERROR', code)));
  });
}

test('no other FATAL is a refused login', (t) => {
  for (const code of ['57P03', '53300', '55000']) t.false(isRefusedLogin(answered('FATAL', code)));
});

for (const [code, kind] of [
  ['53100', 'unavailable'],
  ['53200', 'unavailable'],
  ['57014', 'unavailable'],
  ['25006', 'unavailable'],
  ['40001', 'contended'],
  ['55P03', 'contended'],
  ['23505', 'invalid'],
  ['40003', 'ambiguous'],
] as const) {
  test(`ERROR ${code} is ${kind}`, (t) => {
    t.is(failureKind(answered('ERROR', code)), kind);
  });
}
