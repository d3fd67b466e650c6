import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonFilesIn, readJson, readJsonSync, removeJson, writeJson, writeJsonSync } from './json-file';

const DOCUMENT = { name: 'count', counts: [1, 2], none: null };

describe('A JSON file', () => {
  let directory: string;
  let path: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-json-'));
    path = join(directory, 'made/when/needed.json');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const forms = [
    [
      'at once',
      (document: unknown) => Promise.resolve().then(() => writeJsonSync(path, document)),
      () => Promise.resolve(readJsonSync(path)),
    ],
    ['and waits for it', (document: unknown) => writeJson(path, document), () => readJson(path)],
  ] as const;

  it.each(forms)('has what was written last if one writes it %s, and only its owner may read it', async (...form) => {
    const [, write, read] = form;
    await write({ an: 'older document that is longer than the new one' });
    await write(DOCUMENT);
    expect(await read()).toEqual(DOCUMENT);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(await jsonFilesIn(join(path, '..'))).toEqual([path]);
    expect(existsSync(`${path}.next`)).toBe(false);
  });

  it.each(forms)('is not written through a link if one writes it %s', async (...form) => {
    const [, write] = form;
    await write(DOCUMENT);
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, `${path}.next`);
    await expect(write({ other: true })).rejects.toMatchObject({ code: 'ELOOP' });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it.each(forms)(
    'is not there before it is written, nor after it is removed, for one who reads it %s',
    async (...form) => {
      const [, write, read] = form;
      expect(await read()).toBeUndefined();
      await write(DOCUMENT);
      await removeJson(path);
      await removeJson(path);
      expect(await read()).toBeUndefined();
    },
  );

  it('counts a file that a power failure emptied as missing; only a reader that waits also sets it aside', async () => {
    writeJsonSync(path, DOCUMENT);
    writeFileSync(path, '');
    expect(readJsonSync(path)).toBeUndefined();
    expect(existsSync(path)).toBe(true);
    expect(await readJson(path)).toBeUndefined();
    expect([existsSync(path), existsSync(`${path}.damaged`)]).toEqual([false, true]);
  });
});
