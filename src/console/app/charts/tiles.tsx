import styles from './tiles.module.css';

/** One square of a map. */
export interface Tile {
  readonly key: string;
  /** What it is: shown to the pointer. */
  readonly name: string;
  /** What its colour stands for, in words. */
  readonly value: string;
  readonly look: TileLook;
}

/** How tiles of one value look. Colour is never alone: there is a mark, or a level of filling. */
export interface TileLook {
  readonly colour: 'good' | 'bad' | 'busy' | 'warn' | 'grey';
  readonly mark?: string;
  /** How full the square is, in quarters; undefined: it has no level. */
  readonly quarters?: 0 | 1 | 2 | 3 | 4;
}

const Square = ({ look: { colour, mark, quarters }, title }: { look: TileLook; title?: string }) => (
  <span
    className={styles.tile}
    data-colour={colour}
    data-quarters={quarters}
    title={title}
    aria-hidden={title === undefined || undefined}
  >
    {mark}
  </span>
);

/** Many squares. @param label says what they show together */
export const Tiles = ({ tiles, label }: { tiles: readonly Tile[]; label: string }) => (
  <div className={styles.tiles} role="img" aria-label={label} data-wide={tiles.length > 40 || undefined}>
    {tiles.map(({ key, name, value, look }) => (
      <Square key={key} look={look} title={`${name}: ${value}`} />
    ))}
  </div>
);

/** Of each value: how many, and how they look. */
export interface TileCount {
  readonly value: string;
  readonly count: number;
  readonly look: TileLook;
}

/** The most frequent value first. */
export function countTiles(tiles: readonly Omit<Tile, 'key' | 'name'>[]): readonly TileCount[] {
  const counts = new Map<string, TileCount>();
  for (const { value, look } of tiles) counts.set(value, { value, look, count: (counts.get(value)?.count ?? 0) + 1 });
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

export const TileCounts = ({ of }: { of: readonly TileCount[] }) => (
  <ul className={styles.legend}>
    {of.map(({ value, count, look }) => (
      <li key={value}>
        <Square look={look} />
        {value}: {count}
      </li>
    ))}
  </ul>
);
