import { createHash, randomUUID } from 'node:crypto';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import type { Logger } from '../../../infra/ports/log.ts';
import { plainClient } from '../../infra/object-store/store-under-test.ts';
import { startTestService, type TestService } from '../../support/edge.ts';
import {
  agentCode,
  claim,
  complete,
  episodes,
  sendResults,
  submit,
} from '../../support/evaluation-client.ts';
import { silentLogger } from '../../support/silent-telemetry.ts';
import { okBody, openTrialSuite, type TrialSuite } from '../../support/trial-suite.ts';
import { refused } from './answers.ts';

// The URL of an upload names the SHA-256 of an episode in its query, and some stores do not look there:
// whoever holds any run could then write over a trajectory that is public, whose hash is public, too.

interface Shop {
  readonly service: TestService;
  readonly suite: TrialSuite;
  /** What the processes warned of. */
  readonly warnings: string[];
}

async function openShop(ignoresQueryChecksums: boolean): Promise<Shop> {
  const warnings: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields ?? {})}`),
    with: () => log,
  };
  const env = { COOLDOWN_SECONDS: '0', MAX_CONCURRENT_RUNS: '50' };
  const service = await startTestService({ env, log, objectStore: { ignoresQueryChecksums } });
  return { service, warnings, suite: await openTrialSuite(service, { requiredSuccesses: 1 }) };
}

let careless: Shop;
let careful: Shop;
test.before(async () => {
  careless = await openShop(true);
  careful = await openShop(false);
});
test.after.always(async () => {
  await careless?.service.stop();
  await careful?.service.stop();
});

const hashOf = (bytes: string) => createHash('sha256').update(bytes).digest('hex');
const honestText = () => `{"of": "${randomUUID()}"}`;
const forgedText = '{"of": "somebody else, and longer than what was there before"}';

/** As a deployed client sends it. */
async function put(url: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/gzip' };
  const answer = await fetch(url, { method: 'PUT', body, headers });
  await answer.text();
  return answer.status;
}

/** A run that a new validator holds, of a version of a new miner. */
async function heldRun({ service, suite }: Shop) {
  const name = randomUUID();
  await submit(await service.miner(name), { name, file: `${agentCode}# ${name}\n` });
  const validator = await service.validator(`validator of ${name}`);
  const { eval_run_id: evalRunId } = await claim(validator);
  const presigned = async (sha256: string, contentLength: number) =>
    await okBody<{ upload_url: string; artifact_uri: string }>(
      await validator.post('/v1/validator/episode-artifacts/presign', {
        eval_run_id: evalRunId,
        env_pack_sha256: suite.packSha256,
        artifact_sha256: sha256,
        content_length: contentLength,
      }),
    );
  return { validator, evalRunId, presigned };
}

/** An episode that is public, since its run is of no race, and whose trajectory was uploaded unless told. */
async function publicEpisode(shop: Shop, isUploaded = true) {
  const { validator, evalRunId, presigned } = await heldRun(shop);
  const ledger = honestText();
  const target = await presigned(hashOf(ledger), ledger.length);
  const upload = () => put(target.upload_url, ledger);
  if (isUploaded && (await upload()) !== 200) throw new Error('an honest upload was not taken');
  const ledgerOf = (index: number) => ({ ledger_uri: index === 0 ? target.artifact_uri : null });
  const { results } = await sendResults(validator, episodes(evalRunId, shop.suite, ledgerOf));
  const end = { terminal_status: 'SUCCESS', validator_score: 0.5 };
  await okBody(await complete(validator, evalRunId, end));
  return { ledger, upload, id: results[0]?.episode_result_id ?? '' };
}

type Episode = Awaited<ReturnType<typeof publicEpisode>>;

/** Any run does, and any length; the answer of the store. */
async function forge(shop: Shop, { ledger }: Episode): Promise<number> {
  const { presigned } = await heldRun(shop);
  const { upload_url: url } = await presigned(hashOf(ledger), forgedText.length);
  return await put(url, forgedText);
}

