import { readFile } from 'node:fs/promises';
import { fieldsOf } from './protobuf';

/** The two words before the message: a service image, and a statistics image. */
const MAGIC = [0x55105940, 0x57093306] as const;
const HEADER_BYTES = 12;
const FILE_BYTES = 64 * 1024;

/** As CRIU's images/stats.proto declares them: names and numbers are those of the format. */
const DUMP = 1;
const DUMP_FIELDS = {
  1: 'freezing_time',
  2: 'frozen_time',
  3: 'memdump_time',
  4: 'memwrite_time',
  5: 'pages_scanned',
  6: 'pages_skipped_parent',
  7: 'pages_written',
  8: 'irmap_resolve',
  9: 'pages_lazy',
  10: 'page_pipes',
  11: 'page_pipe_bufs',
  12: 'shpages_scanned',
  13: 'shpages_skipped_parent',
  14: 'shpages_written',
} as const;
const RESTORE = 2;
const RESTORE_FIELDS = {
  1: 'pages_compared',
  2: 'pages_skipped_cow',
  3: 'forking_time',
  4: 'restore_time',
  5: 'pages_restored',
} as const;

/** CRIU's names. Times are in microseconds, everything else counts. */
export type CriuStatistics = Readonly<Record<string, number>>;

/**
 * Reads `stats-dump` or `stats-restore`.
 * @throws if the file is not such an image
 */
export async function readStatistics(file: string): Promise<CriuStatistics> {
  const bytes = await readFile(file);
  if (
    bytes.length < HEADER_BYTES ||
    bytes.length > FILE_BYTES ||
    MAGIC.some((word, i) => bytes.readUInt32LE(4 * i) !== word)
  )
    throw new Error(`${file} is not a statistics image of CRIU.`);
  const end = HEADER_BYTES + bytes.readUInt32LE(8);
  if (bytes.length < end) throw new Error(`${file} ends before its message does.`);
  const message = fieldsOf(bytes.subarray(HEADER_BYTES, end));
  return { ...named(message.get(DUMP), DUMP_FIELDS), ...named(message.get(RESTORE), RESTORE_FIELDS) };
}

function named(message: number | Uint8Array | undefined, names: Readonly<Record<number, string>>): CriuStatistics {
  if (!(message instanceof Uint8Array)) return {};
  const numbers = [...fieldsOf(message)].filter((field) => typeof field[1] === 'number' && field[0] in names);
  return Object.fromEntries(numbers.map(([field, value]) => [names[field], value])) as CriuStatistics;
}
