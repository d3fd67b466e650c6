import { useElementSize } from '@mantine/hooks';
import { memo, useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { timeScale } from '../../../charts/scales';
import { TimeAxis } from '../../../charts/time-axis';
import {
  beginOf,
  cellWords,
  keyOf,
  LEVELS,
  levelOf,
  moved,
  nameOf,
  percent,
  spansOf,
  type HeatMap,
  type HeatRow,
  type Layer,
  type Place,
} from './heat-rows';
import styles from './heat-map.module.css';

interface HeatMapProps {
  readonly map: HeatMap;
  readonly layer: Layer;
  readonly label: string;
  /** The chosen cell. */
  readonly chosen: Place | undefined;
  readonly choose: (place: Place) => void;
  /** The name of a row, and where it leads. */
  readonly rowHeader: (row: HeatRow) => ReactNode;
}

/** In pixels. Narrower, cells could not be aimed at: there, each row is a card with its figures. */
const NARROW = 640;
const NAMES = 152;

export function HeatMapPicture(props: HeatMapProps) {
  const { ref, width } = useElementSize();
  return (
    <div className={styles.picture}>
      {/* Without the padding around it, which its width would include. */}
      <div ref={ref}>{width > 0 && (width < NARROW ? <Cards {...props} /> : <Grid {...props} width={width} />)}</div>
      <Legend />
    </div>
  );
}

/** One stop of the Tab key; the arrow keys move from cell to cell, and Enter chooses one. */
function Grid({ map, layer, label, chosen, choose, rowHeader, width }: HeatMapProps & { width: number }) {
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>(chosen ?? { row: 0, bin: map.bins - 1 });
  const place = { row: Math.min(active.row, map.rows.length - 1), bin: Math.min(active.bin, map.bins - 1) };
  const focused = useRef(false);
  useEffect(() => {
    if (focused.current) grid.current?.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
    focused.current = false;
  });
  const activate = (next: Place) => setActive((is) => (is.row === next.row && is.bin === next.bin ? is : next));
  const spans = useMemo(() => spansOf(map), [map]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // A link in the header of a row keeps its keys.
    if ((event.target as HTMLElement).getAttribute('role') !== 'gridcell') return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      choose(place);
      return;
    }
    const next = moved(place, event.key, map.rows.length, map.bins);
    if (next === undefined) return;
    event.preventDefault();
    focused.current = true;
    setActive(next);
  };
  const from = beginOf(map, 0);
  const x = timeScale(from, beginOf(map, map.bins), NAMES, Math.max(width, NAMES + 1));
  return (
    <>
      <div
        ref={grid}
        role="grid"
        aria-label={label}
        aria-rowcount={map.rows.length}
        aria-colcount={map.bins + 1}
        className={styles.grid}
        style={{ '--bins': map.bins, '--names': `${NAMES}px` }}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const clicked = cellAt(event.target);
          if (clicked === undefined) return;
          activate(clicked);
          choose(clicked);
        }}
        // The arrow keys lead on from there.
        onFocus={(event) => {
          const entered = cellAt(event.target);
          if (entered) activate(entered);
        }}
      >
        {map.rows.map((row, nth) => (
          <div key={keyOf(row)} role="row" className={styles.row}>
            <div role="rowheader" className={styles.name}>
              {rowHeader(row)}
            </div>
            <Cells
              map={map}
              spans={spans}
              row={row}
              nth={nth}
              layer={layer}
              active={place.row === nth ? place.bin : undefined}
              chosen={chosen?.row === nth ? chosen.bin : undefined}
            />
          </div>
        ))}
      </div>
      <svg width={width} height={24} className={styles.axis}>
        <TimeAxis scale={x} top={2} />
      </svg>
    </>
  );
}

function cellAt(element: EventTarget): Place | undefined {
  const { row, bin } = (element as HTMLElement).dataset;
  return row === undefined || bin === undefined ? undefined : { row: Number(row), bin: Number(bin) };
}

interface CellsProps {
  readonly map: HeatMap;
  /** The time of each bin, in words. */
  readonly spans: readonly string[];
  readonly row: HeatRow;
  readonly nth: number;
  readonly layer: Layer;
  readonly active: number | undefined;
  readonly chosen: number | undefined;
}

/** Moving in one row does not render the others again. */
const Cells = memo(function Cells({ map, spans, row, nth, layer, active, chosen }: CellsProps) {
  const words = useMemo(() => spans.map((span, bin) => cellWords(map, row, bin, span)), [map, spans, row]);
  return row[layer].map((value, bin) => (
    <div
      key={bin}
      role="gridcell"
      tabIndex={active === bin ? 0 : -1}
      aria-label={words[bin]}
      aria-selected={chosen === bin}
      title={words[bin]}
      data-row={nth}
      data-bin={bin}
      data-level={levelOf(value) ?? 'missing'}
      className={styles.cell}
    />
  ));
});

/** The same for a narrow screen: words for each row, and its colours as a strip. */
const Cards = ({ map, layer, rowHeader }: HeatMapProps) => (
  <ul className={styles.cards}>
    {map.rows.map((row) => {
      const known = row[layer].filter((value) => value !== null);
      const missing = map.bins - known.length;
      const mean = known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
      const words = `latest cell ${percent(row[layer].at(-1))}, mean ${percent(mean)}`;
      return (
        <li key={keyOf(row)}>
          <span className={styles.cardName}>{rowHeader(row)}</span>
          <span className={styles.cardWords}>{words}</span>
          <span
            role="img"
            aria-label={`${nameOf(row)}: ${words}${missing > 0 ? `, ${missing} of ${map.bins} cells not reported` : ''}`}
            className={styles.strip}
          >
            {row[layer].map((value, bin) => (
              <span key={bin} className={styles.cell} data-level={levelOf(value) ?? 'missing'} />
            ))}
          </span>
        </li>
      );
    })}
  </ul>
);

const Legend = () => (
  <ul className={styles.legend} aria-label="Colours">
    {LEVELS.map(({ words }, level) => (
      <li key={words}>
        <span className={styles.sample} data-level={level} aria-hidden="true" />
        {words}
      </li>
    ))}
    <li>
      <span className={styles.sample} data-level="missing" aria-hidden="true" />
      not reported
    </li>
  </ul>
);
