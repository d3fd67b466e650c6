import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of Slurm that print what a test says, first in PATH until it is removed. */
export class StubSlurm {
  private readonly directory = mkdtempSync(join(tmpdir(), 'ccp-slurm-'));
  private readonly path = process.env.PATH;
  /** By program, then by what it was asked. */
  private readonly answers = new Map<string, Map<string, string>>();

  constructor() {
    process.env.PATH = `${this.directory}:${this.path}`;
  }

  /** @param asked its arguments, for one of several answers; all else it refuses */
  prints(program: string, asked: string, text: string): void {
    const answers = this.answers.get(program) ?? new Map<string, string>();
    this.answers.set(program, answers.set(asked, text));
    const file = join(this.directory, program);
    const known = [...answers].map(([question, answer], at) => {
      writeFileSync(`${file}.${at}`, answer);
      return `[ "$*" = '${question}' ] && exec cat "$0.${at}"`;
    });
    const script = ['#!/bin/sh', ...known, `printf '%s\\n' "$*" >>"$0.asked"`, 'exit 1'].join('\n');
    writeFileSync(file, `${script}\n`, { mode: 0o700 });
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
