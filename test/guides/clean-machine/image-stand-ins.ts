import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { natsBinary } from '../../../infra/local/nats-binary.ts';

/**
 * What an image of somebody else is made of here, by the repository that it comes from. The database, the
 * broker and Node are the programs that the image has, in the interface that docker-compose.yml uses; the
 * object store is ours, since no package has the other; what takes traces only takes them.
 */
const standIns: Readonly<Record<string, StandIn>> = {
  node: {
    folder: 'node',
    // Ours: the version that the Dockerfile names, as a test holds.
    add: (context) => cp(process.execPath, join(context, 'node')),
  },
  postgres: { folder: 'postgres' },
  nats: {
    folder: 'nats',
    add: async (context) => cp(await natsBinary(), join(context, 'nats-server')),
  },
  'chrislusf/seaweedfs': { folder: 'object-store', add: bundleObjectStore },
  'otel/opentelemetry-collector': { folder: 'listener' },
  'jaegertracing/jaeger': { folder: 'listener' },
};

interface StandIn {
  /** Of a Dockerfile and what it copies. */
  readonly folder: string;
  /** Puts what is not in that folder beside it. */
  readonly add?: (context: string) => Promise<unknown>;
}

const folders = join(import.meta.dirname, 'images');

/** Throws for an image that nothing stands in for. */
export async function makeStandIn(image: string, context: string): Promise<void> {
  const [repository = ''] = image.split(':');
  const { folder, add } = standIns[repository] ?? {};
  if (folder === undefined) throw new Error(`nothing stands in for the image ${image}`);
  await mkdir(context, { recursive: true });
  await cp(join(folders, folder), context, { recursive: true });
  await add?.(context);
}

async function bundleObjectStore(context: string): Promise<void> {
  await build({
    entryPoints: [join(folders, 'object-store/serve.ts')],
    outfile: join(context, 'serve.mjs'),
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
  });
}
