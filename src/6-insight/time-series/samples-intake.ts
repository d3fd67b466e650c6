import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { BODY_LIMITS } from '../../1-platform/endpoints/body-limits';
import { stepsInSlices } from '../../1-platform/common/work/slices';
import { answerJson, answerProtobuf, samplesOf } from './protocols/otlp';
import { readJson, readProtobuf } from './protocols/otlp-message';
import { decompress, readVersion1, readVersion2, uncompressedLength } from './protocols/remote-write';
import { SampleBacklog } from './sample-backlog';
import type { Protocol } from './sample-metrics';
import type { Outcome } from './rows/sample-outcome';
import { LaneRows } from './rows/sample-store';
import { someRefused, tooBusy, tooMuchAtOnce, unreadable, unsupported } from './samples.errors';
import { SamplesService } from './samples.service';
import { TooMuchAtOnce, UnreadableBody, type ReceivedSamples } from './protocols/received-samples';

/** The messages of remote-write, by the parameter `proto` of the content type. */
const VERSIONS: Readonly<Record<string, 1 | 2>> = {
  'prometheus.WriteRequest': 1,
  'io.prometheus.write.v2.Request': 2,
};

const WRITTEN = 'x-prometheus-remote-write';

export interface OtlpAnswer {
  readonly contentType: string;
  readonly body: Buffer | string;
}

/** Bodies up to this size are read concurrently: their content is small too. */
const SMALL_BODY = 128 * 1_024;

/** A block may inflate to this many times its bytes, plus a constant. Snappy itself never reaches that. */
const MAX_INFLATION = 100;
const INFLATION_SPARE = 1_024 * 1_024;

/** The differences between the two protocols: the form of a body, and of its reply. */
@Injectable()
export class SamplesIntake {
  /** Ends when the last large body is read. */
  private reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly samples: SamplesService,
    private readonly backlog: SampleBacklog,
  ) {}

  /** @returns the headers of the reply */
  async remoteWrite(context: OrgContext, contentType: string, body: unknown): Promise<Record<string, string>> {
    const version = versionOf(contentType);
    const block = bytesOf(body);
    const length = uncompressedLength(block);
    if (length === undefined) throw unreadable('is no block of snappy');
    const limit = Math.min(BODY_LIMITS.batch, MAX_INFLATION * block.length + INFLATION_SPARE);
    if (length > limit) throw tooMuchAtOnce(`more than ${limit} bytes`);
    const outcome = await this.holding(context, length, () =>
      this.stored(context, length, version === 2 ? 'remote_write_2' : 'remote_write_1', async () => {
        const message = await decompress(block, length);
        return stepsInSlices(version === 2 ? readVersion2(message) : readVersion1(message));
      }),
    );
    const headers = version === 2 ? written(outcome.stored) : {};
    if (outcome.refusals > 0) throw someRefused(outcome.message, headers);
    return headers;
  }

  async otlp(context: OrgContext, contentType: string, body: unknown): Promise<OtlpAnswer> {
    const protobuf = mediaTypeOf(contentType) === 'application/x-protobuf';
    // In protobuf, an empty message has no bytes.
    const bytes = body === undefined && protobuf ? Buffer.alloc(0) : bytesOf(body);
    const outcome = await this.stored(context, bytes.length, 'otlp', async () =>
      stepsInSlices(samplesOf(protobuf ? readProtobuf(bytes) : await readJson(bytes))),
    );
    const message = outcome.refusals > 0 ? outcome.message : '';
    return protobuf
      ? { contentType: 'application/x-protobuf', body: answerProtobuf(outcome.refusals, message) }
      : { contentType: 'application/json', body: answerJson(outcome.refusals, message) };
  }

  /** @param length of the body, inflated */
  private async stored(
    context: OrgContext,
    length: number,
    protocol: Protocol,
    read: () => Promise<ReceivedSamples>,
  ): Promise<Outcome> {
    const received = await asProblem(() => (length <= SMALL_BODY ? read() : this.afterOthers(read)));
    // Its rows are there until they are stored, beside what was read.
    const bytes = received.bytes + LaneRows.bytesOf(received.samples);
    return this.holding(context, bytes, () => this.samples.write(context, received, protocol));
  }

  /** Large bodies are read one after the other: each takes many times its bytes meanwhile. */
  private afterOthers<T>(read: () => Promise<T>): Promise<T> {
    const mine = this.reading.then(read);
    this.reading = mine.catch(() => undefined);
    return mine;
  }

  private async holding<T>({ orgId }: OrgContext, bytes: number, work: () => Promise<T>): Promise<T> {
    // Sent again, it would be refused again, for ever.
    if (!this.backlog.fitsAlone(orgId, bytes)) throw tooMuchAtOnce('more samples and labels than an instance can hold');
    if (!this.backlog.take(orgId, bytes)) throw tooBusy();
    try {
      return await work();
    } finally {
      this.backlog.release(orgId, bytes);
    }
  }
}

const mediaTypeOf = (contentType: string): string => contentType.split(';')[0]?.trim().toLowerCase() ?? '';

function versionOf(contentType: string): 1 | 2 {
  const proto = /;\s*proto\s*=\s*"?([^";\s]+)"?/i.exec(contentType)?.[1] ?? 'prometheus.WriteRequest';
  const version = Object.hasOwn(VERSIONS, proto) ? VERSIONS[proto] : undefined;
  if (version === undefined)
    throw unsupported(`The message of the body must be ${Object.keys(VERSIONS).join(' or ')}.`);
  return version;
}

function bytesOf(body: unknown): Buffer {
  if (!Buffer.isBuffer(body)) throw unreadable('is missing');
  return body;
}

/** Histograms and exemplars are accepted and not stored. */
const written = (samples: number): Record<string, string> => ({
  [`${WRITTEN}-samples-written`]: String(samples),
  [`${WRITTEN}-histograms-written`]: '0',
  [`${WRITTEN}-exemplars-written`]: '0',
});

async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableBody) throw unreadable(error.message, error);
    if (error instanceof TooMuchAtOnce) throw tooMuchAtOnce(error.message);
    throw error;
  }
}
