import type { Node } from '../api/nodes';
import { plural } from '../parts/units';
import { countTiles, TileCounts, Tiles, type Tile, type TileLook } from './tiles';

/** What the colour of a tile stands for. */
export type TileMeasure = 'status' | 'compute' | 'capacity';

type Described = Pick<Node, 'id' | 'name' | 'status' | 'compute_type' | 'capacity_type'>;

const valueOf = ({ status, compute_type: compute, capacity_type: capacity }: Described, by: TileMeasure): string =>
  ({ status, compute, capacity: capacity === '' ? 'not reported' : capacity })[by];

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

const tilesOf = (nodes: readonly Described[], by: TileMeasure): readonly Tile[] =>
  nodes.map((node) => {
    const value = valueOf(node, by);
    return { key: node.id, name: node.name, value, look: LOOKS[value] ?? { colour: 'grey' } };
  });

/** A tile for each node. The names are in the list of nodes, which has the same order. */
export function NodeTiles({ nodes, by }: { nodes: readonly Node[]; by: TileMeasure }) {
  const tiles = tilesOf(nodes, by);
  const sentence = countTiles(tiles)
    .map(({ value, count }) => `${plural(count, 'node')} ${value}`)
    .join(', ');
  return <Tiles tiles={tiles} label={sentence || 'No nodes'} />;
}

export const TileLegend = ({ nodes, by }: { nodes: readonly Node[]; by: TileMeasure }) => (
  <TileCounts of={countTiles(tilesOf(nodes, by))} />
);
