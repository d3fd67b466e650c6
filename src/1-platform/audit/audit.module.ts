import { Global, Module } from '@nestjs/common';
import { AuditHistory } from './audit-history';
import { AuditTrail } from './audit-trail';
import { AuditController } from './audit.controller';
import { AuditService } from './audit.service';

@Global()
@Module({ controllers: [AuditController], providers: [AuditTrail, AuditService, AuditHistory], exports: [AuditTrail] })
export class AuditModule {}
