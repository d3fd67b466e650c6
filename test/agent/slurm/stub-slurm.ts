import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Programs of Slurm that print what a test says, first in PATH until it is removed. */
export class StubSlurm {
  private readonly directory = mkdtempSync(join(tmpdir(), 'ccp-slurm-'));
  private readonly path = process.env.PATH;
  /** By program, then by what it was asked: the end of its script. */
  private readonly answers = new Map<string, Map<string, string>>();
  private files = 0;

  constructor() {
    process.env.PATH = `${this.directory}:${this.path}`;
  }

  /** @param asked its arguments, for one of several answers; all else it refuses */
  prints(program: string, asked: string, text: string): void {
    this.answer(program, asked, (file) => {
      writeFileSync(file, text);
      return `exec cat ${file}`;
    });
  }

  /** @param error what it prints as it fails */
  fails(program: string, asked: string, error: string): void {
    this.answer(program, asked, () => `{ echo '${error}' >&2; exit 1; }`);
  }

  private answer(program: string, asked: string, end: (file: string) => string): void {
    const answers = this.answers.get(program) ?? new Map<string, string>();
    const file = join(this.directory, program);
    this.answers.set(program, answers.set(asked, end(`${file}.${this.files++}`)));
    const known = [...answers].map(([question, answer]) => `[ "$*" = '${question}' ] && ${answer}`);
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
