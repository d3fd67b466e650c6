import type { Artifact } from '../../api/serving';
import { chainTree, moveOf, visibleRows } from './chain-tree';

const artifact = (id: string, parent: string | null = null): Artifact =>
  ({ artifact_id: id, parent_artifact_id: parent, created_at: `2026-01-01T00:00:0${id.length}Z` }) as Artifact;

/** root ─ a ─ aa, root ─ b; `x` is another chain. */
const ROOT = artifact('root');
const [A, B, AA, X] = [artifact('a', 'root'), artifact('b', 'root'), artifact('aa', 'a'), artifact('x')];
const { rows, missing } = chainTree([ROOT, A, AA], [X, AA, B, A, ROOT]);
const ids = (some: typeof rows) => some.map((row) => row.artifact.artifact_id);

describe('the chain of an artifact', () => {
  it('begins at its oldest ancestor, has parents before their children, and leaves out other chains', () => {
    expect(rows.map((row) => [row.artifact.artifact_id, row.level, row.place, row.of])).toEqual([
      ['root', 1, 1, 1],
      ['a', 2, 1, 2],
      ['aa', 3, 1, 1],
      ['b', 2, 2, 2],
    ]);
    expect(missing).toBeUndefined();
  });

  it('marks what a restore of the artifact reads', () => {
    expect(rows.filter(({ isInChain }) => !isInChain).map((row) => row.artifact.artifact_id)).toEqual(['b']);
  });

  it('names a parent that is missing', () => {
    expect(chainTree([artifact('a', 'gone')], []).missing).toBe('gone');
    expect(chainTree([], []).rows).toEqual([]);
  });

  it('ends even if an answer closes the chain', () => {
    expect(chainTree([artifact('p', 'q'), artifact('q', 'p')], []).rows).toHaveLength(2);
  });

  it('hides everything below a closed branch', () => {
    expect(ids(visibleRows(rows, new Set(['a'])))).toEqual(['root', 'a', 'b']);
    expect(ids(visibleRows(rows, new Set(['root'])))).toEqual(['root']);
  });
});

describe('the arrow keys', () => {
  const move = (key: string, at: string, closed: readonly string[] = []) => moveOf(key, at, rows, new Set(closed));

  it('go up and down through what is visible', () => {
    expect(move('ArrowDown', 'a')).toEqual({ to: 'aa' });
    expect(move('ArrowDown', 'a', ['a'])).toEqual({ to: 'b' });
    expect(move('ArrowUp', 'root')).toBeUndefined();
    expect([move('Home', 'b'), move('End', 'root')]).toEqual([{ to: 'root' }, { to: 'b' }]);
  });

  it('open and close branches, and lead to the parent', () => {
    expect(move('ArrowLeft', 'a')).toEqual({ close: 'a' });
    expect(move('ArrowLeft', 'a', ['a'])).toEqual({ to: 'root' });
    expect(move('ArrowRight', 'a', ['a'])).toEqual({ open: 'a' });
    expect(move('ArrowRight', 'a')).toEqual({ to: 'aa' });
    expect([move('ArrowRight', 'aa'), move('Enter', 'a')]).toEqual([undefined, undefined]);
  });
});
