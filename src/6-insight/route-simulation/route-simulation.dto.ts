import { EVIDENCE, type Evidence } from '../analytics/analytics.dto';
import { Int, Num, OneOf, Str } from '../../1-platform/common/fields/fields';

export class SimulateRouteBody {
  @Str({ min: 1, max: 253 })
  logical_model!: string;

  @Num({ min: 0 })
  requests_per_hour!: number;

  @Int({ min: 0, description: 'Milliseconds that a request may wait' })
  deadline_ms!: number;

  @Num({ min: 0, max: 1, description: 'Share of requests that wait for a cold start' })
  cold_share!: number;

  @Num({ min: 0, max: 1, description: 'Share of requests that wait for a restore; the others find a ready worker' })
  restore_share!: number;
}

export class RouteSimulationView {
  @Str()
  logical_model!: string;

  @OneOf(EVIDENCE, { description: 'Evidence for the start times of the first target: the weakest of those used' })
  evidence!: Evidence;

  @Num()
  requests_per_hour!: number;

  @Num()
  cold_share!: number;

  @Num()
  restore_share!: number;

  @Num({ description: 'Milliseconds that half of the requests wait at most' })
  projected_p50_ms!: number;

  @Num({
    description:
      'Share of requests whose start takes longer than the deadline if no other target served them. Starts ' +
      'without evidence count as missed.',
  })
  projected_deadline_miss_rate!: number;

  @Num({ description: 'Share of requests that go to another target; 0 without one' })
  projected_fallback_rate!: number;

  @Num({ nullable: true, description: 'Milliseconds until a cold worker is ready' })
  projected_cold_p50_ms!: number | null;

  @Num({ nullable: true, description: 'Milliseconds until a restored worker is ready' })
  projected_restore_p50_ms!: number | null;
}
