import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { itWith } from '../support/components';
import { readGuide } from './guide';

/** What the service takes at once. */
const OBJECTS_A_BATCH = 20_000;

const [FUNCTION = ''] = readGuide('docs/guides/kubernetes.md')
  .map(({ commands }) => commands)
  .filter((commands) => commands.includes('report() {'));

interface Sent {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string };
}

describe.each(['bash', 'zsh'] as const)('the loop of the Kubernetes guide, in %s,', (shell) => {
  let directory: string;
  let server: Server;
  /** What arrived, batch by batch. */
  let batches: Sent[][];
  /** Whether a batch that arrived is answered. */
  let isAnswered: (batch: Sent[]) => boolean;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'guide-loop-'));
    [batches, isAnswered] = [[], () => true];
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { resources } = JSON.parse(Buffer.concat(pieces).toString()) as { resources: Sent[] };
        batches.push(resources);
        if (isAnswered(resources)) response.end('{}');
        else response.destroy();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true });
  });

  const pod = (uid: string) => ({ kind: 'Pod', metadata: { name: uid, uid }, status: { phase: 'Running' } });
  /** @returns whether it ended well */
  const report = async (...uids: string[]): Promise<boolean> => {
    writeFileSync(join(directory, 'cluster.json'), JSON.stringify({ items: uids.map(pod) }));
    const { port } = server.address() as AddressInfo;
    const env = { ...process.env, CP: `http://127.0.0.1:${port}`, TOKEN: 'any', CLUSTER: 'demo' };
    const script = `${FUNCTION}\nreport cluster.json`;
    return promisify(execFile)(shell, ['-c', script], { cwd: directory, env }).then(
      () => true,
      () => false,
    );
  };
  const gone = () =>
    batches
      .flat()
      .flatMap(({ metadata, status }) => (metadata.deletionTimestamp ? [[metadata.uid, status?.phase]] : []));
  const living = () =>
    batches.flat().flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [metadata.uid] : []));

  itWith([shell, 'jq'], 'reports what is gone before what lives', async () => {
    expect(await report('a', 'b')).toBe(true);
    batches = [];
    expect(await report('b', 'c')).toBe(true);
    expect(batches.map((batch) => batch.map(({ metadata }) => metadata.uid))).toEqual([['a'], ['b', 'c']]);
    expect(gone()).toEqual([['a', 'Failed']]);
    batches = [];
    expect(await report('b', 'c')).toBe(true);
    expect(gone()).toEqual([]);
  });

  itWith([shell, 'jq'], 'reports that a pod is gone whose report got no answer', async () => {
    isAnswered = () => false;
    expect(await report('a', 'b')).toBe(false);
    isAnswered = () => true;
    expect(await report('b')).toBe(true);
    expect(gone()).toEqual([['a', 'Failed']]);
  });

  itWith([shell, 'jq'], 'repeats that a pod is gone until all has arrived', async () => {
    expect(await report('a', 'b')).toBe(true);
    isAnswered = (batch) => batch.every(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(await report('b')).toBe(false);
    [batches, isAnswered] = [[], () => true];
    expect(await report('b')).toBe(true);
    expect(gone()).toEqual([['a', 'Failed']]);
  });

  itWith([shell, 'jq'], 'replaces more than half of what a batch holds', async () => {
    const uids = (prefix: string) => Array.from({ length: 10_500 }, (_, place) => `${prefix}${place}`);
    expect(await report(...uids('a'))).toBe(true);
    batches = [];
    expect(await report(...uids('b'))).toBe(true);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(OBJECTS_A_BATCH);
    expect(gone()).toHaveLength(10_500);
    expect(living()).toEqual(uids('b'));
  });
});
