import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import { json, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { PolicyPreviewView, PreviewPolicyBody } from './preview.dto';
import { PreviewService } from './preview.service';

@ApiTags('policies')
@Controller('v1/policy/pipeline/preview')
export class PreviewController {
  constructor(private readonly previews: PreviewService) {}

  @Post()
  @Operation({
    id: 'preview_pipeline_policy',
    summary: 'Get what a policy would do, without creating it',
    description:
      'The running pods and the jobs that the filter matches now, when the policy would fire, and why it might do less than expected. ' +
      'The body is that of the creation, and is refused for the same reasons. With the id of a policy, it also says how many checkpoints that policy would give up, also when its pods are gone or its window is over.',
    access: 'read',
    work: 'heavy',
    answer: json(PolicyPreviewView),
    failures: { 400: 'Bad request', 404: 'Cluster or pod unknown', 500: 'Internal error' },
    bodyExample: {
      pipeline: {
        trigger: { type: 'heartbeat', config: { interval_seconds: 3600 } },
        filter: {
          type: 'namespace',
          config: { cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10', namespace: 'training' },
        },
        action: { type: 'checkpoint', config: { kind: 'simple' } },
      },
      keep_last: 24,
    },
  })
  preview(@Org() context: OrgContext, @Body() body: PreviewPolicyBody): Promise<PolicyPreviewView> {
    return this.previews.preview(context, body);
  }
}
