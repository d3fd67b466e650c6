import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DumpSlots } from './dump-slots';

describe('The places for dumps', () => {
  let stateDir: string;
  beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'ccp-slots-'))));
  afterEach(() => rmSync(stateDir, { recursive: true }));

  it('are those of one machine, also where machines share a state directory', async () => {
    const held = await new DumpSlots(stateDir, 1, 'n1').take();
    await expect(new DumpSlots(stateDir, 1, 'n1').take(0)).rejects.toMatchObject({ facts: { cause: 'busy' } });
    (await new DumpSlots(stateDir, 1, '../n/2').take(0)).release();
    held.release();
  });
});
