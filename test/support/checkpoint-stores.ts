import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentFailure } from '../../src/agent/failures';
import type { CheckpointStore } from '../../src/agent/store/checkpoint-store';
import type { ManifestFacts } from '../../src/agent/store/manifest';
import { StoreKey } from '../../src/agent/store/store-key';

/** The key of all agents of a test. */
export const KEY = new StoreKey('/test/store.key', () => Buffer.from('a key that only tests have, 32 bytes'));

/** A manifest of somebody who has the key. */
export const signed = (manifest: unknown, key = KEY): string =>
  key.signed(`${JSON.stringify(manifest, undefined, 1)}\n`);

/** What a supervisor knows of a checkpoint that it publishes. */
export const factsOf = (id: string): ManifestFacts => ({
  id,
  createdAt: '2026-01-15T09:00:00.000Z',
  workload: {
    namespace: 'default',
    name: 'count',
    command: ['python3', 'count.py'],
    cwd: '/srv',
    treatment: {},
    log: { path: '/srv/count.log', bytes: 12 },
  },
  machine: {
    hostname: 'node-1',
    bootId: 'e4d2c7a0-0000-4000-8000-000000000001',
    architecture: 'x86_64',
    pageSize: 4096,
    kernel: '6.1.0',
    cpuModel: 'Example',
    cpuFlags: ['avx2', 'sse4_2'],
    libc: '2.36',
    criu: '4.2.1',
    cgroupMode: 'v2',
  },
  memoryBytes: 4096,
});

export async function writeImages(folder: string, images: Readonly<Record<string, Buffer>>): Promise<void> {
  for (const [name, bytes] of Object.entries(images)) await writeFile(join(folder, name), bytes);
}

/** The cause and the message of a failure. */
export async function refusal(work: Promise<unknown>): Promise<[string, string]> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AgentFailure)) throw new Error(`not a failure of the agent: ${String(error)}`);
  return [error.facts.cause, error.facts.message];
}

/** The ids of the checkpoints that a store offers. */
export async function listed(store: CheckpointStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  return ids;
}
