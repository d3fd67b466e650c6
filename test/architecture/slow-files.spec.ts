import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfOtherTurns, SECONDS, TURNS } from '../jest/slow-files.cjs';

const SLOW = Object.keys(SECONDS);
const turns = Array.from({ length: TURNS }, (_, place) => {
  const others = new Set(filesOfOtherTurns(String(place + 1)));
  return SLOW.filter((file) => !others.has(file));
});

describe('slow spec files', () => {
  it('exist, each of them', () => {
    expect(SLOW.filter((file) => !existsSync(join(__dirname, '../..', file)))).toEqual([]);
  });

  it('run in one turn each, and all of them where nobody chooses a turn', () => {
    expect(turns.flat().sort()).toEqual([...SLOW].sort());
    expect(filesOfOtherTurns('all')).toEqual([]);
  });

  it('take about as long in every turn', () => {
    const sums = turns.map((files) => files.reduce((sum, file) => sum + (SECONDS[file] ?? 0), 0));
    expect(Math.max(...sums) - Math.min(...sums)).toBeLessThan(Math.max(...Object.values(SECONDS)));
  });

  it.each(['0', String(TURNS + 1), '1.5', ''])('have no turn %j', (turn) => {
    expect(() => filesOfOtherTurns(turn)).toThrow(`TEST_TURN must be a number up to ${TURNS}, or all`);
  });
});
