import { digestOf } from '../../../apps/edge/evaluation/owner.ts';
import { pinVersion } from '../../../apps/edge/routes/miner/pin-version.ts';
import { submitAgent } from '../../../apps/edge/routes/miner/submit-agent.ts';
import { unpinVersion } from '../../../apps/edge/routes/miner/unpin-version.ts';
import { randomId, sha256Hex, uuidV5 } from '../../../infra/ids/ids.ts';
import { evalPartitionOf } from '../../../machines/partition-of.ts';
import { evalPartitionsKept } from '../database/sim-server.ts';
import { lookAtVersion } from './looks.ts';
import { Participant } from './participant.ts';

const boundary = 'simulated-boundary';
const agentName = 'agent';
// As in apps/edge/routes/miner/submit-agent.ts.
const versionNamespace = '2d9c1f7e-8a34-5b60-8c2d-7e4f1a6b3c22';

/** Submits a version a day, sometimes tries two, and pins when it is nearly too late. */
export class SimMiner extends Participant {
  readonly versions: string[] = [];
  #files = 0;

  async submit(): Promise<void> {
    await this.sleep(0, 8_000);
    const tries = this.random.happens(150) ? 2 : 1;
    await Promise.all(Array.from({ length: tries }, () => this.#submitOne()));
  }

  async #submitOne(): Promise<void> {
    this.#files += 1;
    const code = `NUMBER = ${this.#files}\n# ${this.name}\n`;
    const upload = {
      contentType: `multipart/form-data; boundary=${boundary}`,
      bytes: Buffer.from(form({ agent_name: agentName }, code)),
    };
    const asked = { upload, ...this.#placed(code) };
    const answer = await this.insist(submitAgent, asked, 6);
    if (answer?.status !== 200) return;
    const { agent_version_id: id } = answer.body as { agent_version_id: string };
    this.deps.history.submitted(id, this.name);
    if (!this.versions.includes(id)) this.versions.push(id);
    this.deps.counters.add('versions submitted');
    if (this.random.happens(500)) await this.#askWhen(id);
  }

  async #askWhen(versionId: string): Promise<void> {
    await this.sleep(1_000, 20_000);
    const askedAtMs = this.deps.kernel.domainNowMs;
    const answer = await lookAtVersion(this, versionId);
    if (answer === undefined) return;
    const { waiting } = answer.body as { waiting: { expected_start_at: string | null } };
    if (waiting.expected_start_at === null) return;
    const expectedMs = Date.parse(waiting.expected_start_at);
    this.deps.calibration.tell({ versionId, askedAtMs, expectedMs });
  }

  /**
   * The command's id decides where the version lives: in one of the partitions that there are. Under a
   * key every repeat is the same command; without, each would be a new one, but for its place.
   */
  #placed(code: string): { commandId: string; idempotencyKey?: string } {
    const idempotencyKey = this.random.happens(300) ? `${this.name}-${this.#files}` : undefined;
    const body = digestOf([agentName, sha256Hex(code)]).slice(0, 32);
    for (;;) {
      const commandId = sha256Hex(randomId());
      const id = idempotencyKey === undefined ? commandId : commandId.slice(0, 32) + body;
      if (evalPartitionOf(uuidV5(versionNamespace, id)) >= evalPartitionsKept) continue;
      return { commandId, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    }
  }

  async pin(): Promise<void> {
    await this.sleep(0, 6_000);
    const id = this.random.choose(this.versions);
    const unpins = id === undefined || this.random.happens(250);
    const { history, kernel } = this.deps;
    const sentAtMs = kernel.domainNowMs;
    history.pins.sent(this.name);
    const outcome = unpins
      ? await this.send(unpinVersion)
      : await this.send(pinVersion, { body: { agent_version_id: id } });
    if (outcome.kind !== 'answered') return;
    this.deps.counters.add(`pin ${outcome.answer.status}`);
    if (outcome.answer.status === 200) {
      history.pins.taken(this.name, { id: unpins ? null : id, sentAtMs });
    }
  }
}

function form(fields: Readonly<Record<string, string>>, file: string): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
  );
  parts.push(`Content-Disposition: form-data; name="file"; filename="agent.py"\r\n\r\n${file}`);
  return `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`;
}
