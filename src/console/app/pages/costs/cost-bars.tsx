import shape from '../../charts/bars.module.css';
import { money } from '../../parts/units';
import { PARTS, type Cost, type Part } from './cost-parts';
import styles from './costs.module.css';

export interface Bar extends Pick<Cost, 'parts' | 'total'> {
  readonly label: string;
}

/** One bar for each profile or day, as long as its cost, divided into what the money went into. */
export function CostBars({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(0, ...bars.map(({ total }) => total));
  return (
    <>
      <ul className={styles.legend}>
        {(Object.keys(PARTS) as Part[]).map((part) => (
          <li key={part}>
            <span className={styles.sample} data-part={part} aria-hidden="true" />
            {PARTS[part]}
          </li>
        ))}
      </ul>
      <ul className={shape.bars}>
        {bars.map((cost) => (
          <li key={cost.label}>
            <span className={shape.name}>{cost.label}</span>
            <span className={shape.track} role="img" aria-label={wordsOf(cost)}>
              {(Object.keys(PARTS) as Part[]).map((part) => (
                <span
                  key={part}
                  data-part={part}
                  title={`${PARTS[part]}: ${money(cost.parts[part])}`}
                  style={{ width: `${most === 0 ? 0 : (100 * cost.parts[part]) / most}%` }}
                />
              ))}
            </span>
            <span className={shape.amount}>{money(cost.total)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const wordsOf = ({ label, parts }: Bar): string =>
  `${label}: ${(Object.keys(PARTS) as Part[])
    .filter((part) => parts[part] > 0)
    .map((part) => `${PARTS[part].toLowerCase()} ${money(parts[part])}`)
    .join(', ')}`;
