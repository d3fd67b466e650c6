import type { Node, NodeCount, NodeMeasure } from '../api/nodes';
import { count, plural } from '../parts/units';
import { countTiles, TileCounts, Tiles, type Tile, type TileLook } from './tiles';

/** What the colour of a tile stands for. */
export type TileMeasure = 'status' | 'compute' | 'capacity';

/** The member of a node that it is. */
export const MEMBER_OF = {
  status: 'status',
  compute: 'compute_type',
  capacity: 'capacity_type',
} as const satisfies Readonly<Record<TileMeasure, NodeMeasure>>;

const wordOf = (value: string): string => (value === '' ? 'not reported' : value);

const TROUBLE: TileLook = { colour: 'bad', mark: '!' };

/** Other values are grey. */
const LOOKS: Readonly<Record<string, TileLook>> = {
  Ready: { colour: 'good' },
  NotReady: TROUBLE,
  Unknown: TROUBLE,
  gpu: { colour: 'busy' },
  cpu: { colour: 'grey' },
  'on-demand': { colour: 'busy' },
  spot: { colour: 'warn' },
};

const lookOf = (word: string): TileLook => LOOKS[word] ?? { colour: 'grey' };

const tilesOf = (nodes: readonly Node[], by: TileMeasure): readonly Tile[] =>
  nodes.map((node) => {
    const value = wordOf(node[MEMBER_OF[by]]);
    return { key: node.id, name: node.name, value, look: lookOf(value) };
  });

/** A tile for each node. The names are in the list of nodes, which has the same order. */
export function NodeTiles({ nodes, by }: { nodes: readonly Node[]; by: TileMeasure }) {
  const tiles = tilesOf(nodes, by);
  const sentence = countTiles(tiles)
    .map((one) => `${plural(one.count, 'node')} ${one.value}`)
    .join(', ');
  return <Tiles tiles={tiles} label={sentence || 'No nodes'} />;
}

/** A node that appeared since they were counted is drawn too. */
export const drawnOf = (drawn: number, all: number): string =>
  drawn < all ? `${count(drawn)} of ${plural(all, 'node')} drawn` : plural(drawn, 'node');

export const nodesIn = (counts: readonly Pick<NodeCount, 'count'>[]): number =>
  counts.reduce((sum, one) => sum + one.count, 0);

/** Of all nodes, whether they are drawn or not. The most frequent value is the first. */
export function TileLegend({ counts }: { counts: readonly Pick<NodeCount, 'value' | 'count'>[] }) {
  const totals = new Map<string, number>();
  for (const one of counts) totals.set(wordOf(one.value), (totals.get(wordOf(one.value)) ?? 0) + one.count);
  const ordered = [...totals].sort(([, one], [, other]) => other - one);
  return <TileCounts of={ordered.map(([value, total]) => ({ value, count: total, look: lookOf(value) }))} />;
}
