import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  /** What CRIU prints if a part is missing. */
  const EXTRA =
    'Looks good but some kernel features are missing; echo which, depending on your process tree, may cause';
  const RUNS = 'echo "$*" >>"$0.runs";';
  const runsOf = (): string[] => readFileSync(join(directory, 'criu.runs'), 'utf8').trimEnd().split('\n');

  it('is known by one check of all, which names what is missing', async () => {
    const missing = 'echo "Warn (criu/cr-check.c:824): Dirty tracking is OFF."';
    const criu = await criuThat(`"check --extra") ${RUNS} ${missing}; echo ${EXTRA}; exit 1 ;; *) ${RUNS} ;;`);
    const features = { seccomp_suspend: true, mem_dirty_track: false, network_lock_nftables: true };
    expect(await criu.check()).toEqual({ good: true, problems: [], features });
    expect(runsOf()).toEqual(['check --extra']);
  });

  it('is asked for one by one if the check of all says what nobody knows', async () => {
    const odd = 'echo "Warn: this kernel has no filters"';
    const one = '*suspend) exit 1 ;; *nftables) kill -9 $$ ;;';
    const criu = await criuThat(`"check --extra") ${odd}; echo ${EXTRA}; exit 1 ;; ${one}`);
    const features = { seccomp_suspend: false, mem_dirty_track: true, network_lock_nftables: undefined };
    expect(await criu.check()).toEqual({ good: true, problems: [], features });
  });

  it('is not known if its check fails, or a signal ends it', async () => {
    const unknown = { seccomp_suspend: undefined, mem_dirty_track: undefined, network_lock_nftables: undefined };
    const fails = await criuThat('*) echo "Error: no /proc"; exit 1 ;;');
    expect(await fails.check()).toEqual({ good: false, problems: ['Error: no /proc'], features: unknown });
    const ends = await criuThat('*) echo Looks good.; kill -9 $$ ;;');
    expect(await ends.check()).toMatchObject({ good: false, features: unknown });
  });

  it('is in its help, which names the directory of its plugins', async () => {
    const criu = await criuThat('--help) echo "path to a plugin directory (by default /opt/criu/)" ;;');
    expect(await criu.pluginDirectory()).toBe('/opt/criu/');
    const other = await criuThat('--help) echo "a directory (by default /opt/criu/)" ;;');
    expect(await other.pluginDirectory()).toBeUndefined();
  });
});