const askUrl = ({ service }: Shop, { id }: Episode) =>
  service.call('POST', '/v1/public/artifacts/download-url', {
    body: { artifact_type: 'EPISODE', episode_result_id: id },
  });

const askFeedback = ({ service }: Shop, { id }: Episode) =>
  service.call('GET', `/v1/public/episode-results/${id}/feedback`);

async function urlOf(shop: Shop, episode: Episode): Promise<string> {
  const { download_url: url } = await okBody<{ download_url: string }>(await askUrl(shop, episode));
  return url;
}

async function isGivenOut(t: ExecutionContext, shop: Shop, episode: Episode): Promise<void> {
  const feedback = await askFeedback(shop, episode);
  t.is(await feedback.text(), episode.ledger);
  t.is(await (await fetch(await urlOf(shop, episode))).text(), episode.ledger);
}

async function isNotFound(t: ExecutionContext, shop: Shop, episode: Episode): Promise<void> {
  await refused(t, await askFeedback(shop, episode), '404 ARTIFACT_NOT_FOUND');
  await refused(t, await askUrl(shop, episode), '404 ARTIFACT_NOT_FOUND');
}

/** All keys of the bucket that begin so. */
async function keysIn({ service }: Shop, prefix: string): Promise<readonly string[]> {
  const { url: endpoint, ...keys } = service.objects;
  const client = plainClient({ endpoint, bucket: 'paddock', ...keys });
  const listed = await client.send(new ListObjectsV2Command({ Bucket: 'paddock', Prefix: prefix }));
  client.destroy();
  return (listed.Contents ?? []).map(({ Key = '' }) => Key);
}

test('an episode that somebody had stays as it was, although the store takes other bytes', async (t) => {
  const episode = await publicEpisode(careless);
  await isGivenOut(t, careless, episode);
  const earlier = await urlOf(careless, episode);

  t.is(await forge(careless, episode), 200);

  await isGivenOut(t, careless, episode);
  t.is(await (await fetch(earlier)).text(), episode.ledger, 'by a URL from before');
});

test('an episode of other bytes than were named is nobody’s, until the right ones are there', async (t) => {
  const episode = await publicEpisode(careless);
  t.is(await forge(careless, episode), 200);

  for (let asked = 0; asked < 2; asked += 1) await isNotFound(t, careless, episode);

  const said = careless.warnings.filter((line) => line.includes(hashOf(episode.ledger)));
  t.is(said.length, 1, 'said once, however often it is asked for');
  t.is(await episode.upload(), 200);
  await isGivenOut(t, careless, episode);
});

test('an episode that was never uploaded is not found, and nobody is warned of it', async (t) => {
  const episode = await publicEpisode(careless, false);

  await isNotFound(t, careless, episode);

  t.false(careless.warnings.some((line) => line.includes(hashOf(episode.ledger))));
});

test('of a store that does not compare its operators are warned once', async (t) => {
  for (let read = 0; read < 2; read += 1) {
    await isGivenOut(t, careless, await publicEpisode(careless));
  }

  const said = careless.warnings.filter((line) => line.startsWith('the object store takes other'));
  t.is(said.length, 1);
  t.deepEqual(await keysIn(careless, 'history/checksum-trial'), ['history/checksum-trial']);
});

test('where the store compares nothing is copied, and forged bytes are refused', async (t) => {
  const episode = await publicEpisode(careful);
  await isGivenOut(t, careful, episode);

  t.is(await forge(careful, episode), 400);

  await isGivenOut(t, careful, episode);
  t.true((await urlOf(careful, episode)).includes(`/paddock/episodes/${hashOf(episode.ledger)}?`));
  t.deepEqual(await keysIn(careful, 'kept/'), []);
  t.deepEqual(await keysIn(careful, 'history/checksum-trial'), []);
  t.false(careful.warnings.some((line) => line.startsWith('the object store takes other')));
});
