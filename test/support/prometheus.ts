import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from './free-ports';

const STARTED_WITHIN_MS = 20_000;

/** A real Prometheus, which keeps what it has in a directory of its own until it is stopped. */
export class Prometheus {
  private constructor(
    readonly url: string,
    readonly process: ChildProcess,
    private readonly directory: string,
  ) {}

  /** @param config its configuration file, as JSON, which is also YAML */
  static async start(config: object, ...args: string[]): Promise<Prometheus> {
    const directory = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const file = join(directory, 'prometheus.yml');
    writeFileSync(file, JSON.stringify(config));
    const [port = 0] = await freePorts(1);
    const address = `127.0.0.1:${port}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=${address}`,
        '--log.level=error',
        ...args,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const started = new Prometheus(`http://${address}`, child, directory);
    for (let waited = 0; waited < STARTED_WITHIN_MS && child.exitCode === null; waited += 50) {
      const ready = await fetch(`${started.url}/-/ready`).catch(() => undefined);
      if (ready?.ok) return started;
      await sleep(50);
    }
    await started.stop();
    throw new Error('Prometheus did not start');
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGTERM');
      await once(this.process, 'exit');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
