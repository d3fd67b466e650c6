import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEFTOVER_MS } from '../../../src/agent/store/checkpoint-store';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { KEY, listed, refusal } from '../../support/checkpoint-stores';

const PROGRAM = join(__dirname, 'publish-and-die.ts');
/** More calls than a publication needs. */
const MOST_CALLS = 60;

describe('an agent that is killed while it publishes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ccp-killed-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('leaves nothing that is offered, before whichever step it is killed', async () => {
    let killed = 0;
    for (let nth = 1; nth <= MOST_CALLS; nth++) {
      const root = join(directory, String(nth));
      const store = new DirectoryStore({ directory: root, key: KEY });
      const id = randomUUID();
      const reference = join(root, 'checkpoints', id);
      const { signal, status, stderr } = spawnSync(
        process.execPath,
        ['--import', 'tsx', PROGRAM, root, id, String(nth)],
        { encoding: 'utf8' },
      );
      const offered = await listed(store);
      // Only steps after the manifest is in its place leave a checkpoint, and it is whole.
      if (offered.length > 0) await (await store.open(reference)).release();
      else expect((await refusal(store.open(reference)))[0]).toBe('checkpoint_missing');
      if (signal === null) {
        expect([nth, status, stderr, offered]).toEqual([nth, 0, '', [id]]);
        break;
      }
      expect(signal).toBe('SIGKILL');
      killed++;
      const later = new DirectoryStore({ directory: root, key: KEY, now: () => Date.now() + LEFTOVER_MS + 60_000 });
      await later.removeLeftovers();
      for (const folder of ['staging', 'checkpoints'])
        expect(await readdir(join(root, folder)).catch(() => [])).toEqual(folder === 'checkpoints' ? offered : []);
      // The next agent may take the same checkpoint again.
      if (offered.length > 0) continue;
      const draft = await store.begin(id);
      await draft.discard();
    }
    expect(killed).toBeGreaterThan(25);
    expect(killed).toBeLessThan(MOST_CALLS);
  });
});
