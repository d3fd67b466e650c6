import type { Schemas } from '../../api/client';
import { useNow } from '../../parts/time/clock';
import { elapsedNs } from '../../parts/operations';
import { bytes, duration, share, throughput } from '../../parts/units';
import { isFailed, layOut, type Bar, type Waterfall } from './waterfall-layout';
import styles from './stages.module.css';

type Detail = Schemas['OperationFactDetailView'];
type Usual = Schemas['OperationsSummaryView'] | undefined;

/**
 * The stage waterfall: one line for each stage. Each line says in words what its bar shows, so it is a list
 * for a screen reader and on a narrow screen.
 */
export function Stages({ fact, usual }: { fact: Detail; usual: Usual }) {
  const now = useNow();
  const layout = layOut(fact.stages, elapsedNs(fact, now), fact.source);
  if (fact.stages.length === 0)
    return (
      <p className={styles.none}>
        {fact.result === 'running' ? 'No stage was reported yet.' : 'The node reported no stages.'}
      </p>
    );
  const usualOf = (name: string): number | undefined =>
    usual?.stages.find(({ operation, stage }) => operation === fact.op_type && stage === name)?.p50_ns;
  return (
    <>
      {!layout.isSequence && (
        <p className={styles.none}>The stages overlap: together they are longer than the whole. All begin at zero.</p>
      )}
      <ol className={styles.stages}>
        {layout.bars.map((bar) => (
          <StageLine key={bar.seq} bar={bar} layout={layout} usual={usualOf(bar.name)} />
        ))}
        {layout.unaccounted > 0 && (
          <li className={styles.line}>
            <span className={styles.name}>unaccounted</span>
            <Track layout={layout} start={layout.whole - layout.unaccounted} length={layout.unaccounted} kind="rest" />
            <Figures ns={layout.unaccounted} whole={layout.whole} />
          </li>
        )}
        {layout.inner.map((bar) => (
          <StageLine key={bar.seq} bar={bar} layout={layout} usual={usualOf(bar.name)} isInner />
        ))}
        {fact.pause_ns > 0 && (
          <li className={styles.line}>
            <span className={styles.name}>application stopped</span>
            <Track layout={layout} start={0} length={Math.min(fact.pause_ns, layout.whole)} kind="pause" />
            <Figures ns={fact.pause_ns} whole={layout.whole} />
          </li>
        )}
        <li className={styles.line} aria-hidden="true">
          <span />
          <span className={styles.scale}>
            <span>0</span>
            <span>{duration(layout.whole / 2)}</span>
            <span>{duration(layout.whole)}</span>
          </span>
        </li>
      </ol>
      <Legend
        isSequence={layout.isSequence}
        hasPause={fact.pause_ns > 0}
        hasUsual={layout.bars.some(({ name }) => usualOf(name) !== undefined)}
      />
    </>
  );
}

interface StageLineProps {
  readonly bar: Bar;
  readonly layout: Waterfall;
  readonly usual: number | undefined;
  readonly isInner?: boolean;
}

function StageLine({ bar, layout, usual, isInner = false }: StageLineProps) {
  const { stage, length, name } = bar;
  const failed = isFailed(stage);
  return (
    <li className={styles.line} data-failed={failed || undefined}>
      <span className={styles.name}>
        {name}
        {isInner && <span className={styles.within}>within these, by CRIU</span>}
        {failed && <b> failed</b>}
      </span>
      <Track
        layout={layout}
        start={bar.start}
        length={length}
        kind={failed ? 'failed' : isInner ? 'inner' : 'stage'}
        usual={usual}
      />
      <Figures ns={length} whole={layout.whole} usual={usual} />
      <Amounts stage={stage} />
      {stage.reason !== '' && <span className={styles.reason}>{stage.reason}</span>}
    </li>
  );
}

interface TrackProps {
  readonly layout: Waterfall;
  readonly start: number;
  readonly length: number;
  readonly kind: 'stage' | 'inner' | 'failed' | 'rest' | 'pause';
  readonly usual?: number | undefined;
}

const percent = (part: number, whole: number): string => `${whole > 0 ? (100 * part) / whole : 0}%`;

function Track({ layout: { whole }, start, length, kind, usual }: TrackProps) {
  return (
    <span className={styles.track} aria-hidden="true">
      {usual !== undefined && (
        <span
          className={styles.ghost}
          style={{ left: percent(start, whole), width: percent(Math.min(usual, whole - start), whole) }}
        />
      )}
      <span
        className={styles.bar}
        data-kind={kind}
        style={{ left: percent(start, whole), width: percent(length, whole) }}
      />
    </span>
  );
}

function Figures({ ns, whole, usual }: { ns: number; whole: number; usual?: number | undefined }) {
  return (
    <span className={styles.figures}>
      {duration(ns)} <span className={styles.share}>{share(ns, whole)}</span>
      {usual !== undefined && <span className={styles.hidden}>, usual: {duration(usual)}</span>}
    </span>
  );
}

function Amounts({
  stage: { bytes_in: read, bytes_out: written, duration_ns: ns },
}: {
  stage: Schemas['OperationStageView'];
}) {
  const rate = throughput(Math.max(read, written), ns);
  const amounts = [read > 0 && `${bytes(read)} read`, written > 0 && `${bytes(written)} written`, rate];
  return <span className={styles.amounts}>{amounts.filter(Boolean).join(' · ')}</span>;
}

interface LegendProps {
  readonly isSequence: boolean;
  readonly hasPause: boolean;
  readonly hasUsual: boolean;
}

const Legend = ({ isSequence, hasPause, hasUsual }: LegendProps) => (
  <p className={styles.legend}>
    {isSequence && 'Stages are drawn end to end, in the order of the reports.'}
    {hasUsual && (
      <>
        {' '}
        <span className={styles.swatch} data-kind="ghost" /> usual: median of the last 7 days.
      </>
    )}
    {hasPause && (
      <>
        {' '}
        <span className={styles.swatch} data-kind="pause" /> how long the application stood still; nodes report no start
        of it.
      </>
    )}
  </p>
);
