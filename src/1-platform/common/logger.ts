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

/**
 * JSON lines on standard error; standard output is for the person who starts the service. Fields are selected
 * one by one, so that no token, header or body gets into it. Of a refused body, only names of members do.
 */
export const createLogger = (
  level: string,
  destination: DestinationStream = pino.destination(STANDARD_ERROR),
): Logger =>
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
  // Written at once, as the other lines are: the last one before an exit is the one that matters.
  const lines = pretty({ destination: STANDARD_ERROR, sync: true, colorize: isTTY, singleLine: true });
  return createLogger(logLevel, lines);
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
