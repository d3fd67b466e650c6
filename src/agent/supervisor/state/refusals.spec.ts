import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineFacts, type MachineFacts } from '../../machine/machine-facts';
import { Refusals, REMEMBERED_MS } from './refusals';

const DAMAGED = { cause: 'checkpoint_damaged', message: 'It is damaged.', remedy: 'Take another one.' } as const;

const checkpoint = (id: string = randomUUID()) => ({ id, reference: `/store/checkpoints/${id}` });

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
    const one = checkpoint();
    refusals().note(one, DAMAGED);
    expect(refusals().find(one)).toEqual({
      ...DAMAGED,
      message: 'It is damaged. It was refused at 2026-06-01T10:00:00.000Z, and is not tried again yet.',
    });
    expect(refusals().find(checkpoint())).toBeUndefined();
  });

  it('concern one store if its images are damaged, and every store otherwise', () => {
    const copy = checkpoint();
    const original = { ...copy, reference: `service:${copy.id}` };
    refusals().note(copy, DAMAGED);
    expect([refusals().find(copy), refusals().find(original)]).toEqual([expect.anything(), undefined]);
    refusals().note(copy, { ...DAMAGED, cause: 'cpu_features' });
    expect([refusals().find(copy), refusals().find(original)]).not.toContain(undefined);
  });

  it('do not take the place of a failure if they cannot be written', () => {
    writeFileSync(join(stateDir, 'refusals'), '');
    const one = checkpoint();
    expect(() => refusals().note(one, DAMAGED)).not.toThrow();
    rmSync(join(stateDir, 'refusals'));
    expect(refusals().find(one)).toBeUndefined();
  });

  it('end if the clock was ahead when they were noted', () => {
    const one = checkpoint();
    refusals().note(one, DAMAGED);
    now -= 1;
    expect(refusals().find(one)).toBeUndefined();
  });

  it('end after an hour, and leave nothing behind', () => {
    const [one, other] = [checkpoint(), checkpoint()];
    refusals().note(one, DAMAGED);
    now += REMEMBERED_MS + 1;
    expect(refusals().find(one)).toBeUndefined();
    refusals().note(other, DAMAGED);
    expect(readdirSync(join(stateDir, 'refusals'))).toEqual([`${other.id}.json`]);
  });

  it('end with the machine that refused: another CRIU may be able to restore', () => {
    const one = checkpoint();
    refusals().note(one, { ...DAMAGED, cause: 'incompatible' });
    expect(refusals({ criu: '4.3.0' }).find(one)).toBeUndefined();
    expect(refusals({ bootId: 'another' }).find(one)).toBeDefined();
  });

  it('are not remembered if the cause can go away', () => {
    const one = checkpoint();
    for (const cause of ['port_taken', 'file_changed', 'memory_missing', 'store_failed'] as const)
      refusals().note(one, { ...DAMAGED, cause });
    expect(refusals().find(one)).toBeUndefined();
  });
});
