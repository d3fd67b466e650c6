import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestJournal, type Asked } from './request-journal';

interface Wish extends Asked {
  readonly target?: string;
}

const WISH: Wish = { kind: 'restore', actionId: '01980000-0000-7000-8000-000000000001', eventId: 7 };

describe('The journal of requests', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'journal-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const journal = () => new RequestJournal<Wish>(directory);
  const notes = () => join(directory, 'requests', `${WISH.actionId}.json.notes`);
  const noted = async () => {
    await journal().add(WISH);
    await journal().note({ ...WISH, target: 'count' });
  };

  it('gives the next process what was noted, and what was kept after that', async () => {
    await noted();
    expect(await journal().open()).toEqual([{ ...WISH, target: 'count' }]);
    await journal().keep({ ...WISH, target: 'train' });
    expect(await journal().find(WISH)).toEqual({ ...WISH, target: 'train' });
    await journal().note({ ...WISH, target: 'count' });
    expect(await journal().find(WISH)).toEqual({ ...WISH, target: 'count' });
  });

  it.each<[string, (text: string) => string]>([
    ['left a part of the notes', (text) => text.slice(0, -20)],
    ['left nothing of the notes', () => ''],
    ['brought old notes back', (text) => text.replace(/"bootId": "[^"]*"/, '"bootId": "the one before"')],
  ])('still has a request after a power failure that %s', async (_what, cut) => {
    await noted();
    writeFileSync(notes(), cut(readFileSync(notes(), 'utf8')));
    expect(await journal().open()).toEqual([WISH]);
    expect(await journal().find(WISH)).toEqual(WISH);
  });

  it('leaves nothing of a request that is done', async () => {
    await noted();
    await journal().done(WISH);
    expect(await journal().open()).toEqual([]);
    expect(readdirSync(join(directory, 'requests'))).toEqual([]);
  });
});
