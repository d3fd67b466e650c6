import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writer } from 'protobufjs/minimal';
import type { Problem } from '../common/answers/problem';

/** gRPC's codes, by the equivalent HTTP statuses. */
const CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 10,
  413: 8,
  415: 3,
  429: 8,
  503: 14,
};
const INTERNAL = 13;
const PROTOBUF = 'application/x-protobuf';

/**
 * A failure in the format of OTLP's clients: `google.rpc.Status`, in protobuf if the request was, else in
 * JSON.
 */
export function sendStatus(req: IncomingMessage, response: ServerResponse, { status, message }: Problem): void {
  const code = CODES[status] ?? INTERNAL;
  response.statusCode = status;
  if (req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() === PROTOBUF) {
    const bytes = Writer.create().uint32(8).int32(code).uint32(18).string(message).finish();
    response.setHeader('content-type', PROTOBUF);
    response.end(Buffer.from(bytes));
  } else {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ code, message }));
  }
}
