import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectStorageSettings } from '../../src/1-platform/config/environment';
import { freePorts } from './free-ports';

const STARTED_WITHIN_MS = 60_000;
const CREDENTIALS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
const BUCKET = 'plugins';

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
    const settings = { url, publicUrl, bucket: BUCKET, region: 'us-east-1', pathStyle: true };
    const swift = new Swift({ ...settings, credentials: CREDENTIALS }, directory, servers);
    try {
      await swift.makeBucket();
    } catch (error) {
      const log = readFileSync(join(directory, 'proxy.log'), 'utf8').slice(-4_000);
      await swift.stop();
      throw new Error(`Swift did not start:\n${log}`, { cause: error });
    }
    return swift;
  }

  private async makeBucket(): Promise<void> {
    const { url: endpoint, region } = this.settings;
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: CREDENTIALS, maxAttempts: 1 });
    try {
      const until = performance.now() + STARTED_WITHIN_MS;
      for (;;) {
        try {
          await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
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

function configure(directory: string, ports: Record<string, number>, proxy: number): void {
  const write = (name: string, lines: string[]) => writeFileSync(join(directory, name), `${lines.join('\n')}\n`);
  mkdirSync(join(directory, 'srv/d1'), { recursive: true });
  mkdirSync(join(directory, 'run'));
  const hash = ['[swift-hash]', 'swift_hash_path_prefix = tests', 'swift_hash_path_suffix = tests'];
  write('swift.conf', [...hash, '[storage-policy:0]', 'name = gold', 'policy_type = replication', 'default = yes']);
  const user = spawnSync('id', ['-un']).stdout.toString().trim();
  const shared = [`user = ${user}`, 'bind_ip = 127.0.0.1', `swift_dir = ${directory}`, 'workers = 0'];
  for (const [name, port] of Object.entries(ports)) {
    const builder = join(directory, `${name}.builder`);
    for (const step of [['create', '4', '1', '1'], ['add', `r1z1-127.0.0.1:${port}/d1`, '1'], ['rebalance']]) {
      const { status, stdout, stderr } = spawnSync('swift-ring-builder', [builder, ...step], { encoding: 'utf8' });
      // Status 1 is a warning: few partitions.
      if (status !== 0 && status !== 1) throw new Error(`swift-ring-builder ${step.join(' ')}: ${stdout}${stderr}`);
    }
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
