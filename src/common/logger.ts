import pino, { type Logger } from 'pino';
import { DynamicModule, Module, type LoggerService } from '@nestjs/common';

/** Token of the service's logger. */
export const LOGGER = Symbol('LOGGER');

/**
 * JSON lines on standard error: standard output is for what a person who starts the service asked for. What is logged is
 * chosen field by field, so no token, header or body can slip in.
 */
export const createLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination(2),
  );

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
