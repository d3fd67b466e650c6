// The whole package takes 50 ms of each start, for a compiler of schemes.
import { Reader } from 'protobufjs/minimal';

const VARINT = 0;
const BYTES = 2;

/** Numbers and byte strings of one message, by field. The last value of a field counts. */
export function fieldsOf(message: Uint8Array): Map<number, number | Uint8Array> {
  const reader = Reader.create(message);
  const fields = new Map<number, number | Uint8Array>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const type = tag & 7;
    if (type === VARINT) fields.set(tag >>> 3, Number(reader.uint64()));
    else if (type === BYTES) fields.set(tag >>> 3, reader.bytes());
    else reader.skipType(type);
  }
  return fields;
}
