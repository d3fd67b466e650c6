import { useElementSize } from '@mantine/hooks';
import { duration } from '../parts/units';
import { FEWEST, logDomain, logTicks, stepsOf, type Step } from './distribution';
import { linearScale, logScale } from './scales';
import styles from './distributions.module.css';

/** One of the lines. Its dash is what tells it apart without colour. */
export interface Series {
  readonly name: string;
  readonly kind: 'solid' | 'dashed';
  /** Milliseconds, one each. */
  readonly values: readonly number[];
  /** Milliseconds; undefined: there are too few. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
}

const HEIGHT = 236;
/** Without a line there are no shares to read. */
const LOW_HEIGHT = 84;
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 20, 12, 26];
const PIXELS_PER_TICK = 62;
/** Measurements that are drawn one by one stand above the axis, each kind in a row of its own. */
const SINGLES_GAP = 16;
/** Room for the words beside a mark. */
const LABEL = 84;
const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** Distributions on one logarithmic axis: the further left a line is, the faster. @param label says it all */
export function Distributions({ series, label }: { series: readonly Series[]; label: string }) {
  const { ref, width } = useElementSize();
  const domain = logDomain(
    series.flatMap(({ values, p50, p95 }) => [...values, ...[p50, p95].filter((one) => one !== undefined)]),
  );
  const x = logScale(domain[0], domain[1], LEFT, Math.max(width - RIGHT, LEFT + 1));
  const hasLine = series.some(({ values }) => values.length >= FEWEST);
  const height = hasLine ? HEIGHT : LOW_HEIGHT;
  const y = linearScale(1, height - BOTTOM, TOP);
  return (
    <div className={styles.chart}>
      {/* Its width is that of the content, without the padding. */}
      <div ref={ref} />
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          {(hasLine ? SHARES : [0]).map((share) => (
            <g key={share} transform={`translate(0 ${y(share)})`} aria-hidden="true">
              <line className={styles.grid} x1={LEFT} x2={width - RIGHT} />
              <text className={styles.share} x={LEFT - 6} dy="0.32em">
                {hasLine && `${share * 100} %`}
              </text>
            </g>
          ))}
          {logTicks(domain, Math.max(2, Math.floor(width / PIXELS_PER_TICK))).map((tick) => (
            <g key={tick} transform={`translate(${x(tick)} ${height - BOTTOM})`} aria-hidden="true">
              <line className={styles.tick} y2={4} />
              <text className={styles.label} y={17}>
                {axisLabel(tick)}
              </text>
            </g>
          ))}
          {series.map((one, place) => (
            <Line
              key={one.name}
              series={one}
              x={x}
              y={y}
              right={width - RIGHT}
              singlesAt={height - BOTTOM - SINGLES_GAP * (place + 1)}
            />
          ))}
        </svg>
      )}
    </div>
  );
}

/** Round values need no decimals. */
const axisLabel = (ms: number): string => duration(ms * 1e6).replace(/\.0+(?= )/, '');

type Scale = (value: number) => number;

interface LineProps {
  readonly series: Series;
  readonly x: Scale;
  readonly y: Scale;
  /** The end of the axis. */
  readonly right: number;
  /** Height of measurements that are too few for a line. */
  readonly singlesAt: number;
}

function Line({ series, x, y, right, singlesAt }: LineProps) {
  const { values, kind, name, p50, p95 } = series;
  if (values.length < FEWEST)
    return (
      <>
        {values.map((ms, nth) => (
          <rect
            key={nth}
            className={styles.single}
            data-kind={kind}
            x={x(Math.max(ms, 1)) - 4}
            y={singlesAt - 4}
            width={8}
            height={8}
          >
            <title>{`${name}: ${duration(ms * 1e6)}`}</title>
          </rect>
        ))}
      </>
    );
  const steps = stepsOf(values);
  return (
    <>
      <path className={styles.line} data-kind={kind} d={pathOf(steps, x, y)} />
      {[['p50', p50, 0.5] as const, ['p95', p95, 0.95] as const].map(
        ([word, ms, share]) =>
          ms !== undefined && (
            <g key={word}>
              <circle className={styles.mark} data-kind={kind} cx={x(Math.max(ms, 1))} cy={y(share)} r={4.5}>
                <title>{`${name}, ${word}: ${duration(ms * 1e6)}`}</title>
              </circle>
              <text
                className={styles.markLabel}
                // Beside the mark where there is room: left of it at the end of the axis.
                textAnchor={x(ms) > right - LABEL ? 'end' : 'start'}
                x={x(Math.max(ms, 1)) + (x(ms) > right - LABEL ? -8 : 8)}
                y={y(share) + 14}
                aria-hidden="true"
              >
                {word} {duration(ms * 1e6)}
              </text>
            </g>
          ),
      )}
    </>
  );
}

/** Steps: nothing lies between two measurements. */
function pathOf(steps: readonly Step[], x: Scale, y: Scale): string {
  const [first] = steps;
  if (first === undefined) return '';
  return `M${x(first.at)} ${y(0)}${steps.map(({ at, share }) => `H${x(at)}V${y(share)}`).join('')}`;
}
