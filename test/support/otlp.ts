import { Reader } from 'protobufjs/minimal';

/** The rejections in an `ExportMetricsServiceResponse`. */
export function rejectedIn(bytes: Uint8Array): { rejected: number; message: string } {
  const reader = Reader.create(bytes);
  const found = { rejected: 0, message: '' };
  while (reader.pos < reader.len) {
    reader.uint32();
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) {
      const tag = reader.uint32();
      if (tag === 8) found.rejected = reader.uint32();
      else found.message = reader.string();
    }
  }
  return found;
}

/** `google.rpc.Status`. */
export function statusIn(bytes: Uint8Array): { code: number; message: string } {
  const reader = Reader.create(bytes);
  const found = { code: 0, message: '' };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 8) found.code = reader.int32();
    else found.message = reader.string();
  }
  return found;
}
