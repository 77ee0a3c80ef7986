import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { reader } from './debian-base.ts';
import { makeStandIn } from './image-stand-ins.ts';
import type { Machine } from './machine.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url);

/** Debian's, with the plugins that `docker compose` and its builds are. */
const packages = ['docker.io', 'docker-cli', 'docker-compose', 'docker-buildx'];

/**
 * Docker with its compose plugin, as an operator has it, and the images that the set-up names. No registry
 * of images is asked: each is made here of the same programs, as image-stand-ins.ts says.
 * @param base the Debian that images are made of
 * @returns what is there, in a line for the report
 */
export async function bringEngine(machine: Machine, base: string): Promise<string> {
  await machine.order(['apt-get', 'install', '-qq', ...packages]);
  await machine.order(['usermod', '--append', '--groups', 'docker', reader]);
  const docker = (...args: readonly string[]) => machine.order(['docker', ...args]);
  const archive = '/srv/base.tar';
  await run('tar', ['--create', '--directory', base, '--file', join(machine.root, archive), '.']);
  await docker('import', archive, 'clean-machine');
  await rm(join(machine.root, archive));
  const images = await imagesOfSetUp();
  const [node = ''] = images;
  for (const image of images) {
    const context = `/srv/images/${image.replaceAll(/\W/g, '-')}`;
    await makeStandIn(image, join(machine.root, context));
    await docker('build', '--quiet', '--build-arg', `NODE=${node}`, '--tag', image, context);
  }
  const engine = await docker('version', '--format', '{{.Server.Version}}');
  const compose = await docker('compose', 'version', '--short');
  return `Docker ${engine.trim()}, Compose ${compose.trim()}, ${images.length} images made of Debian's packages and ours`;
}

const setUp = z.object({
  services: z.record(z.string(), z.object({ image: z.string(), build: z.unknown().optional() })),
});

/** Those that images are made from come before those that may build on them. */
async function imagesOfSetUp(): Promise<readonly string[]> {
  const dockerfile = await readFile(new URL('infra/compose/Dockerfile', root), 'utf8');
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base ?? '');
  const compose = await readFile(new URL('docker-compose.yml', root), 'utf8');
  const { services } = setUp.parse(parse(compose, { merge: true }));
  const others = Object.values(services).filter(({ build }) => build === undefined);
  return [...new Set([...bases, ...others.map(({ image }) => image)])];
}
