import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { BODY_LIMITS } from '../auth/operation.decorator';
import { answerJson, answerProtobuf, toldBy } from './otlp';
import { readJson, readProtobuf } from './otlp-message';
import { decompress, readVersion1, readVersion2, uncompressedLength } from './remote-write';
import { SampleBacklog } from './sample-backlog';
import type { Outcome } from './sample-outcome';
import { someRefused, tooBusy, tooMuchAtOnce, unreadable, unsupported } from './samples.errors';
import { SamplesService } from './samples.service';
import { TooMuchAtOnce, UnreadableBody } from './told-samples';

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

/** What the two protocols have of their own: the form of a body, and how it is answered. */
@Injectable()
export class SamplesIntake {
  constructor(
    private readonly samples: SamplesService,
    private readonly backlog: SampleBacklog,
  ) {}

  /** @returns the headers of the answer */
  async remoteWrite(context: OrgContext, contentType: string, body: unknown): Promise<Record<string, string>> {
    const version = versionOf(contentType);
    const block = bytesOf(body);
    const length = uncompressedLength(block);
    if (length === undefined) throw unreadable('is no block of snappy');
    if (length > BODY_LIMITS.batch) throw tooMuchAtOnce(`more than ${BODY_LIMITS.batch} bytes`);
    if (!this.backlog.take(length)) throw tooBusy();
    try {
      const outcome = await asProblem(async () => {
        const message = await decompress(block);
        const told = version === 2 ? readVersion2(message) : readVersion1(message);
        return this.samples.write(context, told, version === 2 ? 'remote_write_2' : 'remote_write_1');
      });
      const headers = version === 2 ? written(outcome.stored) : {};
      if (outcome.refusals > 0) throw someRefused(outcome.message, headers);
      return headers;
    } finally {
      this.backlog.release(length);
    }
  }

  async otlp(context: OrgContext, contentType: string, body: unknown): Promise<OtlpAnswer> {
    const protobuf = mediaTypeOf(contentType) === 'application/x-protobuf';
    // In protobuf, nothing told is a message of no bytes.
    const bytes = body === undefined && protobuf ? Buffer.alloc(0) : bytesOf(body);
    const outcome = await asProblem(async () => {
      const told = toldBy(protobuf ? readProtobuf(bytes) : readJson(bytes));
      return this.samples.write(context, told, 'otlp');
    });
    const message = outcome.refusals > 0 ? outcome.message : '';
    return protobuf
      ? { contentType: 'application/x-protobuf', body: answerProtobuf(outcome.refusals, message) }
      : { contentType: 'application/json', body: answerJson(outcome.refusals, message) };
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

/** Histograms and exemplars are taken and not stored. */
const written = (samples: number): Record<string, string> => ({
  [`${WRITTEN}-samples-written`]: String(samples),
  [`${WRITTEN}-histograms-written`]: '0',
  [`${WRITTEN}-exemplars-written`]: '0',
});

async function asProblem(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnreadableBody) throw unreadable(error.message, error);
    if (error instanceof TooMuchAtOnce) throw tooMuchAtOnce(error.message);
    throw error;
  }
}
