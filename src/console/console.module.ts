import { Module } from '@nestjs/common';
import { ConsoleRoutes } from './console-routes';

/** Serves the operator console, a client of the API that runs in browsers. */
@Module({ providers: [ConsoleRoutes] })
export class ConsoleModule {}
