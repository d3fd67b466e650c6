import { Module } from '@nestjs/common';
import { ProfileProgressController } from './profile-progress.controller';
import { ProfileProgressService } from './profile-progress.service';

@Module({ controllers: [ProfileProgressController], providers: [ProfileProgressService] })
export class ProfileProgressModule {}
