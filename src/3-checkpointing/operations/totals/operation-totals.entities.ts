import { Column, Entity } from 'typeorm';
import { BigInteger, Key } from '../../../1-platform/database/rows/columns';

const Sum = (): PropertyDecorator => Column({ type: 'numeric', precision: 38, scale: 0, default: 0 });
const Buckets = (): PropertyDecorator => Column({ type: 'bigint', array: true });

/**
 * Totals since the beginning, so that the counters of the export never decrease, whatever is deleted: every
 * fact is added at its end, in the same transaction. Buckets are not cumulative; `buckets.ts` has their
 * bounds.
 */
@Entity('operation_totals')
export class OperationTotals {
  @Key('operation_totals')
  orgId!: string;

  @Key('operation_totals', 'text')
  opType!: string;

  @BigInteger({ default: 0 })
  succeeded!: number;

  @BigInteger({ default: 0 })
  failed!: number;

  @BigInteger({ default: 0 })
  fallbacks!: number;

  @Sum()
  durationSumNs!: string;

  @Buckets()
  durationBuckets!: number[];

  @Sum()
  sizeSumBytes!: string;

  @Buckets()
  sizeBuckets!: number[];
}

@Entity('operation_stage_totals')
export class OperationStageTotals {
  @Key('operation_stage_totals')
  orgId!: string;

  @Key('operation_stage_totals', 'text')
  opType!: string;

  /** `other` beyond the maximum number of names. */
  @Key('operation_stage_totals', 'text')
  stage!: string;

  @BigInteger()
  count!: number;

  @Sum()
  sumNs!: string;
}

@Entity('operation_failure_totals')
export class OperationFailureTotals {
  @Key('operation_failure_totals')
  orgId!: string;

  @Key('operation_failure_totals', 'text')
  opType!: string;

  @Key('operation_failure_totals', 'text')
  stage!: string;

  @Key('operation_failure_totals', 'text')
  reason!: string;

  @BigInteger()
  count!: number;
}
