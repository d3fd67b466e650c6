import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './time-lines.module.css';

/** The only file that knows the library of time series. */

export interface TimeLine {
  readonly name: string;
  /** Its dash is what tells it apart without colour. */
  readonly kind: 'solid' | 'dashed';
  /** One for each time; null where nothing is known, which is a gap. */
  readonly values: readonly (number | null)[];
}

export interface TimeLinesProps {
  /** Milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly lines: readonly TimeLine[];
  /** What the picture says: it is an image for those who cannot see it. */
  readonly label: string;
  readonly format: (value: number) => string;
  /** The end of the axis; undefined: the highest value. */
  readonly most?: number;
}

const HEIGHT = 200;
/** Of the axes, in pixels: room for their words. */
const LEFT = 80;
const BOTTOM = 28;
const DASH = [6, 4];

export function PlottedLines({ times, lines, label, format, most }: TimeLinesProps) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLParagraphElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    if (width === 0 || !place.current) return undefined;
    const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--quiet'),
      font: '11px Inter, system-ui, sans-serif',
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line-strong'), width: 1, size: 4 },
    };
    const tell = (plot: UPlot): void => {
      if (!readout.current) return;
      const { idx } = plot.cursor;
      readout.current.textContent = idx == null ? '' : wordsAt(times, lines, format, idx);
    };
    const chart = new UPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { y: { range: (_, __, highest) => [0, most ?? Math.max(highest * 1.05, Number.EPSILON)] } },
        axes: [
          { ...axis, size: BOTTOM, values: (_, ticks) => ticks.map((tick, nth) => tickWords(tick, ticks[nth - 1])) },
          { ...axis, size: LEFT, values: (_, ticks) => ticks.map(format) },
        ],
        series: [
          {},
          ...lines.map(({ name, kind }) => ({
            label: name,
            stroke: colour(kind === 'solid' ? '--good' : '--busy'),
            width: 2,
            points: { show: false },
            ...(kind === 'dashed' ? { dash: DASH } : {}),
          })),
        ],
        hooks: { setCursor: [tell] },
      },
      [times.map((ms) => ms / 1_000), ...lines.map(({ values }) => [...values])],
      place.current,
    );
    return () => chart.destroy();
  }, [width, scheme, times, lines, format, most]);
  return (
    <div className={styles.chart}>
      <ul className={styles.legend}>
        {lines.map(({ name, kind }) => (
          <li key={name}>
            <span className={styles.swatch} data-kind={kind} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
      <div ref={ref} />
      <div ref={place} role="img" aria-label={label} />
      <p ref={readout} className={styles.readout} aria-hidden="true" />
    </div>
  );
}

const DAY_S = 86_400;

/** The time of day, and the date where the axis goes on to another day. @param seconds since 1970 */
function tickWords(seconds: number, before: number | undefined): string {
  const at = new Date(seconds * 1_000);
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  const isNewDay = before !== undefined && at.getDate() !== new Date(before * 1_000).getDate();
  return isNewDay || (before !== undefined && seconds - before >= DAY_S)
    ? at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : time;
}

const wordsAt = (
  times: readonly number[],
  lines: readonly TimeLine[],
  format: (value: number) => string,
  place: number,
): string => {
  const at = times[place];
  if (at === undefined) return '';
  const values = lines.map(({ name, values: of }) => {
    const value = of[place];
    return `${name.toLowerCase()} ${value == null ? 'not reported' : format(value)}`;
  });
  return `${new Date(at).toLocaleTimeString('en-GB')}: ${values.join(', ')}`;
};
