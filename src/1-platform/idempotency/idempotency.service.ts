import { createHash } from 'node:crypto';
import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { QueryResultRow } from 'pg';
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
import { conflict, invalidField, Problem } from '../common/answers/problem';
import { StatementPool } from '../database/connections/statement-pool';
import type { Statement, Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { seal, unseal } from './answer-seal';

/** The work is not done: a repeated request runs again. */
const ACCEPTED = 202;

const KEY = /^[\x21-\x7e]{1,255}$/;

// The row is inserted in the transaction of the effect: a concurrent repetition waits for its end. A key of
// more than a day ago counts as new.
const TAKE = {
  name: 'idempotency-take',
  text: `
    insert into idempotency_keys as kept (org_id, actor_id, operation, key_digest, request_digest)
    values ($1, $2, $3, $4, $5)
    on conflict (org_id, actor_id, operation, key_digest) do update
      set request_digest = excluded.request_digest, answer = null, status = null, created_at = clock_timestamp()
      where kept.created_at < clock_timestamp() - interval '24 hours'
    returning 1 as taken`,
};
const FIND = {
  name: 'idempotency-find',
  text: 'select request_digest, answer, status from idempotency_keys where org_id = $1 and actor_id = $2 and operation = $3 and key_digest = $4',
};
const KEEP = {
  name: 'idempotency-keep',
  text: 'update idempotency_keys set answer = $5, status = $6 where org_id = $1 and actor_id = $2 and operation = $3 and key_digest = $4',
};
// An answer that another request with the same key has stored meanwhile stays.
const FORGET_UNANSWERED = {
  name: 'idempotency-forget-unanswered',
  text: `
    delete from idempotency_keys
    where org_id = $1 and actor_id = $2 and operation = $3 and key_digest = $4 and answer is null`,
};
const FORGET = {
  name: 'idempotency-forget-one',
  text: 'delete from idempotency_keys where org_id = $1 and actor_id = $2 and operation = $3 and key_digest = $4',
};

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
  constructor(
    private readonly reflector: Reflector,
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementPool,
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
    const { creates } = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    const prepared = await prepare();
    if (creates === 'apart') return this.apart(request, http.getResponse<Response>(), key, prepared);
    return this.once(request, http.getResponse<Response>(), key, creates === 'secret', prepared);
  }

  private async once(
    request: OrgRequest,
    response: Response,
    key: string,
    secret: boolean,
    { run }: Prepared<unknown>,
  ): Promise<unknown> {
    const { orgContext } = request;
    invariant(orgContext, 'an operation that creates is not public');
    const bearer = bearerOf(request.headers.authorization) ?? '';
    const row = rowKey(orgContext, key);
    const keepable = (answer: unknown) => {
      const json = JSON.stringify(answer ?? null);
      return [...row, secret ? seal(json, bearer, key) : Buffer.from(json, 'utf8'), response.statusCode];
    };
    const answer = await this.unitOfWork.run(orgContext, async (tx) => {
      const digest = requestDigest(request);
      if ((await tx.prepared(TAKE, [...row, digest])).length === 0) {
        response.setHeader('idempotent-replayed', 'true');
        const open = (sealed: Buffer) => (secret ? unseal(sealed, bearer, key) : sealed.toString('utf8'));
        const { status, answer } = await replay(tx, row, digest, open);
        if (status !== null) response.status(status);
        return answer;
      }
      const answer = shownIn(response, await run());
      await tx.prepared(KEEP, keepable(answer instanceof Continued ? answer.soFar : answer));
      return answer;
    });
    if (!(answer instanceof Continued)) return answer;
    return this.goOn(orgContext, answer, (tx, ended) => tx.prepared(KEEP, keepable(ended)), row);
  }

  /**
   * A concurrent repetition does the work too, as one without a key would, and the operation finds its own
   * result. So does one after the process died in between.
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
    const run: RunStatement = (statement, values) => this.statements.run(statement, values);
    if ((await run(TAKE, [...row, digest])).length === 0) {
      const kept = await find(run, row, digest);
      if (kept?.status != null) {
        response.setHeader('idempotent-replayed', 'true');
        response.status(kept.status);
        return parseJson(kept.answer.toString('utf8'));
      }
    }
    const note = (statement: Statement, values: unknown[]) =>
      run(statement, values).catch((error: unknown) =>
        this.logger.warn({ err: error }, 'what became of a request was not noted'),
      );
    try {
      const answer = shownIn(response, await change());
      if (response.statusCode === ACCEPTED) await note(FORGET_UNANSWERED, row);
      else await note(KEEP, [...row, Buffer.from(JSON.stringify(answer ?? null), 'utf8'), response.statusCode]);
      return answer;
    } catch (error) {
      await note(FORGET_UNANSWERED, row);
      throw error;
    }
  }

  /** The effect is committed: a failure to store the answer does not undo it. */
  private async goOn(
    scope: OrgContext,
    { goOn }: Continued<unknown>,
    keep: (tx: Tx, answer: unknown) => Promise<unknown>,
    row: unknown[],
  ): Promise<unknown> {
    const note = (work: (tx: Tx) => Promise<unknown>) =>
      this.unitOfWork
        .run(scope, work)
        .catch((error: unknown) => this.logger.warn({ err: error }, 'what became of a request was not noted'));
    try {
      const answer = await goOn();
      await note((tx) => keep(tx, answer));
      return answer;
    } catch (error) {
      await note((tx) => tx.prepared(FORGET, row));
      throw error;
    }
  }
}

/** What a repetition must have in common with the first request, whose subject may be in the path alone. */
const requestDigest = ({ originalUrl, bodyDigest = '' }: OrgRequest): string =>
  createHash('sha256').update(`${originalUrl}\n${bodyDigest}`).digest('hex');

const rowKey = ({ orgId, actorId, operation }: OrgContext, key: string): unknown[] => [
  orgId,
  actorId,
  operation,
  createHash('sha256').update(key).digest(),
];

type RunStatement = <R extends QueryResultRow>(statement: Statement, values: unknown[]) => Promise<R[]>;

interface KeptAnswer extends QueryResultRow {
  request_digest: string;
  answer: Buffer;
  status: number | null;
}

/** The stored row of a key; undefined if it was released meanwhile. */
async function find(run: RunStatement, row: unknown[], digest: string): Promise<KeptAnswer | undefined> {
  const [kept] = await run<KeptAnswer>(FIND, row);
  if (kept && kept.request_digest !== digest)
    throw new Problem(422, 'idempotency_key_reused', 'This Idempotency-Key was used with another body or path.');
  return kept;
}

async function replay(
  tx: Tx,
  row: unknown[],
  digest: string,
  open: (sealed: Buffer) => string | undefined,
): Promise<{ answer: unknown; status: number | null }> {
  const kept = await find((statement, values) => tx.prepared(statement, values), row, digest);
  invariant(kept, 'a key that was not taken is there');
  const answer = open(kept.answer);
  if (answer === undefined)
    throw conflict('idempotent_answer_sealed', 'The first answer holds a secret and is given to its own bearer only.');
  return { answer: parseJson(answer), status: kept.status };
}
