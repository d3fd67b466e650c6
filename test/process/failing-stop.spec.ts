import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBuilt, type Start } from '../support/start';

describe('a stop of which a part fails', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'control-plane-stop-'));
  let running: Start | undefined;
  afterAll(() => {
    running?.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is reported in one line and by the exit code, and stops the database all the same', async () => {
    const preload = `--require ${join(__dirname, 'failing-stop.preload.cjs')}`;
    running = startBuilt({ DATA_DIR: dataDir, NODE_OPTIONS: preload });
    await running.address();
    running.process.kill('SIGTERM');
    expect(await running.exit).toBe(1);
    expect(running.errors).toMatch(/^stopped with an error: .*usage was not written/m);
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });
});
