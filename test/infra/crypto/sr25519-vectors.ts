/** Numbers that others published. Data only: each names where it stands. */
export interface Vector {
  readonly source: string;
  readonly message: string;
  /** 32 bytes in hex. */
  readonly key: string;
  /** 64 bytes in hex. */
  readonly signature: string;
}

export const goodVectors: readonly Vector[] = [
  {
    source: 'polkadot-js/wasm, packages/wasm-crypto/test/all/sr25519.js, sr25519VerifyExisting',
    message: 'I hereby verify that I control 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY',
    key: 'd43593c715fdd31c61141abd04a99fd6822c8558854ccde39a5684e7a56da27d',
    signature:
      'b83881d3bd7302981ee1c504fe5b7b394682927131fc0846fd616bb40fa14d02640fd2aca785b4cb57904765c2e4e75f59a7dd30154c209964369912091f6981',
  },
  {
    source: 'ChainSafe/go-schnorrkel, sign_test.go, TestVerify_rust',
    message: 'this is a message',
    key: '46ebddef8cd9bb167dc30878d7113b7e168e6f0646beffd77d69d39bad76b47a',
    signature:
      '4e172314444b8f820bb54c22e95076f220ed25373e5c178234aa6c211d29271244b947e3ff3418ff6b45fd1df1140c8cbff69fc58ee6dc96df70936a2bb74b82',
  },
];

/** polkadot-js/common, packages/util-crypto/src/signature/verify.spec.ts; keys of these addresses. */
export const utilCrypto = {
  message: 'hello world',
  plain: {
    address: 'EK1bFgKm2FsghcttHT7TB7rNyXApFgs9fCbijMGQNyFGBQm',
    signature:
      'ca01419b5a17219f7b78335658cab3b126db523a5df7be4bfc2bef76c2eb3b1dcf4ca86eb877d0a6cf6df12db5995c51d13b00e005d053b892bd09c594434288',
  },
  /** Signs `<Bytes>hello world</Bytes>`. */
  wrapped: {
    address: 'J9nD3s7zssCX7bion1xctAF6xcVexcpy2uwy4jTm9JL8yuK',
    signature:
      '84b6afb1c8e54bbcb3f4872baf172580e21310e9387a53742627d6652d121447fa406b82805ed3184fb7bd519175cc9f99f283f97954d95cf966ee164df85489',
  },
  ed25519: {
    address: 'DxN4uvzwPzJLtn17yew6jEffPhXQfdKHTp2brufb98vGbPN',
    signature:
      '299d3bf4c8bb51af732f8067b3a3015c0862a5ff34721749d8ed6577ea2708365d1c5f76bd519009971e41156f12c70abc2533837ceb3bad9a05a99ab923de06',
  },
  ecdsa: {
    address: 'XyFVXiGaHxoBhXZkSh6NS2rjFyVaVNUo5UiZDqZbuSfUdji',
    signature:
      '994638ee586d2c5dbd9bacacbc35d9b7e9018de8f7892f00c900db63bc57b1283e2ee7bc51a9b1c1dae121ac4f4b9e2a41cd1d6bf4bb3e24d7fed6faf6d85e0501',
  },
} as const;

/**
 * paritytech/polkadot-sdk, substrate/primitives/core/src/sr25519.rs, verify_from_old_wasm_works: made
 * before signatures bore a mark; good there only by the deprecated function.
 */
export const unmarked: Vector = {
  source: 'paritytech/polkadot-sdk, verify_from_old_wasm_works; the key of 32 zero bytes as seed',
  message: 'SUBSTRATE',
  key: 'def12e42f3e487e9b14095aa8d5cc16a33491f1b50dadcf8811d1480f3fa8627',
  signature:
    '28a854d54903e056f89581c691c1f7d2ff39f8f896c9e9c22475e60902cc2b3547199e0e91fa32902028f2ca2355e8cdd16cfe19ba5e8b658c94aa80f3b81a00',
};

/** Seeds and their keys: the same file (sr_test_vector, seeded_pair), and polkadot-js/wasm (dev). */
export const seeds: readonly (readonly [seed: string, key: string])[] = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '44a996beb1eef7bdcab976ab6d2ca26104834164ecf28fb375600576fcc6eb0f',
  ],
  [
    '3132333435363738393031323334353637383930313233343536373839303132',
    '741c08a06f41c596608f6774259bd9043304adfa5d3eea62760bd9be97634d63',
  ],
  [
    'fac7959dbfe72f052e5a0c3c8d6530f202b02fd8f9f5ca3580ec8deb7797479e',
    '46ebddef8cd9bb167dc30878d7113b7e168e6f0646beffd77d69d39bad76b47a',
  ],
];

/** RFC 9496 (ristretto255), appendix A.2: no encodings of anything. */
export const badEncodings: readonly string[] = [
  // Not canonical.
  '00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  // Negative.
  '0100000000000000000000000000000000000000000000000000000000000000',
  '01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20',
  'c34c4e1826e5d403b78e246e88aa051c36ccf0aafebffe137d148a2bf9104562',
  'c940e5a4404157cfb1628b108db051a8d439e1a421394ec4ebccb9ec92a8ac78',
  '47cfc5497c53dc8e61c91d17fd626ffb1c49e2bca94eed052281b510b1117a24',
  'f1c6165d33367351b0da8f6e4511010c68174a03b6581212c71c0e1d026c3c72',
  '87260f7a2f12495118360f02c26a470f450dadf34a413d21042b43b9d93e1309',
  // x^2 is no square.
  '26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371',
  '4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f',
  'de6a7b00deadc788eb6b6c8d20c0ae96c2f2019078fa604fee5b87d6e989ad7b',
  'bcab477be20861e01e4a0e295284146a510150d9817763caf1a6f4b422d67042',
  '2a292df7e32cababbd9de088d1d1abec9fc0440f637ed2fba145094dc14bea08',
  'f4a9e534fc0d216c44b218fa0c42d99635a0127ee2e53c712f70609649fdff22',
  '8268436f8c4126196cf64b3c7ddbda90746a378625f9813dd9b8457077256731',
  '2810e5cbc2cc4d4eece54f61c6f69758e289aa7ab440b3cbeaa21995c2f4232b',
  // xy is negative.
  '3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e',
  'a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220',
  'd483fe813c6ba647ebbfd3ec41adca1c6130c2beeee9d9bf065c8d151c5f396e',
  '8a2e1d30050198c65a54483123960ccc38aef6848e1ec8f5f780e8523769ba32',
  '32888462f8b486c68ad7dd9610be5192bbeaf3b443951ac1a8118419d9fa097b',
  '227142501b9d4355ccba290404bde41575b037693cef1f438c47f8fbf35d1165',
  '5c37cc491da847cfeb9281d407efc41e15144c876e0170b499a96a22ed31e01e',
  '445425117cb8c90edcbc7c1cc0e74f747f2c1efa5630a967c64f287792a48a4b',
  // s = -1, and so y = 0.
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];
