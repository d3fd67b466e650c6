import type { Artifact } from '../../api/serving';

/** A line of the tree, in the order in which it is drawn. */
export interface ChainRow {
  readonly artifact: Artifact;
  /** 1 for the root. */
  readonly level: number;
  readonly parent: string | undefined;
  readonly children: readonly string[];
  /** Its place among the children of its parent, from 1, and how many there are. */
  readonly place: number;
  readonly of: number;
  /** A restore of the shown artifact reads it. */
  readonly isInChain: boolean;
}

export interface ChainTree {
  readonly rows: readonly ChainRow[];
  /** The parent of the root that nobody has. */
  readonly missing: string | undefined;
}

const isOlder = (a: Artifact, b: Artifact): number =>
  a.created_at === b.created_at ? (a.artifact_id < b.artifact_id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1;

/**
 * Everything that comes from the oldest ancestor of an artifact, parents before their children.
 * @param ancestry oldest first, the artifact itself last
 * @param others artifacts of the same profile, in any order
 */
export function chainTree(ancestry: readonly Artifact[], others: readonly Artifact[]): ChainTree {
  const [root] = ancestry;
  if (root === undefined) return { rows: [], missing: undefined };
  const chain = new Set(ancestry.map(({ artifact_id: id }) => id));
  const all = new Map([...others, ...ancestry].map((artifact) => [artifact.artifact_id, artifact]));
  const childrenOf = new Map<string, Artifact[]>();
  for (const artifact of [...all.values()].sort(isOlder)) {
    const parent = artifact.parent_artifact_id;
    if (parent !== null) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), artifact]);
  }
  const rows: ChainRow[] = [];
  const seen = new Set<string>();
  const add = (artifact: Artifact, level: number, parent: string | undefined, place: number, of: number): void => {
    const { artifact_id: id } = artifact;
    // A chain never closes, but an answer that does must not hang the page.
    if (seen.has(id)) return;
    seen.add(id);
    const children = childrenOf.get(id) ?? [];
    const ids = children.map(({ artifact_id: child }) => child);
    rows.push({ artifact, level, parent, children: ids, place, of, isInChain: chain.has(id) });
    children.forEach((child, nth) => add(child, level + 1, id, nth + 1, children.length));
  };
  add(root, 1, undefined, 1, 1);
  return { rows, missing: root.parent_artifact_id ?? undefined };
}

/** Rows none of whose ancestors is closed. */
export function visibleRows(rows: readonly ChainRow[], closed: ReadonlySet<string>): readonly ChainRow[] {
  const hidden = new Set<string>();
  return rows.filter(({ artifact: { artifact_id: id }, parent }) => {
    const isHidden = parent !== undefined && (closed.has(parent) || hidden.has(parent));
    if (isHidden) hidden.add(id);
    return !isHidden;
  });
}

/** Where an arrow key leads in a tree: to a row, to an open or closed branch, or nowhere. */
export type Move = { readonly to: string } | { readonly open: string } | { readonly close: string } | undefined;

export function moveOf(key: string, at: string, rows: readonly ChainRow[], closed: ReadonlySet<string>): Move {
  const visible = visibleRows(rows, closed);
  const place = visible.findIndex(({ artifact }) => artifact.artifact_id === at);
  const row = visible[place];
  if (row === undefined) return undefined;
  const to = (target: ChainRow | undefined): Move => target && { to: target.artifact.artifact_id };
  const isOpen = row.children.length > 0 && !closed.has(at);
  switch (key) {
    case 'ArrowDown':
      return to(visible[place + 1]);
    case 'ArrowUp':
      return to(visible[place - 1]);
    case 'Home':
      return to(visible[0]);
    case 'End':
      return to(visible.at(-1));
    case 'ArrowRight':
      if (isOpen) return to(visible[place + 1]);
      return row.children.length > 0 ? { open: at } : undefined;
    case 'ArrowLeft':
      if (isOpen) return { close: at };
      return row.parent === undefined ? undefined : { to: row.parent };
    default:
      return undefined;
  }
}
