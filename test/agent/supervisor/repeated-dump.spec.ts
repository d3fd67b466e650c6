import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith, find } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest } from '../support/agent';

/** More than a piece of an image, which is hashed while CRIU writes. */
const MIB = 12;
const COUNT = `import time
held = bytearray(range(256)) * (${MIB} * 4096)
n = 0
while True:
  n += 1
  print(n, flush=True)
  time.sleep(0.02)`;

/** Its first dump meets another one in the same directory, after it has written images. */
const meetsAnother = (met: string): string => `#!/bin/sh
if [ "$1" = dump ] && [ ! -e ${met} ]; then
  : > ${met}
  while [ $# -gt 0 ]; do
    case "$1" in --images-dir) images=$2;; --work-dir) work=$2;; --log-file) log=$2;; esac
    shift
  done
  head -c ${MIB}M /dev/zero > "$images/pages-1.img"
  sleep 0.5
  echo "pie: 1: Error (criu/pie/parasite.c:634): Can't create a directory (-17)" > "$work/$log"
  exit 1
fi
exec ${find('criu')} "$@"
`;

describeWith(['CRIU'], 'A dump that met another one in the same directory', () => {
  let agent: AgentUnderTest;
  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(() => agent.killAll());
  afterAll(() => agent.remove());

  it('is repeated, and what the first attempt had written is no part of the checkpoint', async () => {
    const directory = join(agent.root, 'criu');
    mkdirSync(directory);
    writeFileSync(join(directory, 'criu'), meetsAnother(join(directory, 'met')));
    chmodSync(join(directory, 'criu'), 0o755);
    const environment = { PATH: `${directory}:${process.env.PATH}` };
    const first = agent.start(['run', '--name', 'met', '--', 'python3', '-c', COUNT], environment);
    await first.printed('1');
    const taken = await agent.checkpoint('met');
    expect(existsSync(join(directory, 'met'))).toBe(true);
    await first.kill();
    const second = agent.run('met', [], ['--restore', taken.reference]);
    await eventually(() => expect(second.lines.length).toBeGreaterThan(3));
  });
});
