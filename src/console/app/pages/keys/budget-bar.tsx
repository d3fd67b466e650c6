import { partsOf, sentenceOf, type Spending } from './budget';
import styles from './keys.module.css';

/** Spent is solid, reserved is hatched, and the words beside it say both. */
export function BudgetBar({ of }: { of: Spending }) {
  const { spent, reserved, isExhausted } = partsOf(of);
  return (
    <div className={styles.budget}>
      {of.budget_usd !== null && (
        <div className={styles.bar} data-exhausted={isExhausted || undefined} aria-hidden="true">
          <span className={styles.spent} style={{ width: `${spent}%` }} />
          <span className={styles.reserved} style={{ width: `${reserved}%` }} />
        </div>
      )}
      <span>
        {sentenceOf(of)}
        {isExhausted && <b className={styles.exhausted}> · exhausted</b>}
      </span>
    </div>
  );
}
