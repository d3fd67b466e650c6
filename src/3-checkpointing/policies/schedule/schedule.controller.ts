import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { PolicyScheduleQuery, PolicyScheduleView } from './schedule.dto';
import { ScheduleService } from './schedule.service';
import { scheduleView } from './schedule.views';

@ApiTags('policies')
@Controller('v1/policy/schedule')
export class ScheduleController {
  constructor(private readonly schedule: ScheduleService) {}

  @Get()
  @Operation({
    id: 'get_policy_schedule',
    summary: 'Get when policies fired, how that went, and when they will fire',
    description:
      'The beats of each policy in a span of time, counted by the hour (by six hours if the span is longer than 8 days), and the next ten ' +
      'firings. Policies of silent clusters wait, and are listed apart. Beats to come follow from `next_at` and the interval: a policy that reaches `max_checkpoints` has fewer. Beats of the past follow ' +
      'from the grid and from the actions that the policy requested. A beat was `missed` if a later one replaced it, as after an ' +
      'outage: it is overdue and older than the newest one that is due, or a workload was requested both before and after it and had no open checkpoint ' +
      'then; of a maintenance window, if the service never looked for workloads in it. All other beats without a request are `empty`: ' +
      'nothing matched, every match had an open checkpoint, or the beat was missed and no workload shows it. The service keeps no record of ' +
      'which. Beats of a policy between its deactivation and now do not exist. Deleted policies are not listed; their actions are.',
    access: 'read',
    work: 'heavy',
    answer: json(PolicyScheduleView),
    failures: { 400: 'The span is empty or too long', 500: 'Internal error' },
  })
  async get(@Org() context: OrgContext, @Query() query: PolicyScheduleQuery): Promise<PolicyScheduleView> {
    return scheduleView(await this.schedule.find(context, query));
  }
}
