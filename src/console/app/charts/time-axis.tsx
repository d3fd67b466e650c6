import styles from './axis.module.css';
import type { TimeScale } from './scales';

const PIXELS_PER_TICK = 90;

/** Times of day, as many as fit. */
export function TimeAxis({ scale, top }: { scale: TimeScale; top: number }) {
  const [left = 0, right = 0] = scale.range();
  const ticks = scale.ticks(Math.max(2, Math.floor((right - left) / PIXELS_PER_TICK)));
  return (
    <g transform={`translate(0 ${top})`} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick.getTime()} transform={`translate(${scale(tick)} 0)`}>
          <line className={styles.tick} y2={4} />
          <text className={styles.label} y={16}>
            {tick.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
          </text>
        </g>
      ))}
    </g>
  );
}
