import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBuilt, type Start } from '../support/start';

describe('a stop of which a part fails', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'control-plane-stop-'));
  let running: Start | undefined;
  afterEach(() => running?.kill());
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const preloading = (name: string) => ({
    DATA_DIR: dataDir,
    NODE_OPTIONS: `--require ${join(__dirname, `${name}.preload.cjs`)}`,
  });
  const expectStopped = (): void => {
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  };

  it('says in one line and by the exit code that usage is lost, and stops the database all the same', async () => {
    running = startBuilt(preloading('lost-usage'));
    await running.address();
    running.process.kill('SIGTERM');
    expect(await running.exit).toBe(1);
    expect(running.errors).toMatch(/^stopped with an error: .*usage was not written, .* reserved: 1/m);
    expectStopped();
  });

  it('says in one line and by the exit code that the database did not stop as it should', async () => {
    running = startBuilt(preloading('failing-database-stop'));
    await running.address();
    running.process.kill('SIGTERM');
    expect(await running.exit).toBe(1);
    expect(running.errors).toMatch(/^stopped with an error: .*the lock is not released/m);
    expectStopped();
  });

  it('does not hide why the start before it failed', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      running = startBuilt({ ...preloading('failing-database-stop'), PORT: String(port) });
      expect(await running.exit).toBe(1);
      expect(running.errors).toMatch(/^cannot start: the port is in use; set PORT$/m);
      expect(running.errors).toContain('the lock is not released');
    } finally {
      other.close();
    }
  });
});
