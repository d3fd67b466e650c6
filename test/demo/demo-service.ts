import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Start } from '../support/start';

const PROJECT = join(__dirname, '../..');

/** Runs the built service in a separate process, with its own PostgreSQL. */
export class DemoService {
  private constructor(
    private readonly process: Start,
    /** The token of the admin. */
    readonly token: string,
    private readonly temporary: string | undefined,
  ) {}

  /** With `DEMO_DATA_DIR`, the data and the token are kept after the demo. */
  static start(): DemoService {
    return DemoService.on(process.env.PORT || '3000', 'warn', process.env.DEMO_DATA_DIR || undefined);
  }

  /** On a free port. Nothing is kept, and only what stops the service is logged. */
  static startThrowAway(): DemoService {
    return DemoService.on('0', 'fatal', undefined);
  }

  private static on(port: string, logLevel: string, kept: string | undefined): DemoService {
    const directory = kept ?? mkdtempSync(join(tmpdir(), 'control-plane-demo-'));
    mkdirSync(directory, { recursive: true });
    // If the demo runs as root, the database runs under another account, which must have access.
    chmodSync(directory, 0o755);
    const token = tokenIn(directory);
    const env = {
      ...process.env,
      // An empty variable counts as missing, and takes precedence over a file .env.
      DATABASE_URL: '',
      DATA_DIR: join(directory, 'data'),
      BOOTSTRAP_TOKEN: token,
      PORT: port,
      LOG_LEVEL: process.env.LOG_LEVEL || logLevel,
      // Its workers are on this machine.
      WORKER_ENDPOINT_ALLOW: process.env.WORKER_ENDPOINT_ALLOW || '127.0.0.1',
    };
    // A separate process group, because Ctrl-C must reach only the demo: it ends the service after the fleet
    // has stopped.
    const service = spawn(process.execPath, ['dist/main.js'], {
      cwd: PROJECT,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    service.stderr.pipe(process.stderr);
    return new DemoService(new Start(service), token, kept === undefined ? directory : undefined);
  }

  address(): Promise<string> {
    return this.process.address();
  }

  /** Resolves when the process has ended. It ends by itself only after a failure. */
  get exit(): Promise<number | null> {
    return this.process.exit;
  }

  async stop(): Promise<void> {
    if (!this.process.ended) this.process.process.kill('SIGTERM');
    await this.process.exit;
    if (this.temporary !== undefined) rmSync(this.temporary, { recursive: true, force: true });
  }
}

function tokenIn(directory: string): string {
  const file = join(directory, 'token');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const token = process.env.BOOTSTRAP_TOKEN || `ccp_${randomBytes(32).toString('base64url')}`;
  writeFileSync(file, token, { mode: 0o600 });
  return token;
}
