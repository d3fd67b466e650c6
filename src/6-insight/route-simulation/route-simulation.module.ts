import { Module } from '@nestjs/common';
import { RouteSimulationController } from './route-simulation.controller';
import { RouteSimulationService } from './route-simulation.service';

@Module({ controllers: [RouteSimulationController], providers: [RouteSimulationService] })
export class RouteSimulationModule {}
