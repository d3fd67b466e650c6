import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find } from '../../support/components';
import { eventually } from '../../support/eventually';

/** A CRIU in PATH that waits before its work where a test asks for it: looking would miss a short dump. */
export class WaitingCriu {
  private readonly directory: string;

  constructor(root: string) {
    this.directory = join(root, 'waiting-criu');
    mkdirSync(this.directory);
    const program = join(this.directory, 'criu');
    const lines = [
      '#!/bin/sh',
      `cd ${this.directory}`,
      'if [ -e "wait-$1" ]; then : > "waits-$1"; while [ -e "wait-$1" ]; do sleep 0.02; done; fi',
      'cd "$OLDPWD"',
      `exec ${find('criu')} "$@"`,
    ];
    writeFileSync(program, `${lines.join('\n')}\n`);
    chmodSync(program, 0o755);
  }

  /** For the programs that are to find it. */
  get environment(): NodeJS.ProcessEnv {
    return { PATH: `${this.directory}:${process.env.PATH}` };
  }

  /** Calls somebody while the next one of this kind is under way. @returns when that is done */
  async during(action: 'dump' | 'restore', then: () => void | Promise<void>): Promise<void> {
    const [waits, wait] = ['waits', 'wait'].map((name) => join(this.directory, `${name}-${action}`));
    writeFileSync(wait!, '');
    await eventually(() => expect(existsSync(waits!)).toBe(true));
    await then();
    for (const file of [waits!, wait!]) rmSync(file);
  }
}
