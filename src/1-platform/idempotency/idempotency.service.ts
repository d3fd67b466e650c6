import { createHash } from 'node:crypto';
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { bearerOf } from '../auth/bearer.guard';
import { OPERATION, type OperationDeclaration } from '../endpoints/operation.decorator';
import { Repetitions } from '../endpoints/repetitions';
import type { OrgContext, OrgRequest } from '../auth/org-context';
import { Continued } from '../common/answers/continued';
import { shownIn } from '../common/answers/created-or-existing';
import { invariant } from '../common/invariant';
import { parseJson } from '../common/json/json';
import { LOGGER } from '../common/logger';
import type { Prepared } from '../common/answers/prepared';
import { conflict, invalidField, Problem, unavailable } from '../common/answers/problem';
import { StatementPool } from '../database/connections/statement-pool';
import type { Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { seal, unseal } from './answer-seal';
import { AwaitedAnswers, UNDER_WAY, type Found } from './awaited-answers';
import {
  findAnswer,
  forgetKey,
  forgetUnanswered,
  keepAnswer,
  takeKey,
  type KeptAnswer,
  type RequestKey,
  type Run,
  type TakenKey,
} from './idempotency.queries';

/** Stores what the caller is shown: a preliminary answer, or the one that replaces it. */
type Keep = (tx: Tx, taken: TakenKey, shown: unknown, replaces: boolean) => Promise<void>;

/** The work is not done: a repeated request runs again. */
const ACCEPTED = 202;

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Makes creating operations safe to repeat: with the same `Idempotency-Key` and body the first answer is
 * returned again, and the effect happens once, because key, effect and answer are one transaction. A refused
 * request is not remembered. The request is validated and mapped before the transaction opens, because that
 * runs in slices between which a transaction would pause. An effect that continues after its transaction is
 * stored with its preliminary answer until it has ended. An operation that writes outside of transactions
 * (`creates: 'apart'`) has its key stored before it and answered after it, without an open transaction in
 * between.
 */
@Injectable()
export class IdempotencyService extends Repetitions {
  private readonly awaited = new AwaitedAnswers<Answered>();

  constructor(
    private readonly reflector: Reflector,
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementPool,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
  }

  override async answer(context: ExecutionContext, prepare: () => Promise<Prepared<unknown>>): Promise<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<OrgRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) {
      const answer = await (await prepare()).run();
      return answer instanceof Continued ? answer.goOn() : answer;
    }
    if (typeof key !== 'string' || !KEY.test(key))
      throw invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters');
    const { creates, answerSeconds } = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    const prepared = await prepare();
    if (creates === 'apart') return this.apart(request, http.getResponse<Response>(), key, prepared);
    return this.once(request, http.getResponse<Response>(), key, prepared, {
      secret: creates === 'secret',
      goodForSeconds: answerSeconds?.(this.environment),
    });
  }

  private async once(
    request: OrgRequest,
    response: Response,
    key: string,
    { run }: Prepared<unknown>,
    { secret, goodForSeconds }: { readonly secret: boolean; readonly goodForSeconds: number | undefined },
  ): Promise<unknown> {
    const { orgContext } = request;
    invariant(orgContext, 'an operation that creates is not public');
    const bearer = bearerOf(request.headers.authorization) ?? '';
    const row = rowKey(orgContext, key);
    const keep: Keep = (tx, taken, shown, replaces) => {
      const json = JSON.stringify(shown ?? null);
      const answer = secret ? seal(json, bearer, key) : Buffer.from(json, 'utf8');
      return keepAnswer(runIn(tx), taken, { answer, status: response.statusCode, replaces });
    };
    const outcome = await this.unitOfWork.run(orgContext, async (tx) => {
      const digest = requestDigest(request);
      const taken = await takeKey(runIn(tx), row, digest, goodForSeconds);
      if (!taken) {
        const open = (sealed: Buffer) => (secret ? unseal(sealed, bearer, key) : sealed.toString('utf8'));
        const { status, answer } = await replay(tx, row, digest, open);
        // Not before: a refusal is no earlier answer.
        response.setHeader('idempotent-replayed', 'true');
        if (status !== null) response.status(status);
        return { answer };
      }
      const answer = shownIn(response, await run());
      await keep(tx, taken, answer instanceof Continued ? answer.soFar : answer, false);
      return { answer, taken };
    });
    const { answer, taken } = outcome;
    if (!(taken && answer instanceof Continued)) return answer;
    return this.goOn(orgContext, answer, taken, keep);
  }

  /**
   * A concurrent repetition does the work too, as one without a key would, and the operation finds its own
   * result. So does one after the process died in between. If the operation refuses one of them, because
   * another one has done the work, it returns the answer of that one.
   */
  private async apart(
    request: OrgRequest,
    response: Response,
    key: string,
    { run: change }: Prepared<unknown>,
  ): Promise<unknown> {
    const { orgContext } = request;
    invariant(orgContext, 'an operation that creates is not public');
    const row = rowKey(orgContext, key);
    const digest = requestDigest(request);
    const run: Run = (statement, values) => this.statements.run(statement, values);
    const replayed = ({ answer, status }: Answered): unknown => {
      response.setHeader('idempotent-replayed', 'true');
      response.status(status);
      return parseJson(answer.toString('utf8'));
    };
    const taken = await takeKey(run, row, digest);
    const found = taken ? undefined : await find(run, row, digest);
    if (isAnswered(found)) return replayed(found);
    const its = taken ?? (found && { ...row, taken_at: found.taken_at });
    const note = (noted: Promise<void>): Promise<void> =>
      noted.catch((error: unknown) =>
        this.logger.warn({ err: error }, 'the outcome of an idempotent request was not stored'),
      );
    // The key of a request that is under way is its own to forget.
    const forget = async (): Promise<void> => (taken ? note(forgetUnanswered(run, taken)) : undefined);
    try {
      const shown = shownIn(response, await change());
      const answer = Buffer.from(JSON.stringify(shown ?? null), 'utf8');
      const { statusCode: status } = response;
      if (status === ACCEPTED) await forget();
      // Of two that did the work at once, the first one to answer is the one that is repeated.
      else if (its) await note(keepAnswer(run, its, { answer, status, replaces: false }));
      return shown;
    } catch (error) {
      try {
        // The first one may have been overtaken by its repetition, which is about to store its answer.
        const mayBeAnswered = isRefusal(error) && (!taken || error.isDone);
        const first = mayBeAnswered ? await this.answered(request, run, row, digest) : undefined;
        if (first) return replayed(first);
        throw error;
      } finally {
        await forget();
      }
    }
  }

  /**
   * The answer of another request with the same key, which may still be under way.
   * @returns undefined if that one was refused too, or does not answer soon
   * @throws 503 if too many wait for such answers
   */
  private async answered(
    request: OrgRequest,
    run: Run,
    row: RequestKey,
    digest: string,
  ): Promise<Answered | undefined> {
    const read = async (): Promise<Found<Answered>> => {
      const kept = await find(run, row, digest);
      return kept === undefined || isAnswered(kept) ? kept : UNDER_WAY;
    };
    const found = await read();
    if (found !== UNDER_WAY) return found;
    const { org_id: owner } = row;
    if (!this.awaited.hasRoom(owner))
      throw unavailable('idempotent_request_busy', 'The first request with this key is under way; try again.');
    // The first request may wait for a place.
    request.place?.leave();
    return this.awaited.of(owner, keyText(row, digest), read);
  }

  /** The effect is committed: a failure to store the answer does not undo it. */
  private async goOn(scope: OrgContext, { goOn }: Continued<unknown>, taken: TakenKey, keep: Keep): Promise<unknown> {
    const note = (work: (tx: Tx) => Promise<void>) =>
      this.unitOfWork
        .run(scope, work)
        .catch((error: unknown) =>
          this.logger.warn({ err: error }, 'the outcome of an idempotent request was not stored'),
        );
    try {
      const answer = await goOn();
      await note((tx) => keep(tx, taken, answer, true));
      return answer;
    } catch (error) {
      await note((tx) => forgetKey(tx, taken));
      throw error;
    }
  }
}

