import { useElementSize } from '@mantine/hooks';
import { linearScale, timeScale } from '../../../charts/scales';
import { TimeAxis } from '../../../charts/time-axis';
import { now } from '../../../parts/time/clock';
import type { Point } from '../slurm-queries';
import { boundsOf, extentOf, pathOf, segmentsOf } from './line-path';
import styles from '../slurm.module.css';

export interface NamedLine {
  readonly name: string;
  readonly points: readonly Point[];
}

const HEIGHT = 132;
const [LEFT, RIGHT, TOP, BOTTOM] = [58, 8, 8, 22];
const DAY_MS = 86_400_000;

interface LoadLineProps {
  readonly title: string;
  readonly lines: readonly NamedLine[];
  readonly format: (value: number) => string;
}

/** A small chart of the last 24 hours. The second line is dashed. */
export function LoadLine({ title, lines, format }: LoadLineProps) {
  const { ref, width } = useElementSize();
  const values = lines.flatMap(({ points }) => points.map(({ value }) => value));
  const [least, most] = boundsOf(values);
  const end = now();
  const x = timeScale(end - DAY_MS, end, LEFT, Math.max(width - RIGHT, LEFT + 1));
  const y = linearScale(most - least, HEIGHT - BOTTOM, TOP);
  const at = (value: number): number => y(value - least);
  const ticks = [least, ...(least < 0 ? [0] : []), (least + most) / 2, most];
  return (
    <div className={styles.chart}>
      <h3>
        {title}
        {lines.map(({ name, points }, nth) => (
          <span key={name} className={styles.quiet}>
            <span className={styles.sample} data-nth={nth} aria-hidden="true" />
            {lines.length > 1 && `${name} `}
            {latestOf(points, format)}
          </span>
        ))}
      </h3>
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={HEIGHT} role="img" aria-label={sentenceOf(title, lines, format)}>
            {ticks.map((tick) => (
              <g key={tick} transform={`translate(0 ${at(tick)})`} aria-hidden="true">
                <line className={styles.grid} x1={LEFT} x2={width - RIGHT} />
                <text className={styles.axis} x={LEFT - 6} dy="0.32em">
                  {format(tick)}
                </text>
              </g>
            ))}
            <TimeAxis scale={x} top={HEIGHT - BOTTOM} />
            {lines.map(({ name, points }, nth) =>
              segmentsOf(points).map((segment) => {
                const [first] = segment;
                if (first === undefined) return null;
                const key = `${name} ${first.timestamp}`;
                const atTime = (seconds: number): number => x(seconds * 1_000);
                // A point by itself has no line.
                return segment.length === 1 ? (
                  <circle
                    key={key}
                    className={styles.single}
                    data-nth={nth}
                    cx={atTime(first.timestamp)}
                    cy={at(first.value)}
                    r={2}
                  />
                ) : (
                  <path key={key} className={styles.line} data-nth={nth} d={pathOf(segment, atTime, at)} />
                );
              }),
            )}
          </svg>
        )}
      </div>
    </div>
  );
}

type Format = (value: number) => string;

const latestOf = (points: readonly Point[], format: Format): string => {
  const latest = points.at(-1);
  return latest === undefined ? 'not reported' : `latest ${format(latest.value)}`;
};

const sentenceOf = (title: string, lines: readonly NamedLine[], format: Format): string =>
  `${title}, last 24 hours. ${lines
    .map(({ name, points }) => {
      const [least, most] = extentOf(points.map(({ value }) => value));
      if (points.length === 0) return `${name}: not reported`;
      return `${name}: ${latestOf(points, format)}, between ${format(least)} and ${format(most)}`;
    })
    .join('; ')}`;
