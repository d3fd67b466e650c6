import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureLeftIn, leaveFailure } from './termination-message';

describe('the termination message of a container', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'termination-'));
    file = join(directory, 'termination-log');
    writeFileSync(file, '');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([
    ['plain letters', 'x'],
    ['letters of three bytes', '語'],
    ['characters that JSON escapes', '\u0001'],
  ])('fits into what Kubernetes keeps, and can be read, with texts of %s', (_what, character) => {
    const text = character.repeat(5_000);
    leaveFailure({ cause: 'checkpoint_missing', message: text, remedy: text }, file);
    const kept = readFileSync(file).subarray(0, 4_096).toString();
    const { cause, message, remedy } = failureLeftIn(kept)!;
    expect([cause, text.startsWith(message), text.startsWith(remedy!)]).toEqual(['checkpoint_missing', true, true]);
    expect(message.length).toBeGreaterThan(300);
  });

  it('is read as what it may be: anything', () => {
    const read = (document: unknown) => failureLeftIn(JSON.stringify(document));
    expect(read({ failure: { cause: 'made_up', message: 'm', remedy: 7 } })).toEqual({
      cause: 'unclassified',
      message: 'm',
    });
    for (const other of [{}, { failure: null }, { failure: 'm' }, null, 7]) expect(read(other)).toBeUndefined();
    expect(failureLeftIn('Killed')).toBeUndefined();
  });
});
