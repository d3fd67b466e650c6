import type { Node } from '../api/nodes';
import { plural } from '../parts/units';
import styles from './node-tiles.module.css';

/** What the colour of a tile stands for. */
export type TileMeasure = 'status' | 'compute' | 'capacity';

type Described = Pick<Node, 'status' | 'compute_type' | 'capacity_type'>;

const valueOf = ({ status, compute_type: compute, capacity_type: capacity }: Described, by: TileMeasure): string =>
  ({ status, compute, capacity: capacity === '' ? 'not reported' : capacity })[by];

/** Colours of values; other values are grey. Troubled nodes also have a mark. */
const COLOURS: Readonly<Record<string, string>> = {
  Ready: 'good',
  NotReady: 'bad',
  Unknown: 'bad',
  gpu: 'busy',
  cpu: 'grey',
  'on-demand': 'busy',
  spot: 'warn',
};

const colourOf = (value: string): string => COLOURS[value] ?? 'grey';

/** A tile for each node. The names are in the list of nodes, which has the same order. */
export const NodeTiles = ({ nodes, by }: { nodes: readonly Node[]; by: TileMeasure }) => (
  <div
    className={styles.tiles}
    role="img"
    aria-label={nodes.length === 0 ? 'No nodes' : sentenceOf(nodes, by)}
    data-wide={nodes.length > 40 || undefined}
  >
    {nodes.map((node) => {
      const value = valueOf(node, by);
      return (
        <span key={node.id} className={styles.tile} data-colour={colourOf(value)} title={`${node.name}: ${value}`}>
          {colourOf(value) === 'bad' && '!'}
        </span>
      );
    })}
  </div>
);

function countsOf(nodes: readonly Described[], by: TileMeasure): [value: string, count: number][] {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(valueOf(node, by), (counts.get(valueOf(node, by)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

const sentenceOf = (nodes: readonly Described[], by: TileMeasure): string =>
  countsOf(nodes, by)
    .map(([value, count]) => `${plural(count, 'node')} ${value}`)
    .join(', ');

export const TileLegend = ({ nodes, by }: { nodes: readonly Node[]; by: TileMeasure }) => (
  <ul className={styles.legend}>
    {countsOf(nodes, by).map(([value, count]) => (
      <li key={value}>
        <span className={styles.tile} data-colour={colourOf(value)} aria-hidden="true">
          {colourOf(value) === 'bad' && '!'}
        </span>
        {value}: {count}
      </li>
    ))}
  </ul>
);
