import { Module } from '@nestjs/common';
import { AdmissionsService } from './admissions.service';
import { SettlementsService } from './settlements.service';

/** What requests of keys may cost, do cost, and did. */
@Module({ providers: [AdmissionsService, SettlementsService], exports: [AdmissionsService, SettlementsService] })
export class SpendingModule {}
