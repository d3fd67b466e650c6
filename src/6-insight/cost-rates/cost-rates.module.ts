import { Module } from '@nestjs/common';
import { ProfilesModule } from '../../4-serving/profiles/profiles.module';
import { CostRatesController } from './cost-rates.controller';
import { CostRatesService } from './cost-rates.service';

@Module({ imports: [ProfilesModule], controllers: [CostRatesController], providers: [CostRatesService] })
export class CostRatesModule {}
