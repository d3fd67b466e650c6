import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secondsOfDay } from '../../../test/support/time-of-day';
import { removeLeftDirectories } from './left-directory';

describe('The directory of CRIU where a process is', () => {
  let directory: string;
  let child: ChildProcess;
  let left: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-left-'));
    left = join(directory, 'proc.crtools');
    child = spawn('sleep', ['60'], { cwd: directory, stdio: 'ignore' });
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  const isThere = async (hours: number): Promise<boolean> => {
    const seconds = secondsOfDay() - hours * 3_600;
    utimesSync(left, seconds, seconds);
    await removeLeftDirectories([child.pid!]);
    return existsSync(left);
  };

  it('is removed if a killed CRIU left it, and not while another dump may use it', async () => {
    mkdirSync(left);
    expect(await isThere(0.9)).toBe(true);
    expect(await isThere(1.1)).toBe(false);
  });

  it.each([
    [
      'with something in it',
      () => {
        mkdirSync(left);
        writeFileSync(join(left, 'kept'), '');
      },
    ],
    ['that is a file', () => writeFileSync(left, '')],
  ])('stays if it is one %s, which CRIU does not make', async (_which, make) => {
    make();
    expect(await isThere(48)).toBe(true);
  });

  it('is no reason to fail if there is none, or no such process any more', async () => {
    await expect(removeLeftDirectories([child.pid!, 2 ** 22 + 1])).resolves.toBeUndefined();
  });
});
