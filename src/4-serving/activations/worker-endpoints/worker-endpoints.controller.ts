import { Body, Controller, Param, Put } from '@nestjs/common';
import { ApiTags } from '../../../1-platform/common/described';
import { nothing, Operation } from '../../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../../1-platform/auth/org-context';
import { TextParameter } from '../../../1-platform/http/bodies/path-parameters';
import { PutWorkerEndpointBody } from '../activations.dto';
import { ActivationsService } from '../activations.service';

@ApiTags('profiles')
@Controller('v1/inference/profiles/:profile_id/worker-endpoint')
export class WorkerEndpointsController {
  constructor(private readonly activations: ActivationsService) {}

  @Put()
  @Operation({
    id: 'put_worker_endpoint',
    summary: 'Record where the worker of a profile publishes its metrics',
    description: 'The controller reports the address at which the worker publishes its metrics.',
    access: 'control',
    unknownMembers: 'ignored',
    answer: nothing(),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: { metrics_url: 'http://10.0.3.7:8000/metrics', pod_name: 'llama-8b-a10g-0' },
  })
  putWorkerEndpoint(
    @Org() context: OrgContext,
    @Param('profile_id', TextParameter) profileId: string,
    @Body() body: PutWorkerEndpointBody,
  ): Promise<void> {
    return this.activations.putWorkerEndpoint(context, profileId, body);
  }
}
