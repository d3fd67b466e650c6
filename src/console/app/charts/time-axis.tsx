import styles from './axis.module.css';
import type { TimeScale } from './scales';

const PIXELS_PER_TICK = 90;

/** A longer axis has a date where a day begins. */
const LONGEST_DAY_MS = 36 * 3_600_000;

/** Times of day, or dates, as many as fit. */
export function TimeAxis({ scale, top }: { scale: TimeScale; top: number }) {
  const [left = 0, right = 0] = scale.range();
  const [from, to] = scale.domain();
  const isLong = Number(to) - Number(from) > LONGEST_DAY_MS;
  const ticks = scale.ticks(Math.max(2, Math.floor((right - left) / PIXELS_PER_TICK)));
  return (
    <g transform={`translate(0 ${top})`} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick.getTime()} transform={`translate(${scale(tick)} 0)`}>
          <line className={styles.tick} y2={4} />
          <text className={styles.label} y={16}>
            {isLong && isMidnight(tick)
              ? tick.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
              : tick.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
          </text>
        </g>
      ))}
    </g>
  );
}

const isMidnight = (at: Date): boolean => at.getHours() === 0 && at.getMinutes() === 0;
