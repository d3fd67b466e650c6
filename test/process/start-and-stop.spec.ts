import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { inForm } from '../support/form';
import { start, type Start } from '../support/start';

const postgresPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);
/** The server's Unix socket: its port is in the fourth line of the file. */
const socketOf = (dataDir: string): string => {
  const port = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[3];
  return join(dataDir, `postgres/.s.PGSQL.${port}`);
};
const servicePid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'service.lock'), 'utf8').split(' ')[0]);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const gone = (pid: number): Promise<void> => eventually(() => expect(alive(pid)).toBe(false));

/** The lock is removed last: then service and database have ended. */
const released = (dataDir: string): Promise<void> =>
  eventually(() => expect(existsSync(join(dataDir, 'service.lock'))).toBe(false));

const callerId = async (address: string, token: string): Promise<Response> =>
  fetch(`${address}/v1/user`, { headers: { authorization: `Bearer ${token}` } });

describe('npm start with its own database', () => {
  let dataDir: string;
  const running: Start[] = [];
  const run = (dir: string, variables: Record<string, string> = {}): Start => {
    const started = start({ DATA_DIR: dir, ...variables });
    running.push(started);
    return started;
  };

  beforeAll(() => {
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'control-plane-start-')));
    chmodSync(dataDir, 0o755);
  });
  afterEach(async () => {
    for (const started of running.splice(0)) {
      if (!started.ended && started.process.pid) process.kill(-started.process.pid, 'SIGTERM');
      await started.exit;
    }
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  let token: string;

  it('prints the address, the API page and, at the first start, the admin token, and stops on SIGTERM', async () => {
    const first = run(dataDir);
    const address = await first.address();
    token = await first.printed(/Admin token: +(ccp_\S+)/);
    expect(first.output).toContain(`Console:         ${address}/console`);
    expect(first.output).toContain(`API description: ${address}/docs`);
    expect((await callerId(address, token)).status).toBe(200);
    const page = await fetch(`${address}/docs`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('swagger-ui')]);
    expect(first.errors).not.toContain(token);

    expect(existsSync(socketOf(dataDir))).toBe(true);

    const database = postgresPid(dataDir);
    first.process.kill('SIGTERM');
    expect(await first.exit).not.toBe(1);
    await gone(database);
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
  });

  it('keeps its data, prints no token again, and stops on Ctrl-C', async () => {
    const again = run(dataDir);
    const address = await again.address();
    expect((await callerId(address, token)).status).toBe(200);
    expect(again.output).not.toContain('Admin token');

    const database = postgresPid(dataDir);
    // A terminal signals the whole group.
    process.kill(-(again.process.pid ?? 0), 'SIGINT');
    await again.exit;
    await gone(database);
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
  });

  it('refuses a directory that is in use, in one line, and does not disturb its user', async () => {
    const holder = run(dataDir);
    const address = await holder.address();
    const second = run(dataDir);
    expect(await second.exit).toBe(1);
    expect(second.errors).toMatch(/^cannot start: .* is in use by another running instance; stop it or set DATA_DIR$/m);
    expect((await callerId(address, token)).status).toBe(200);
  });

  it('recovers from kill -9 of the service alone', async () => {
    const first = run(dataDir);
    await first.address();
    const orphan = postgresPid(dataDir);
    process.kill(servicePid(dataDir), 'SIGKILL');
    await first.exit;
    expect(alive(orphan)).toBe(true);

    const second = run(dataDir);
    expect((await callerId(await second.address(), token)).status).toBe(200);
    expect(alive(orphan)).toBe(false);
  });

  it('recovers from kill -9 of service and database, which leaves two stale locks', async () => {
    const first = run(dataDir);
    await first.address();
    const database = postgresPid(dataDir);
    process.kill(servicePid(dataDir), 'SIGKILL');
    process.kill(database, 'SIGKILL');
    await first.exit;
    await gone(database);

    const second = run(dataDir);
    expect((await callerId(await second.address(), token)).status).toBe(200);
  });

  it('reports a wrong variable or a used port in one line, and leaves no database running', async () => {
    const wrong = run(dataDir, { PORT: 'eighty' });
    expect(await wrong.exit).toBe(1);
    expect(wrong.errors).toMatch(/^cannot start: PORT must be an integer from 0 to 65535$/m);

    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const taken = run(dataDir, { PORT: String((holder.address() as AddressInfo).port) });
    expect(await taken.exit).toBe(1);
    expect(taken.errors).toMatch(/^cannot start: the port is in use; set PORT$/m);
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    holder.close();
  });

  it('creates no token if the first start fails because the port is used', async () => {
    const parent = realpathSync(mkdtempSync(join(tmpdir(), 'control-plane-token-')));
    // No socket can be in it, because the path would be too long: the service uses TCP.
    const fresh = join(parent, 'long'.repeat(25));
    mkdirSync(fresh);
    for (const directory of [parent, fresh]) chmodSync(directory, 0o755);
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const failing = run(fresh, { PORT: String((holder.address() as AddressInfo).port) });
    expect(await failing.exit).toBe(1);
    holder.close();
    expect(failing.errors).toMatch(/^cannot start: the port is in use; set PORT$/m);
    expect(failing.output).not.toContain('Admin token');
    // The database still has no token: the next start prints one that works.
    const again = run(fresh);
    const address = await again.address();
    const printed = await again.printed(/Admin token: +(ccp_\S+)/);
    expect((await callerId(address, printed)).status).toBe(200);
    expect(existsSync(socketOf(fresh))).toBe(false);
    again.process.kill('SIGTERM');
    await again.exit;
    await released(fresh);
    rmSync(parent, { recursive: true });
  });

  it.each(inForm([700, 1_300], [300, 700, 1_000, 1_300, 1_800]))(
    'stops with its database when the signal arrives %d ms after the start',
    async (delay) => {
      const fresh = realpathSync(mkdtempSync(join(tmpdir(), 'control-plane-signal-')));
      chmodSync(fresh, 0o755);
      const started = run(fresh);
      await sleep(delay);
      process.kill(-(started.process.pid ?? 0), 'SIGTERM');
      await started.exit;
      await released(fresh);
      expect(existsSync(join(fresh, 'postgres/postmaster.pid'))).toBe(false);
      expect(started.errors).not.toMatch(/^cannot start/m);
      rmSync(fresh, { recursive: true });
    },
  );

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot(
    "runs in a directory that the server's account cannot enter, as in a clone below /root (skipped unless root)",
    async () => {
      const closed = mkdtempSync(join(tmpdir(), 'control-plane-closed-'));
      const started = run(closed);
      const address = await started.address();
      expect((await fetch(`${address}/readyz`)).status).toBe(200);
      started.process.kill('SIGTERM');
      await started.exit;
      await released(closed);
      const files = realpathSync(join(closed, 'postgres'));
      expect(files.startsWith(closed)).toBe(false);
      for (const directory of [files, closed]) rmSync(directory, { recursive: true, force: true });
    },
  );
});
