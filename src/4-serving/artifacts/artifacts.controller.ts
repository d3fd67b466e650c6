import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import { createdOr, type Existing } from '../../1-platform/common/answers/created-or-existing';
import type { Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  ArtifactCandidateView,
  ArtifactView,
  DeleteArtifactQuery,
  ListArtifactsQuery,
  LookupArtifactsBody,
  PromoteArtifactBody,
  RegisterArtifactBody,
  UpdateArtifactBody,
} from './artifacts.dto';
import { ArtifactsService } from './artifacts.service';
import { artifactView, candidateViews } from './artifacts.views';

const FAILURES = { 404: 'Artifact unknown' };

@ApiTags('artifacts')
@Controller('v1/inference/artifacts')
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactsService) {}

  @Get()
  @Operation({
    id: 'list_artifacts',
    summary: 'List artifacts, newest first',
    description:
      'Artifacts of all profiles or of one, filtered by status, checkpoint mode and cluster, or those whose bytes are still to be removed.',
    access: 'read',
    answer: json([ArtifactView]),
    failures: { 400: 'Bad request' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListArtifactsQuery): Promise<Page<ArtifactView>> {
    return (await this.artifacts.list(context, query)).map(artifactView);
  }

  @Post()
  @Operation({
    id: 'register_artifact',
    summary: 'Register an artifact',
    description: 'An equal registration finds the stored one.',
    access: 'control',
    unknownMembers: 'ignored',
    creates: true,
    answer: json(ArtifactView, { status: 201, description: 'Artifact newly registered' }),
    existing: json(ArtifactView, { description: 'Artifact already registered' }),
    failures: {
      400: 'Bad request, or an unsuitable parent',
      404: 'Profile unknown',
      409: 'Another artifact has this id',
    },
    bodyExample: {
      artifact_id: 'llama-8b-a10g-0001',
      profile_id: 'llama-8b-a10g',
      compatibility_key: '1a79a4d60de6718e8e5b326e338ae533',
      checkpoint_mode: 'criu',
      uri: 's3://checkpoints/llama-8b-a10g/0001',
      storage_tier: 'local',
      physical_bytes: 17179869184,
      metadata: {
        node_name: 'gpu-node-1',
        node_boot_id: '7c1f4e0a-3a51-4d0e-9d5c-0a4c4a3f0b11',
        machine: { architecture: 'x86_64', criu: '4.2.1', kernel_features: ['inotify', 'ipv6'], libc: 'glibc 2.36' },
      },
    },
  })
  async register(
    @Org() context: OrgContext,
    @Body() body: RegisterArtifactBody,
  ): Promise<ArtifactView | Existing<ArtifactView>> {
    const { artifact, created } = await this.artifacts.register(context, body);
    return createdOr(artifactView(artifact), created);
  }

  @Post('lookup')
  @Operation({
    id: 'lookup_artifacts',
    summary: 'Find what a worker can be restored from',
    description:
      'Restorable artifacts first, hottest tier first, then newest; then the others. Each has its differences from what is requested, and how much each of them counts. The node of the restore compares again, with all that the images need.',
    access: 'read',
    answer: json([ArtifactCandidateView]),
    failures: { 400: 'Bad request', 404: 'Profile unknown' },
    bodyExample: {
      profile_id: 'llama-8b-a10g',
      node_name: 'gpu-node-1',
      machine: { architecture: 'x86_64', criu: '4.2.1', kernel_features: ['ipv6', 'seccomp'], libc: 'glibc 2.41' },
    },
  })
  async lookup(@Org() context: OrgContext, @Body() body: LookupArtifactsBody): Promise<ArtifactCandidateView[]> {
    const { artifacts, wanted } = await this.artifacts.lookup(context, body);
    return candidateViews(artifacts, wanted);
  }

  @Get(':artifact_id')
  @Operation({
    id: 'get_artifact',
    summary: 'Get an artifact',
    description: 'One artifact with its status, its storage tier and its residency.',
    access: 'read',
    answer: json(ArtifactView),
    failures: FAILURES,
  })
  async get(@Org() context: OrgContext, @Param('artifact_id', TextParameter) id: string): Promise<ArtifactView> {
    return artifactView(await this.artifacts.get(context, id));
  }

  @Delete(':artifact_id')
  @Operation({
    id: 'delete_artifact',
    summary: 'Mark an artifact as deleted',
    description:
      'The controller that holds its bytes is informed. A golden artifact, and a parent of others, need force. ' +
      'A deleted artifact stays deleted: a repetition answers 200.',
    access: 'operate',
    answer: json(ArtifactView),
    failures: { ...FAILURES, 409: 'Golden, or needed by another artifact, without force' },
  })
  async delete(
    @Org() context: OrgContext,
    @Param('artifact_id', TextParameter) id: string,
    @Query() { force = false }: DeleteArtifactQuery,
  ): Promise<ArtifactView> {
    return artifactView(await this.artifacts.delete(context, id, force));
  }

  @Patch(':artifact_id')
  @Operation({
    id: 'update_artifact',
    summary: 'Set the status of an artifact, or report the result of its promotion',
    description:
      'Operators set golden and quarantined, and take them back with ready. Controllers report on the bytes: ' +
      'ready, expired, and the promotion. Such a report keeps what operators set.',
    access: 'machine',
    unknownMembers: 'ignored',
    bodyType: UpdateArtifactBody,
    bodyOptional: true,
    answer: json(ArtifactView),
    failures: {
      400: 'Bad request',
      403: 'This role may not set the status',
      ...FAILURES,
      409: 'Deleted, expired, or no promotion is pending',
    },
    bodyExample: { status: 'golden' },
  })
  async update(
    @Org() context: OrgContext,
    @Param('artifact_id', TextParameter) id: string,
    @Body() body: UpdateArtifactBody,
  ): Promise<ArtifactView> {
    return artifactView(await this.artifacts.update(context, id, body));
  }

  @Put(':artifact_id/removed')
  @Operation({
    id: 'confirm_artifact_removal',
    summary: 'Confirm that the bytes of a deleted or expired artifact are gone',
    description:
      'The controller that holds the bytes removes them, and confirms it afterwards, until it has an answer. The first confirmation stands: a repetition changes nothing. An artifact that is ready again has bytes again.',
    access: 'control',
    answer: nothing(),
    failures: { ...FAILURES, 409: 'Neither deleted nor expired' },
  })
  confirmRemoval(@Org() context: OrgContext, @Param('artifact_id', TextParameter) id: string): Promise<void> {
    return this.artifacts.confirmRemoval(context, id);
  }

  @Get(':artifact_id/ancestry')
  @Operation({
    id: 'list_artifact_ancestry',
    summary: 'List the chain of an artifact, oldest first',
    description: 'Its ancestors in the order in which they are restored, itself last.',
    access: 'read',
    answer: json([ArtifactView]),
    failures: { ...FAILURES, 409: 'Its chain is too large for one answer' },
  })
  async ancestry(@Org() context: OrgContext, @Param('artifact_id', TextParameter) id: string): Promise<ArtifactView[]> {
    return (await this.artifacts.ancestry(context, id)).map(artifactView);
  }

  @Post(':artifact_id/promote')
  @Operation({
    id: 'promote_artifact',
    summary: 'Request an artifact on a hotter tier',
    description:
      '`storage_tier` changes at once. Until a controller confirms that the bytes are there, `metadata.promotion` shows that they are on their way, and everything is decided by the earlier tier.',
    access: 'operate',
    creates: true,
    answer: json(ArtifactView),
    failures: { 400: 'Not a hotter tier', ...FAILURES, 409: 'Neither ready nor golden' },
    bodyExample: { tier: 'local', deadline_ms: 60000 },
  })
  async promote(
    @Org() context: OrgContext,
    @Param('artifact_id', TextParameter) id: string,
    @Body() body: PromoteArtifactBody,
  ): Promise<ArtifactView> {
    return artifactView(await this.artifacts.promote(context, id, body));
  }
}
