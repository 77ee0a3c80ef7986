import { useState } from 'preact/hooks';
import type {
  MinerAgentListing,
  MinerAgentVersion,
  Session,
} from '../../../cli/client/schemas.generated.ts';
import { ask, newKey, Refused } from '../api.ts';
import { scoreText } from '../format.ts';
import { announce } from '../parts/announcer.tsx';
import { Empty, Failure, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Key, State, When } from '../parts/words.tsx';
import { meaningOf } from '../reasons.ts';
import { addressOf, Link } from '../router.tsx';
import { useAnswer } from '../use-answer.ts';
import { useTitle } from '../use-title.ts';
import { useWallets } from '../use-wallets.ts';
import { accountsOf, signIn, signOut, type WalletAccount } from '../wallet.ts';

interface SignedIn {
  readonly account: WalletAccount;
  readonly session: Session;
}

/** In the memory of this page and nowhere else: it is gone with a reload. */
let held: SignedIn | undefined;

export function Account() {
  useTitle('Account');
  const [signedIn, setSignedIn] = useState(held);
  const keep = (given: SignedIn | undefined) => {
    held = given;
    setSignedIn(given);
  };
  return (
    <>
      <h1>Account</h1>
      {signedIn === undefined ? (
        <SignIn onSignedIn={keep} />
      ) : (
        <Own signedIn={signedIn} onLeave={() => keep(undefined)} />
      )}
    </>
  );
}

