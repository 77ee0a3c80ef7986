/**
 * An event loop wakes itself through a pair of sockets, so an agent that uses asyncio needs one. What it
 * is given leads to itself alone.
 */
import test from 'ava';
import { sandboxKinds } from '../../../apps/validator/sandbox/find-sandbox.ts';
import { createCodeAnalyser } from '../../../infra/python/python-analyser.ts';
import { referenceProfile } from '../../../infra/python/reference-profile.ts';
import { sandboxOr, tryAgent } from './try-sandbox.ts';

const asyncAgent = `import asyncio
from shop_tools import search

async def look(word):
    await asyncio.sleep(0.01)
    found = await asyncio.to_thread(search, word)
    return [each["product_id"] for each in found]

async def both(words):
    return await asyncio.gather(*(look(word) for word in words))

def agent_main(problem):
    print(asyncio.run(both(["mug", "cup"])))
    print(asyncio.new_event_loop().run_until_complete(asyncio.sleep(0, "again")))
`;

/** Each door by the name of the error that it answers with, or by what it gave. */
const doors = `import json, os, socket

def tried(attempt):
    try:
        attempt()
    except OSError as error:
        return type(error).__name__ + " " + os.strerror(error.errno)
    return "done"

def agent_main(problem):
    one, other = socket.socketpair()
    families = {name: getattr(socket, name) for name in ("AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK")}
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
    print(json.dumps({
        "sockets": sorted({tried(lambda: socket.socket(family, kind)) for family in families.values() for kind in kinds}),
        "pairs": {name: tried(lambda: socket.socketpair(family)) for name, family in families.items()},
        "datagrams": tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)),
        "packets": tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)),
        "connected": tried(lambda: one.connect("\\0elsewhere")),
        "connected without a peer": (other.close(), tried(lambda: one.connect("\\0elsewhere")))[1],
        "addressed": tried(lambda: one.sendto(b"x", "\\0elsewhere")),
        "listening": tried(lambda: one.listen(1)),
    }))
`;

test('the agent whose loop is started is one that is accepted', async (t) => {
  const analyser = createCodeAnalyser(referenceProfile);
  t.teardown(() => analyser.stop());

  t.is((await analyser.analyse(Buffer.from(asyncAgent))).kind, 'clean');
});

for (const kind of sandboxKinds) {
  test.serial(
    `an agent that waits for several things at once plays to its end in ${kind}`,
    async (t) => {
      const sandbox = await sandboxOr(t, kind);
      if (sandbox === undefined) return;
      const { ending, calls } = await tryAgent(sandbox, asyncAgent, (_tool, { query }) => ({
        result: [{ product_id: `a ${query}` }],
      }));

      t.is(ending.reason, 'finished', JSON.stringify(ending));
      t.deepEqual(calls, ['search', 'search']);
      t.is(ending.stdoutTail, "[['a mug'], ['a cup']]\nagain\n");
    },
  );

  test.serial(`no socket in ${kind} leads anywhere but to its other end`, async (t) => {
    const sandbox = await sandboxOr(t, kind);
    if (sandbox === undefined) return;
    const { ending } = await tryAgent(sandbox, doors);
    t.is(ending.reason, 'finished', JSON.stringify(ending));

    const refused = 'PermissionError Operation not permitted';
    t.deepEqual(JSON.parse(ending.stdoutTail), {
      sockets: [refused],
      pairs: { AF_UNIX: 'done', AF_INET: refused, AF_INET6: refused, AF_NETLINK: refused },
      ...{ datagrams: refused, packets: refused },
      // There is nobody: to listen takes a socket that is not connected.
      connected: 'ConnectionRefusedError Connection refused',
      'connected without a peer': 'ConnectionRefusedError Connection refused',
      addressed: 'OSError Transport endpoint is already connected',
      listening: 'OSError Invalid argument',
    });
  });
}
