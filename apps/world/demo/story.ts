import type { ParticipantEvent } from '../participants/participant-event.ts';
import type { Refusal } from '../participants/refusal.ts';
import { type Style, secondsText, type Terminal } from '../terminal.ts';

type Of<K extends ParticipantEvent['kind']> = Extract<ParticipantEvent, { readonly kind: K }>;

interface Held {
  readonly who: string;
  readonly leaseEndsMs: number;
  /** Once the service has said so itself. */
  isOver: boolean;
  isBack: boolean;
  reclaimedBy: string | undefined;
}

/** What the closing summary repeats, a sentence each. */
export interface Tally {
  readonly reclaimed: string[];
  readonly refused: string[];
  readonly discarded: string[];
}

export interface StoryOptions {
  readonly terminal: Terminal;
  /** Since the first participant began. */
  readonly elapsedMs: () => number;
  readonly nowMs: () => number;
}

const nameWidth = 15;

/** Reasons that would not explain themselves. */
const meaning: Readonly<Record<string, string>> = {
  AGENT_FAILURES: 'it failed by its own fault too often in a row',
};

/** Turns what participants do and what the service says of it into lines as it happens. */
export class Story {
  readonly tally: Tally = { reclaimed: [], refused: [], discarded: [] };
  readonly #options: StoryOptions;
  readonly #agentNames = new Map<string, string>();
  /** By the run that went silent. */
  readonly #silent = new Map<string, Held & { readonly agentVersionId: string }>();

  constructor(options: StoryOptions) {
    this.#options = options;
  }

  knowVersion(agentVersionId: string, agentName: string): void {
    this.#agentNames.set(agentVersionId, agentName);
  }

  hear(event: ParticipantEvent): void {
    switch (event.kind) {
      case 'accepted':
        this.knowVersion(event.agentVersionId, event.agentName);
        this.#say('green', '✓', event.who, `submits ${event.agentName}: accepted`);
        break;
      case 'refused':
        this.#refused(event);
        break;
      case 'cooling':
        this.#cooling(event);
        break;
      case 'trouble':
        this.#say('red', '✗', event.who, `meets trouble: ${messageOf(event.error)}`);
        break;
      case 'submitted':
      case 'heartbeat':
      case 'inferred':
      case 'results':
        break;
      default:
        this.#hearOfRun(event);
    }
  }

