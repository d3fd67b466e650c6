import { useElementSize } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { TimeAxis } from '../../charts/time-axis';
import { timeScale } from '../../charts/scales';
import { exact } from '../../parts/time/moment';
import { nameOf, RESULT_WORDS, type OperationFact } from '../../parts/operations';
import { plural } from '../../parts/units';
import { DAY_MS } from './overview-queries';
import { laneOf, LANES } from './strip-lanes';
import styles from './strip.module.css';

const LANE = 34;
const LABELS = 84;
const MARK = 3;
const AXIS = 26;

interface StripProps {
  readonly until: number;
  readonly operations: readonly OperationFact[];
}

/** One mark for each attempt, where it began. Failures have a lane of their own, and each one is a link. */
export function OperationsStrip({ until, operations }: StripProps) {
  const { ref, width } = useElementSize();
  const x = timeScale(until - DAY_MS, until, LABELS, Math.max(LABELS + 1, width - 8));
  const lanes = LANES.map((lane) => ({ ...lane, marks: operations.filter((fact) => laneOf(fact) === lane.id) }));
  const height = lanes.length * LANE + AXIS;
  return (
    <div className={styles.strip}>
      <div ref={ref} />
      {width > 0 && (
        <svg width={width} height={height} role="group" aria-label={summaryOf(lanes)}>
          {lanes.map(({ id, label, marks }, row) => (
            <g key={id} transform={`translate(0 ${row * LANE})`} data-lane={id}>
              <line className={styles.base} x1={LABELS} x2={width - 8} y1={LANE - 4} y2={LANE - 4} />
              <text className={styles.lane} x={0} y={LANE - 10}>
                {label}
              </text>
              {marks.map((fact) => (
                <Mark key={fact.operation_id} fact={fact} x={x(fact.started_at_ms)} isLink={id === 'failed'} />
              ))}
            </g>
          ))}
          <TimeAxis scale={x} top={lanes.length * LANE} />
        </svg>
      )}
    </div>
  );
}

function Mark({ fact, x, isLink }: { fact: OperationFact; x: number; isLink: boolean }) {
  const navigate = useNavigate();
  const target = { to: '/operations/$id', params: { id: fact.operation_id } } as const;
  const words = `${nameOf(fact)}: ${fact.op_type}, ${RESULT_WORDS[fact.result].toLowerCase()}, ${exact(fact.started_at_ms)}`;
  const mark = (
    <rect
      className={styles.mark}
      data-result={fact.result}
      x={x - MARK / 2}
      y={6}
      width={MARK}
      height={LANE - 10}
      rx={1}
    >
      <title>{fact.failure_reason === '' ? words : `${words}. ${fact.failure_reason}`}</title>
    </rect>
  );
  if (!isLink)
    return (
      <g className={styles.clickable} onClick={() => void navigate(target)}>
        {mark}
      </g>
    );
  return (
    <a
      href={`/console/operations/${fact.operation_id}`}
      aria-label={words}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey) return;
        event.preventDefault();
        void navigate(target);
      }}
    >
      <rect className={styles.target} x={x - 12} y={4} width={24} height={LANE - 6} />
      {mark}
    </a>
  );
}

const summaryOf = (lanes: readonly { label: string; marks: readonly unknown[] }[]): string =>
  lanes.map(({ label, marks }) => `${label}: ${plural(marks.length, 'attempt')}`).join('. ');
