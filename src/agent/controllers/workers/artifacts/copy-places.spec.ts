import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryStore } from '../../../store/directory-store';
import type { StoreKey } from '../../../store/store-key';
import { CopyPlaces } from './copy-places';

describe('The places of copies', () => {
  let state: string;
  let memory: string;

  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'ccp-copies-'));
    memory = mkdtempSync('/dev/shm/ccp-copies-');
  });
  afterEach(() => {
    for (const directory of [state, memory]) rmSync(directory, { recursive: true });
  });

  const [before, after] = [() => new CopyPlaces(state, 'one boot'), () => new CopyPlaces(state, 'the next boot')];

  it('are known until they are forgotten, also after a reboot', async () => {
    await before().keep('a', '61267:1:1');
    expect([await after().of('a'), await after().of('b')]).toEqual(['61267:1:1', undefined]);
    await after().forget('a');
    expect(await before().of('a')).toBeUndefined();
  });

  it('end with the boot if they are in memory', async () => {
    await mkdir(join(memory, 'checkpoints'));
    const place = await new DirectoryStore({ directory: memory, key: {} as StoreKey }).place();
    await before().keep('a', place);
    expect([await before().of('a'), await after().of('a')]).toEqual([place, undefined]);
    await after().keep('a', place);
    expect(await after().of('a')).toBe(place);
  });

  it('move with the copy of an artifact, if one is known', async () => {
    await before().keep('a', '61267:1:1');
    for (const id of ['a', 'b']) await before().move(id, '61267:2:2');
    expect([await before().of('a'), await before().of('b')]).toEqual(['61267:2:2', undefined]);
  });
});