  #hearOfRun(event: Of<'claimed' | 'completed' | 'late' | 'lost' | 'released' | 'silent'>): void {
    const { who } = event;
    switch (event.kind) {
      case 'claimed':
        this.#claimed(event);
        break;
      case 'completed':
        this.#completed(event);
        break;
      case 'silent':
        this.#silenced(event);
        break;
      case 'late':
        this.#cameLate(event);
        break;
      case 'lost':
        this.#say('yellow', '!', who, `lets go of ${this.#agent(event)}: ${said(event.refusal)}`);
        this.#silent.delete(event.evalRunId);
        break;
      case 'released':
        this.#say('dim', '·', who, `gives ${this.#agent(event)} back`);
        this.#silent.delete(event.evalRunId);
    }
  }

  /** The service says that the lease of a silent run has ended. */
  leaseEnded(evalRunId: string): void {
    const held = this.#silent.get(evalRunId);
    if (held === undefined || held.isOver) return;
    held.isOver = true;
    const agent = this.#agentNames.get(held.agentVersionId) ?? '';
    this.#say('yellow', '!', held.who, `has lost its lease; the work on ${agent} is offered again`);
  }

  eligible(agentVersionId: string, finalScore: number | null): void {
    const agent = this.#agentNames.get(agentVersionId) ?? agentVersionId;
    this.#say('bold', '★', agent, `is ELIGIBLE with ${finalScore?.toFixed(4) ?? 'no score'}`);
  }

  discarded(agentVersionId: string, reason: string | null): void {
    const agent = this.#agentNames.get(agentVersionId) ?? agentVersionId;
    const why = meaning[reason ?? ''] ?? reason ?? 'no reason given';
    this.#say('red', '✗', agent, `is DISCARDED: ${why}`);
    this.tally.discarded.push(`${agent} (${why})`);
  }

  /** Runs whose holder fell silent and whose lease has not ended yet, as far as is known. */
  get silentRuns(): readonly { readonly evalRunId: string; readonly agentVersionId: string }[] {
    return [...this.#silent]
      .filter(([, { isOver }]) => !isOver)
      .map(([evalRunId, { agentVersionId }]) => ({ evalRunId, agentVersionId }));
  }

  /** Whether somebody who fell silent is still to come back. */
  get isSomebodyAbsent(): boolean {
    return [...this.#silent.values()].some(({ isBack }) => !isBack);
  }

  #cooling({ who, before, nextAllowedAt }: Of<'cooling'>): void {
    const until = nextAllowedAt.slice(0, 16).replace('T', ' ');
    const sent = before.join(', ');
    this.#say('dim', '·', who, `has submitted ${sent}; its cooldown ends at ${until} UTC`);
  }

  #refused({ who, agentName, refusal }: Of<'refused'>): void {
    this.#say('red', '✗', who, `submits ${agentName}: refused, ${said(refusal)}`);
    this.tally.refused.push(`${agentName} of ${who} (${refusal.status} ${refusal.code})`);
  }

  #claimed(event: Of<'claimed'>): void {
    const held = this.#reclaimable(event);
    if (held === undefined) {
      this.#say('cyan', '→', event.who, `claims ${this.#agent(event)}`);
      return;
    }
    const [evalRunId, run] = held;
    // The claim can be seen before the next look at the run that it took the place of.
    this.leaseEnded(evalRunId);
    run.reclaimedBy = event.who;
    const agent = this.#agent(event);
    this.#say('green', '→', event.who, `reclaims ${agent}, which ${run.who} had let lapse`);
    this.tally.reclaimed.push(`${agent} by ${event.who}, after the silence of ${run.who}`);
  }

  #reclaimable(event: Of<'claimed'>) {
    return [...this.#silent].find(
      ([, run]) =>
        run.agentVersionId === event.agentVersionId &&
        run.reclaimedBy === undefined &&
        run.who !== event.who &&
        this.#options.nowMs() >= run.leaseEndsMs,
    );
  }

  #completed(event: Of<'completed'>): void {
    const agent = this.#agent(event);
    if (event.score === null) {
      this.#say(
        'yellow',
        '!',
        event.who,
        `completes ${agent}: ${event.status} (${event.failureClass})`,
      );
      return;
    }
    const count = `${event.includedSuccessCount} of ${event.requiredSuccesses}`;
    const score = event.score.toFixed(4);
    this.#say('green', '✓', event.who, `completes ${agent}: ${event.status} ${score} (${count})`);
    if (event.becameEligible) this.eligible(event.agentVersionId, event.finalScore);
  }

  #silenced(event: Of<'silent'>): void {
    const { who, agentVersionId, leaseExpiresAt } = event;
    const leaseEndsMs = Date.parse(leaseExpiresAt);
    const held = { who, agentVersionId, leaseEndsMs, reclaimedBy: undefined };
    this.#silent.set(event.evalRunId, { ...held, isOver: false, isBack: false });
    const left = secondsText(Math.max(0, leaseEndsMs - this.#options.nowMs()));
    this.#say(
      'yellow',
      '!',
      who,
      `falls silent over ${this.#agent(event)}; its lease ends in ${left}`,
    );
  }

  #cameLate(event: Of<'late'>): void {
    const { who, request, refusal } = event;
    const held = this.#silent.get(event.evalRunId);
    if (held !== undefined && request === 'completion') held.isBack = true;
    this.#say('red', '✗', who, `is back, too late: its ${request} is refused, ${said(refusal)}`);
    const about = `the late ${request} of ${who}`;
    this.tally.refused.push(`${about} (${refusal.status} ${refusal.code})`);
  }

  #agent({ agentVersionId }: { readonly agentVersionId: string }): string {
    return this.#agentNames.get(agentVersionId) ?? agentVersionId;
  }

  #say(style: Style, sign: string, who: string, text: string): void {
    const { terminal, elapsedMs } = this.#options;
    const at = terminal.style('dim', secondsText(elapsedMs()).padStart(8));
    terminal.line(`${at}  ${terminal.style(style, `${sign} ${who.padEnd(nameWidth)}`)} ${text}`);
  }
}

function said({ status, code, detail }: Refusal): string {
  return detail === '' ? `${status} ${code}` : `${status} ${code}: ${detail}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
