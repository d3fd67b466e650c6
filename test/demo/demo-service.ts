import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Start } from '../support/start';

const PROJECT = join(__dirname, '../..');

/** The built service in a process of its own, with a PostgreSQL of its own. */
export class DemoService {
  private constructor(
    private readonly process: Start,
    /** Of the admin. */
    readonly token: string,
    private readonly temporary: string | undefined,
  ) {}

  /** With `DEMO_DATA_DIR` the data stays, and the token with it. */
  static start(): DemoService {
    const kept = process.env.DEMO_DATA_DIR || undefined;
    const directory = kept ?? mkdtempSync(join(tmpdir(), 'control-plane-demo-'));
    mkdirSync(directory, { recursive: true });
    // Run as root, the database has an account of its own, which must be able to enter.
    chmodSync(directory, 0o755);
    const token = tokenIn(directory);
    const env = {
      ...process.env,
      // An empty one counts as none, and a file .env does not replace it.
      DATABASE_URL: '',
      DATA_DIR: join(directory, 'data'),
      BOOTSTRAP_TOKEN: token,
      PORT: process.env.PORT || '3000',
      LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
    };
    // In a process group of its own: Ctrl-C is the demo's, which ends it once the fleet has stopped.
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

  /** Resolves when it has ended, which it only does by itself when something is wrong. */
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
