import { generateKeyPairSync, sign } from 'node:crypto';

export interface SelfSigned {
  /** Both in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for one name, good for the years in which we live. */
export function selfSigned(name: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(ecdsaWithSha256);
  const subject = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    subject,
    sequence(date('20200101000000Z'), date('21200101000000Z')),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(alternativeNames, der(0x04, sequence(dnsName(name)))))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const whole = sequence(toBeSigned, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 0x80 ? [size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function date(text: string): Buffer {
  return der(0x18, Buffer.from(text));
}

function dnsName(name: string): Buffer {
  return der(0x82, Buffer.from(name));
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = der(0x06, Buffer.from('2a8648ce3d040302', 'hex'));
/** 2.5.4.3 */
const commonName = der(0x06, Buffer.from('550403', 'hex'));
/** 2.5.29.17 */
const alternativeNames = der(0x06, Buffer.from('551d11', 'hex'));
