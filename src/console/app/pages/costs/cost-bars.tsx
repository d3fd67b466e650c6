import { money } from '../../parts/units';
import { PARTS, type Cost, type Part } from './cost-parts';
import styles from './costs.module.css';

/** More bars cannot be read at a glance; the table has all of them. */
export const DRAWN = 20;

/** One bar for each profile, as long as its cost, divided into what the money went into. */
export function CostBars({ costs }: { costs: readonly Cost[] }) {
  const most = costs[0]?.total ?? 0;
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
      <ul className={styles.bars}>
        {costs.slice(0, DRAWN).map((cost) => (
          <li key={cost.profile}>
            <span className={styles.profile}>{cost.profile}</span>
            <span className={styles.track} role="img" aria-label={wordsOf(cost)}>
              {(Object.keys(PARTS) as Part[]).map((part) => (
                <span
                  key={part}
                  className={styles.part}
                  data-part={part}
                  title={`${PARTS[part]}: ${money(cost.parts[part])}`}
                  style={{ width: `${most === 0 ? 0 : (100 * cost.parts[part]) / most}%` }}
                />
              ))}
            </span>
            <span className={styles.amount}>{money(cost.total)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const wordsOf = ({ profile, parts }: Cost): string =>
  `${profile}: ${(Object.keys(PARTS) as Part[])
    .filter((part) => parts[part] > 0)
    .map((part) => `${PARTS[part].toLowerCase()} ${money(parts[part])}`)
    .join(', ')}`;
