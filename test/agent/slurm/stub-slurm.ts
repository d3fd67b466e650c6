import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of Slurm that print what a test says, first in PATH until it is removed. */
export class StubSlurm {
  private readonly directory = mkdtempSync(join(tmpdir(), 'ccp-slurm-'));
  private readonly path = process.env.PATH;

  constructor() {
    process.env.PATH = `${this.directory}:${this.path}`;
  }

  /** @param asked its arguments; to others it refuses to answer */
  prints(program: string, asked: string, text: string): void {
    writeFileSync(join(this.directory, `${program}.out`), text);
    const file = join(this.directory, program);
    const answer = `[ "$*" = "${asked}" ] && exec cat "$0.out"`;
    writeFileSync(file, `#!/bin/sh\n${answer}\nprintf '%s\\n' "$*" >>"$0.asked"\nexit 1\n`, { mode: 0o700 });
  }

  /** What a program was asked beside that. */
  refused(program: string): string[] {
    const file = join(this.directory, `${program}.asked`);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  remove(): void {
    process.env.PATH = this.path;
    rmSync(this.directory, { recursive: true });
  }
}
