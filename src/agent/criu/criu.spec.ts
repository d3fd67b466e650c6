import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Criu } from './criu';

describe('What a CRIU can do', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'criu-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  /** @param cases of sh, by the arguments */
  const criuThat = (cases: string): Promise<Criu> => {
    const program = join(directory, 'criu');
    const script = `case "$*" in --version) echo Version: 4.2 ;; ${cases} esac`;
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return Criu.find(program);
  };

  it('is known by its check of a feature', async () => {
    const criu = await criuThat('check) ;; *suspend) ;; *) exit 1 ;;');
    expect([await criu.has('seccomp_suspend'), await criu.has('mem_dirty_track')]).toEqual([true, false]);
  });

  it('is not known if its own check fails, or a signal ends it', async () => {
    const fails = await criuThat('*) exit 1 ;;');
    expect(await fails.has('seccomp_suspend')).toBeUndefined();
    const ends = await criuThat('check) ;; *) kill -9 $$ ;;');
    expect(await ends.has('seccomp_suspend')).toBeUndefined();
  });

  it('is in its help, which names the directory of its plugins', async () => {
    const criu = await criuThat('--help) echo "path to a plugin directory (by default /opt/criu/)" ;;');
    expect(await criu.pluginDirectory()).toBe('/opt/criu/');
    const other = await criuThat('--help) echo "a directory (by default /opt/criu/)" ;;');
    expect(await other.pluginDirectory()).toBeUndefined();
  });
});
