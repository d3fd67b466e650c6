import { Inject, Injectable } from '@nestjs/common';
import type { ValidateFunction } from 'ajv';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { invariant } from '../../../1-platform/common/invariant';
import { isJsonObject } from '../../../1-platform/common/json/json';
import { LOGGER } from '../../../1-platform/common/logger';
import { WorkerClient, WorkerUnreachable } from '../../../1-platform/outbound/worker-client';
import { compileResponseSchema } from '../../routes/response-schema';
import { RoutingService, type Route } from '../../routes/choice/routing.service';
import type { RoutedProfile, RoutedWorker } from '../../routes/choice/routing-table';
import { workerKey, WorkerRests } from '../../routes/choice/workers/worker-rests';
import { WorkerSeats, type Room } from '../../routes/choice/workers/worker-seats';
import { endpointUrl } from '../workers/endpoint-url';
import { isOfBroken, isUnreached, WorkerAnswered } from '../workers/worker-faults';
import { isOfTheRequest } from '../workers/worker-refusal';

/** After this time the order of priorities decides. */
const TIMEOUT_MS = 2_000;
/** Shorter, so that a worker without a connection is known as such. A lost packet is sent again after 1 s. */
const CONNECT_WITHIN_MS = 1_500;

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_TOKENS = 128;
/** Maximal characters of its answer. Checking it against a schema takes long if both are large. */
const MAX_PICKED = 2_048;

const DEFAULT_PROMPT = 'Pick the tier of models that should answer the request of the user. Answer with JSON alone.';

/** Compiled schemas, one per route. */
const MAX_COMPILED = 1_000;

export interface Classification {
  /** Undefined: it failed, or took too long. */
  readonly tier: string | undefined;
  readonly profileId: string;
  readonly tookMs: number;
}

/** Asks the classifier of a route, a model like any other, which tier is to serve a request. */
@Injectable()
export class Classifier {
  private readonly compiled = new LRUCache<string, ValidateFunction>({
    max: MAX_COMPILED,
    memoMethod: compileResponseSchema,
  });
  /** Of classifications alone: a worker that takes longer than these wait serves chats well. */
  private readonly rests = new WorkerRests();