function SignIn({ onSignedIn }: { readonly onSignedIn: (signedIn: SignedIn) => void }) {
  const [accounts, setAccounts] = useState<readonly WalletAccount[]>();
  const [failure, setFailure] = useState<Refused>();
  const wallets = useWallets();
  if (wallets.length === 0) {
    return (
      <Empty>
        No wallet is present in this browser. Install a wallet of the Substrate world that holds
        your hotkey, and reload; or use the command line, where the key may lie in a file.
      </Empty>
    );
  }
  const attempt = (what: () => Promise<void>) => {
    setFailure(undefined);
    what().catch((error: unknown) => setFailure(refusalOf(error)));
  };
  return (
    <>
      <p>
        Your wallet signs a short text that the service made up; no key leaves it. The session lasts
        until you reload this page, two hours at most.
      </p>
      <p class="bar">
        {wallets.map((name) => (
          <button
            key={name}
            type="button"
            onClick={() => attempt(async () => setAccounts(await accountsOf(name)))}
          >
            Use {name}
          </button>
        ))}
      </p>
      {accounts?.length === 0 && <Empty>The wallet shows no sr25519 account to this page.</Empty>}
      {accounts !== undefined && accounts.length > 0 && (
        <ul class="choices">
          {accounts.map((account) => (
            <li key={account.hotkey}>
              <button
                type="button"
                onClick={() =>
                  attempt(async () => onSignedIn({ account, session: await signIn(account) }))
                }
              >
                Sign in as {account.name} <Key text={account.hotkey} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {failure !== undefined && <Failure failure={failure} what="your account" />}
    </>
  );
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error;
  const detail = error instanceof Error ? error.message : 'The wallet refused.';
  return new Refused({ status: 401, code: 'WALLET', detail });
}

function Own({
  signedIn: { account, session },
  onLeave,
}: {
  readonly signedIn: SignedIn;
  readonly onLeave: () => void;
}) {
  const token = session.session_token;
  const leave = () => {
    onLeave();
    // A session that could not be ended ends by itself.
    signOut(token).catch(() => undefined);
  };
  return (
    <>
      <p class="bar">
        Signed in as <Key text={account.hotkey} /> ({session.role}){' '}
        <button type="button" onClick={leave}>
          Sign out
        </button>
      </p>
      {session.role === 'miner' ? (
        <Agents token={token} />
      ) : (
        <p>
          Your runs are on <Link to={addressOf('validators')}>the page of validators</Link>.
        </p>
      )}
    </>
  );
}

function Agents({ token }: { readonly token: string }) {
  const answer = useAnswer<MinerAgentListing>('/v1/miner/agents', { token, everyMs: 20_000 });
  const [failure, setFailure] = useState<Refused>();
  const pin = (versionId: string | undefined) => {
    setFailure(undefined);
    const method = versionId === undefined ? 'DELETE' : 'PUT';
    const body = versionId === undefined ? undefined : { agent_version_id: versionId };
    ask('/v1/miner/race-selection', { method, body, token, idempotencyKey: newKey('pin') }).then(
      () => {
        announce(versionId === undefined ? 'Nothing is pinned now.' : 'The version is pinned.');
        answer.reload();
      },
      (error: unknown) => setFailure(refusalOf(error)),
    );
  };
  return (
    <section aria-labelledby="agents">
      <h2 id="agents">Your agents</h2>
      {failure !== undefined && <Failure failure={failure} what="the choice" />}
      <Loaded answer={answer} what="your agents">
        {(listing) => (
          <>
            <p>
              {listing.can_submit ? 'You may submit now.' : 'You may submit again '}
              {!listing.can_submit && <When at={listing.next_allowed_at} />}
            </p>
            {listing.agents.length === 0 ? (
              <Empty>
                You have not submitted anything yet: the command line does it,{' '}
                <code>npx paddock submit</code>.
              </Empty>
            ) : (
              <AgentTable listing={listing} token={token} onPin={pin} />
            )}
            <button type="button" onClick={() => pin(undefined)}>
              Unpin: my best version races
            </button>
          </>
        )}
      </Loaded>
    </section>
  );
}

function AgentTable({
  listing: { agents, racing_agent_id: racingAgentId, racing_agent_version_id: racingId },
  token,
  onPin,
}: {
  readonly listing: MinerAgentListing;
  readonly token: string;
  readonly onPin: (versionId: string) => void;
}) {
  return (
    <Table
      caption="Your agents and their latest versions"
      isCaptionHidden
      columns={[
        {
          title: 'Agent',
          isHead: true,
          cell: ({ agent_id: id, agent_name: name, latest_version: latest }) => (
            <>
              <Link to={addressOf('version', latest.agent_version_id)}>
                {name} v{latest.version_number}
              </Link>
              {id === racingAgentId &&
                racingId !== null &&
                racingId !== latest.agent_version_id && (
                  <StandIn key={racingId} agentId={id} versionId={racingId} token={token} />
                )}
            </>
          ),
        },
        { title: 'State', cell: ({ latest_version: { state } }) => <State of={state} /> },
        {
          title: 'Score',
          isNumber: true,
          cell: ({ latest_version: latest }) => scoreText(latest.final_score),
        },
        {
          title: 'In the race',
          cell: ({ latest_version: latest }) => {
            if (latest.is_selected_for_race) return 'yes';
            if (latest.pin_disabled_reason !== null)
              return `no: ${meaningOf('pin_disabled_reason', latest.pin_disabled_reason)}`;
            return (
              <button type="button" onClick={() => onPin(latest.agent_version_id)}>
                Pin
              </button>
            );
          },
        },
      ]}
      rows={agents}
      keyOf={(agent) => agent.agent_id}
    />
  );
}

/** The version that races in the place of a later one of its agent. */
function StandIn({
  agentId,
  versionId,
  token,
}: {
  readonly agentId: string;
  readonly versionId: string;
  readonly token: string;
}) {
  const { value } = useAnswer<readonly MinerAgentVersion[]>(
    `/v1/miner/agents/${agentId}/versions`,
    { token },
  );
  const racing = value?.find(({ agent_version_id: id }) => id === versionId);
  return (
    <div class="muted">
      <Link to={addressOf('version', versionId)}>
        {racing === undefined ? 'an earlier one' : `v${racing.version_number}`}
      </Link>{' '}
      races in its place
    </div>
  );
}
