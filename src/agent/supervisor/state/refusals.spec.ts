import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFacts, type MachineFacts } from '../../machine/machine-facts';
import { Refusals, REMEMBERED_MS } from './refusals';

const DAMAGED = { cause: 'checkpoint_damaged', message: 'It is damaged.', remedy: 'Take another one.' } as const;

describe('Refusals', () => {
  let stateDir: string;
  let machine: MachineFacts;
  let now: number;
  beforeEach(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'refusals-'));
    machine = await machineFacts('4.2.1');
    now = Date.parse('2026-06-01T10:00:00Z');
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  const refusals = (here: Partial<MachineFacts> = {}) => new Refusals(stateDir, { ...machine, ...here }, () => now);

  it('are remembered over restarts of the agent, with the cause, the remedy and the time', () => {
    const id = randomUUID();
    refusals().note(id, DAMAGED);
    expect(refusals().find(id)).toEqual({
      ...DAMAGED,
      message: 'It is damaged. It was refused at 2026-06-01T10:00:00.000Z, and is not tried again yet.',
    });
    expect(refusals().find(randomUUID())).toBeUndefined();
  });

  it('do not take the place of a failure if they cannot be written', () => {
    writeFileSync(join(stateDir, 'refusals'), '');
    const id = randomUUID();
    expect(() => refusals().note(id, DAMAGED)).not.toThrow();
    rmSync(join(stateDir, 'refusals'));
    expect(refusals().find(id)).toBeUndefined();
  });

  it('end after an hour, and leave nothing behind', () => {
    const [one, other] = [randomUUID(), randomUUID()];
    refusals().note(one, DAMAGED);
    now += REMEMBERED_MS + 1;
    expect(refusals().find(one)).toBeUndefined();
    refusals().note(other, DAMAGED);
    expect(readdirSync(join(stateDir, 'refusals'))).toEqual([`${other}.json`]);
  });

  it('end with the machine that refused: another CRIU may be able to restore', () => {
    const id = randomUUID();
    refusals().note(id, { ...DAMAGED, cause: 'incompatible' });
    expect(refusals({ criu: '4.3.0' }).find(id)).toBeUndefined();
    expect(refusals({ bootId: 'another' }).find(id)).toBeDefined();
  });

  it('are not remembered if the cause can go away', () => {
    const id = randomUUID();
    for (const cause of ['port_taken', 'file_changed', 'memory_missing', 'store_failed'] as const)
      refusals().note(id, { ...DAMAGED, cause });
    expect(refusals().find(id)).toBeUndefined();
  });
});
