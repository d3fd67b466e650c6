import pino, { type Logger } from 'pino';
import { DynamicModule, Module, type LoggerService } from '@nestjs/common';

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

/**
 * JSON lines on standard error; standard output is for the person who starts the service. Fields are selected
 * one by one, so no token, header or body can slip in.
 */
export const createLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFacts },
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination(2),
  );

/** Passes the framework's own messages to the same logger. */
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
