import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectStorageSettings } from '../../src/1-platform/config/environment';
import { find } from './components';
import { freePorts } from './free-ports';

const STARTED_WITHIN_MS = 60_000;
const CREDENTIALS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };

/** Where a test file finds the Swift of the run. */
export const SWIFT_VARIABLE = 'E2E_SWIFT';

const clientOf = ({ url: endpoint, region, credentials }: ObjectStorageSettings): S3Client =>
  new S3Client({ endpoint, region, forcePathStyle: true, credentials, maxAttempts: 1 });

/** An empty bucket on the Swift of the run, which the first call starts: it takes some seconds. */
export async function swiftBucket(): Promise<ObjectStorageSettings> {
  const reply = await fetch(process.env[SWIFT_VARIABLE] ?? '');
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  const settings = JSON.parse(text) as ObjectStorageSettings;
  const bucket = `files-${randomBytes(6).toString('hex')}`;
  const client = clientOf(settings);
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
  } finally {
    client.destroy();
  }
  return { ...settings, bucket };
}

/** OpenStack Swift as an S3-compatible server. It checks signatures, which most test servers do not. */
export class Swift {
  private constructor(
    readonly settings: ObjectStorageSettings,
    private readonly directory: string,
    private readonly servers: ChildProcess[],
  ) {}

  static async start(): Promise<Swift> {
    const directory = mkdtempSync(join(tmpdir(), 'swift-'));
    const [account = 0, container = 0, object = 0, proxy = 0] = await freePorts(4);
    configure(directory, { account, container, object }, proxy);
    const servers = ['account', 'container', 'object', 'proxy'].map((name) => {
      const log = openSync(join(directory, `${name}.log`), 'w');
      const program = `swift-${name}-server`;
      const child = spawn(program, [join(directory, `${name}-server.conf`), '-v'], { stdio: ['ignore', log, log] });
      closeSync(log);
      return child;
    });
    const url = `http://127.0.0.1:${proxy}`;
    // Clients use another host name than the service, and the host name is signed.
    const publicUrl = `http://localhost:${proxy}`;
    const settings = { url, publicUrl, bucket: 'first', region: 'us-east-1', pathStyle: true };
    const swift = new Swift({ ...settings, credentials: CREDENTIALS }, directory, servers);
    try {
      await swift.answers();
    } catch (error) {
      const log = readFileSync(join(directory, 'proxy.log'), 'utf8').slice(-4_000);
      await swift.stop();
      throw new Error(`Swift did not start:\n${log}`, { cause: error });
    }
    return swift;
  }

  private async answers(): Promise<void> {
    const client = clientOf(this.settings);
    try {
      const until = performance.now() + STARTED_WITHIN_MS;
      for (;;) {
        try {
          await client.send(new CreateBucketCommand({ Bucket: this.settings.bucket }));
          return;
        } catch (error) {
          if (performance.now() > until || this.servers.some(({ exitCode }) => exitCode !== null)) throw error;
          await sleep(100);
        }
      }
    } finally {
      client.destroy();
    }
  }

  async stop(): Promise<void> {
    for (const server of this.servers) {
      if (server.exitCode !== null || server.signalCode !== null) continue;
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      const patience = setTimeout(() => server.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(patience);
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Who stores what where. In one process: each start of Python takes half a second. */
const RINGS = `
import json, sys
from swift.common.ring import RingBuilder
for path, port in json.loads(sys.argv[1]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(path)
`;

function buildRings(directory: string, ports: Record<string, number>): void {
  // The Python that has Swift's modules.
  const script = readFileSync(find('swift-ring-builder') ?? '', 'utf8');
  const python = /^#! *(\S+)/.exec(script)?.[1] ?? 'python3';
  const rings = Object.entries(ports).map(([name, port]) => [join(directory, `${name}.ring.gz`), port]);
  const { status, stderr } = spawnSync(python, ['-c', RINGS, JSON.stringify(rings)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Swift's rings could not be built: ${stderr}`);
}

function configure(directory: string, ports: Record<string, number>, proxy: number): void {
  const write = (name: string, lines: string[]) => writeFileSync(join(directory, name), `${lines.join('\n')}\n`);
  mkdirSync(join(directory, 'srv/d1'), { recursive: true });
  mkdirSync(join(directory, 'run'));
  const hash = ['[swift-hash]', 'swift_hash_path_prefix = tests', 'swift_hash_path_suffix = tests'];
  write('swift.conf', [...hash, '[storage-policy:0]', 'name = gold', 'policy_type = replication', 'default = yes']);
  const user = spawnSync('id', ['-un']).stdout.toString().trim();
  const shared = [`user = ${user}`, 'bind_ip = 127.0.0.1', `swift_dir = ${directory}`, 'workers = 0'];
  buildRings(directory, ports);
  for (const [name, port] of Object.entries(ports)) {
    write(`${name}-server.conf`, [
      '[DEFAULT]',
      ...shared,
      `bind_port = ${port}`,
      `devices = ${join(directory, 'srv')}`,
      'mount_check = false',
      'disable_fallocate = true',
      `recon_cache_path = ${join(directory, 'run')}`,
      '[pipeline:main]',
      `pipeline = ${name}-server`,
      `[app:${name}-server]`,
      `use = egg:swift#${name}`,
    ]);
  }
  const filters = ['catch_errors', 'listing_formats', 'bulk', 'slo', 'dlo', 'symlink'];
  write('proxy-server.conf', [
    '[DEFAULT]',
    ...shared,
    `bind_port = ${proxy}`,
    '[pipeline:main]',
    'pipeline = catch_errors cache listing_formats bulk s3api tempauth slo dlo symlink versioned_writes proxy-server',
    '[app:proxy-server]',
    'use = egg:swift#proxy',
    // Retries slow servers at once instead of avoiding them for a minute.
    'error_suppression_limit = 1000000',
    'error_suppression_interval = 0',
    'allow_account_management = true',
    'account_autocreate = true',
    '[filter:tempauth]',
    'use = egg:swift#tempauth',
    'user_test_tester = testing .admin',
    '[filter:s3api]',
    'use = egg:swift#s3api',
    'location = us-east-1',
    'dns_compliant_bucket_names = true',
    '[filter:versioned_writes]',
    'use = egg:swift#versioned_writes',
    'allow_versioned_writes = true',
    'allow_object_versioning = true',
    '[filter:cache]',
    'use = egg:swift#memcache',
    ...filters.flatMap((name) => [`[filter:${name}]`, `use = egg:swift#${name}`]),
  ]);
}