  constructor(
    private readonly workers: WorkerClient,
    private readonly routing: RoutingService,
    private readonly seats: WorkerSeats,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns undefined if the route has none */
  async classify(
    context: OrgContext,
    { table, route }: Route,
    said: () => Promise<string>,
    signal: AbortSignal,
  ): Promise<Classification | undefined> {
    const { profileId, prompt, responseSchema } = route.classifier;
    if (route.mode !== 'classifier' || profileId === null) return undefined;
    const begun = performance.now();
    const tiers = [...new Set(route.targets.map(({ tier }) => tier))];
    const named = table.profiles.get(profileId);
    const profile = named?.enabled ? named : undefined;
    let tier: string | undefined;
    // The classifier is woken like any other model, and gets no more requests than it can take.
    if (profile && !profile.ready && profile.start === 'asleep') void this.routing.wake(context, profile);
    const { orgId } = context;
    if (!profile?.ready || !profile.endpoints.has('chat')) return { tier, profileId, tookMs: 0 };
    // As if it had tried them: it gets another worker, or none.
    const resting = this.resting(orgId, profile);
    if (!hasRoom(this.seats.room(orgId, profile, resting))) return { tier, profileId, tookMs: 0 };
    const seat = this.seats.take(orgId, profile, resting);
    invariant(seat, 'a profile with room has a worker');
    seat.begin();
    try {
      const schema = responseSchema ?? JSON.stringify(schemaOf(tiers));
      const asked = {
        model: profile.exactModel,
        messages: [
          { role: 'system', content: `${prompt ?? DEFAULT_PROMPT}\nTiers: ${tiers.join(', ')}` },
          { role: 'user', content: await said() },
        ],
        max_tokens: MAX_TOKENS,
        temperature: 0,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'tier', strict: true, schema: JSON.parse(schema) as unknown },
        },
      };
      tier = this.tierOf(await this.answerOf(orgId, profile, seat.worker, asked, signal), schema, tiers);
    } catch (error) {
      signal.throwIfAborted();
      const { endpoint } = seat.worker;
      this.logger.warn({ err: error, profile: profileId, endpoint }, 'a request could not be classified');
    } finally {
      seat.leave();
    }
    return { tier, profileId, tookMs: performance.now() - begun };
  }

  /** Also if all do: the order of priorities costs no time, and a chat has nothing else. */
  private resting(orgId: string, profile: RoutedProfile): Set<string> {
    const resting = new Set<string>();
    for (const worker of profile.workers)
      for (const rests of [this.seats.rests, this.rests])
        if (rests.passedOverMs(orgId, profile, worker) > 0) resting.add(workerKey(profile, worker));
    return resting;
  }

  /**
   * A worker without a connection or a reply rests at once. Other failures, a time-out among them, may be due
   * to the request or to much work: the worker rests if another request failed before this one was sent, and
   * it has answered none since. What only took too long for a classification never lets it rest from chats.
   */
  private async answerOf(
    orgId: string,
    profile: RoutedProfile,
    worker: RoutedWorker,
    asked: object,
    signal: AbortSignal,
  ): Promise<unknown> {
    const known = (rests: WorkerRests) => ({ rests, doubt: rests.doubtAbout(orgId, profile, worker) });
    const [own, ofAll] = [known(this.rests), known(this.seats.rests)];
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const answer = await this.ask(worker.endpoint, asked, AbortSignal.any([signal, limit]));
      for (const { rests } of [own, ofAll]) rests.trust(orgId, profile, worker);
      return answer;
    } catch (fault) {
      signal.throwIfAborted();
      if (fault instanceof WorkerUnreachable) {
        const { rests } = fault.reason === 'slow_connect' ? own : ofAll;
        rests.drop(orgId, profile, worker, isUnreached(fault));
      } else if (!(fault instanceof WorkerAnswered && isOfTheRequest(fault.status)))
        for (const { rests, doubt } of fault === limit.reason ? [own] : [own, ofAll]) {
          const isBroken = isOfBroken(fault);
          if (doubt && isBroken) rests.confirm(orgId, profile, worker, doubt);
          rests.doubt(orgId, profile, worker, isBroken);
        }
      throw fault;
    }
  }

  private async ask(endpoint: string, asked: object, signal: AbortSignal): Promise<unknown> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { status, body } = await this.workers.post(endpointUrl(endpoint, 'chat'), {
      headers,
      body: JSON.stringify(asked),
      signal,
      connectWithinMs: CONNECT_WITHIN_MS,
    });
    try {
      if (status !== 200) throw new WorkerAnswered(status);
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) throw new Error("the classifier's answer was too long");
        chunks.push(chunk);
      }
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    } finally {
      body.destroy();
    }
  }

  /** What it picks is up to the model and the text of the request: a wrong pick is no fault of its worker. */
  private tierOf(answer: unknown, schema: string, tiers: readonly string[]): string {
    const completion = answer as { choices?: { message?: { content?: unknown } }[] } | null;
    const content = completion?.choices?.[0]?.message?.content;
    if (typeof content !== 'string') throw new Error('the classifier answered no text');
    if (content.length > MAX_PICKED) throw new Error("the classifier's answer was too long");
    const picked: unknown = JSON.parse(content);
    if (!this.compiled.memo(schema)(picked)) throw new Error("the classifier's answer does not match its schema");
    const tier = isJsonObject(picked) ? picked.tier : undefined;
    if (typeof tier !== 'string' || !tiers.includes(tier))
      throw new Error('the classifier picked no tier of the route');
    return tier;
  }
}

const hasRoom = ({ inFlight, capacity }: Room): boolean => inFlight < capacity;

const schemaOf = (tiers: readonly string[]): object => ({
  type: 'object',
  properties: { tier: { type: 'string', enum: tiers } },
  required: ['tier'],
  additionalProperties: false,
});