/** What a repetition must have in common with the first request, whose subject may be in the path alone. */
const requestDigest = ({ originalUrl, bodyDigest = '' }: OrgRequest): string =>
  createHash('sha256').update(`${originalUrl}\n${bodyDigest}`).digest('hex');

const rowKey = ({ orgId, actorId, operation }: OrgContext, key: string): RequestKey => ({
  org_id: orgId,
  actor_id: actorId,
  operation,
  key_digest: createHash('sha256').update(key).digest(),
});

const keyText = (
  { org_id: orgId, actor_id: actorId, operation, key_digest: key }: RequestKey,
  digest: string,
): string => [orgId, actorId, operation, key.toString('base64'), digest].join(' ');

const runIn =
  (tx: Tx): Run =>
  (statement, values) =>
    tx.prepared(statement, values);

/** The stored row of a key; undefined if it was released meanwhile. */
async function find(run: Run, row: RequestKey, digest: string): Promise<KeptAnswer | undefined> {
  const kept = await findAnswer(run, row);
  if (kept && kept.request_digest !== digest)
    throw new Problem(422, 'idempotency_key_reused', 'This Idempotency-Key was used with another body or path.');
  return kept;
}

type Answered = KeptAnswer & { readonly status: number };

const isAnswered = (kept: KeptAnswer | undefined): kept is Answered => kept?.status != null;

/** Not a failure: the operation was asked for what it does not do, or not again. */
const isRefusal = (error: unknown): error is Problem => error instanceof Problem && error.status < 500;

async function replay(
  tx: Tx,
  row: RequestKey,
  digest: string,
  open: (sealed: Buffer) => string | undefined,
): Promise<{ answer: unknown; status: number | null }> {
  const kept = await find(runIn(tx), row, digest);
  invariant(kept, 'a key that was not taken is there');
  const answer = open(kept.answer);
  if (answer === undefined)
    throw conflict('idempotent_answer_sealed', 'The first answer holds a secret and is given to its own bearer only.');
  return { answer: parseJson(answer), status: kept.status };
}
