import { v7 } from 'uuid';
import { isNewer, madeAtMs, takenAtMs } from './newer';

const BY_HAND = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const at = (createdAt: string, id = BY_HAND) => ({ id, createdAt });

describe('The newer one of two checkpoints', () => {
  it('follows from the ids of the service, whatever the clocks of their nodes showed', () => {
    const ids = Array.from({ length: 50 }, () => v7());
    const behind = '2020-01-01T00:00:00.000Z';
    const ahead = '2040-01-01T00:00:00.000Z';
    for (const [index, id] of ids.slice(1).entries()) {
      expect(isNewer(at(behind, id), at(ahead, ids[index]))).toBe(true);
      expect(isNewer(at(ahead, ids[index]), at(behind, id))).toBe(false);
    }
  });

  it('follows from the clock of the machine where the service does not know it', () => {
    const id = '01980000-0000-7000-8000-000000000001';
    expect(madeAtMs(id)).toBe(0x01980000_0000);
    expect(madeAtMs(BY_HAND)).toBeUndefined();
    const made = new Date(madeAtMs(id)!);
    const later = new Date(made.getTime() + 1).toISOString();
    expect(isNewer(at(later), at('2020-01-01T00:00:00.000Z', id))).toBe(true);
    expect(isNewer(at(later), at('2040-01-01T00:00:00.000Z', id))).toBe(true);
    expect(takenAtMs(at('no time'))).toBe(0);
  });
});
