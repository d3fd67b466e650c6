import pino, { type DestinationStream, type Logger } from 'pino';
import { DynamicModule, Module, type LoggerService } from '@nestjs/common';
import { traceOfLog } from './current-trace';

/** Token of the service's logger. */
export const LOGGER = Symbol('LOGGER');

/**
 * The logged part of an error. Drivers attach much more: values of statements, a whole connection with its
 * keys.
 */
const ERROR_MEMBERS = [
  'type',
  'message',
  'stack',
  'code',
  'severity',
  'constraint',
  'table',
  'syscall',
  'address',
  'port',
];

function errorFacts(error: Error): Record<string, unknown> {
  const facts: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  return Object.fromEntries(ERROR_MEMBERS.filter((name) => name in facts).map((name) => [name, facts[name]]));
}

const STANDARD_ERROR = 2;

/** Lines of a turn of the event loop are written at once when they have so many characters. */
const MAX_HELD = 64 * 1024;

/**
 * Hot path: a system call for each line would be a tenth of a busy service's processor time, so the lines of
 * one turn of the event loop share one. A fatal line is written at once with those before it, and an exit of
 * Node writes the rest. A process that is killed or aborts in the middle of a turn loses the lines of that.
 */
export class LinesOfTurn implements DestinationStream {
  private held = '';

  constructor(
    private readonly destination: DestinationStream,
    process: Pick<NodeJS.Process, 'on'> = globalThis.process,
  ) {
    process.on('exit', () => this.flushSync());
  }

  write(line: string): void {
    if (this.held === '') setImmediate(() => this.flushSync());
    this.held += line;
    if (this.held.length > MAX_HELD) this.flushSync();
  }

  /** Called by pino after a fatal line. */
  flushSync(): void {
    const lines = this.held;
    this.held = '';
    if (lines !== '') this.destination.write(lines);
  }
}

let lines: LinesOfTurn | undefined;
const onStandardError = (): DestinationStream => (lines ??= new LinesOfTurn(pino.destination(STANDARD_ERROR)));

/**
 * JSON lines on standard error; standard output is for the person who starts the service. Fields are selected
 * one by one, so that no token, header or body gets into it. Of a refused body, only names of members do.
 */
export const createLogger = (level: string, destination: DestinationStream = onStandardError()): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFacts },
      mixin: traceOfLog,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

/**
 * As `createLogger`, with lines for people where `pretty` is set: colours on a terminal, the time of day and
 * one line for each message. The package is loaded only then.
 */
export async function createLoggerFor({ logLevel, logPretty }: LogSettings): Promise<Logger> {
  if (!logPretty) return createLogger(logLevel);
  const { default: pretty } = await import('pino-pretty');
  const { isTTY } = process.stderr;
  // Written at once: the last one before an exit is the one that matters.
  const readable = pretty({ destination: STANDARD_ERROR, sync: true, colorize: isTTY, singleLine: true });
  return createLogger(logLevel, readable);
}

interface LogSettings {
  readonly logLevel: string;
  readonly logPretty: boolean;
}

/** Lets the framework's own messages through the same logger. */
export class FrameworkLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  error(message: unknown, stack?: string, context?: string): void {
    this.logger.error({ context, stack }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}

@Module({})
export class LoggerModule {
  static with(logger: Logger): DynamicModule {
    return {
      module: LoggerModule,
      global: true,
      providers: [{ provide: LOGGER, useValue: logger }],
      exports: [LOGGER],
    };
  }
}
