import { xxhashAsU8a } from '@polkadot/util-crypto/xxhash';
import test from 'ava';
import { hashedNames, storageKeys } from '../../../infra/chain/storage-keys.ts';

const subtensorModule = '658faa385070e074c85bf6b568cf0555';
// A hotkey of Finney with the key under which its uid on subnet 1 is stored there.
const hotkey = Uint8Array.fromHex(
  'c84397106379d0ebdce4437f0333d8123d46eebbcaadf181c8ba441218d3d25b',
);
const hashedHotkey = `00c5f41db7a1fe4cbdc1a34a7316bf85${hotkey.toHex()}`;

test('names are hashed as Substrate hashes them', (t) => {
  t.is(xxhashAsU8a('System', 128).toHex(), '26aa394eea5630e07c48ae0c9558cef7');
  t.is(hashedNames.SubtensorModule, subtensorModule);
  for (const [name, hash] of Object.entries(hashedNames)) {
    t.is(xxhashAsU8a(name, 128).toHex(), hash, name);
  }
});

test('a uid is found under the key that Finney stores it under', (t) => {
  t.is(
    storageKeys.uid(1, hotkey),
    `0x${subtensorModule}aab1b4e78e1ea8305462ee53b3686dc80100${hashedHotkey}`,
  );
});

test('stake and owner begin as on Finney and end with their hashed keys', (t) => {
  t.is(
    storageKeys.stake(hotkey, 64),
    `0x${subtensorModule}ee25c3b5b1886863480497907f1829e6${hashedHotkey}4000`,
  );
  t.is(
    storageKeys.coldkey(hotkey),
    `0x${subtensorModule}eca6b7a1fdc9f689184ecb4f359c0518${hashedHotkey}`,
  );
});

test('netuid and uid stand in keys as they are, low byte first', (t) => {
  const item = (name: keyof typeof hashedNames) => `0x${subtensorModule}${hashedNames[name]}`;

  t.is(storageKeys.hotkey(258, 772), `${item('Keys')}02010403`);
  t.is(storageKeys.blockAtRegistration(258, 772), `${item('BlockAtRegistration')}02010403`);
  t.is(storageKeys.validatorPermits(258), `${item('ValidatorPermit')}0201`);
  t.is(storageKeys.tempo(258), `${item('Tempo')}0201`);
});
