import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../scheduling/sweeps';
import { LocalStorage } from './local-storage';

/** Failed uploads remove their files, but a killed process cannot. */
@Injectable()
export class AbandonedUploads implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly storage: LocalStorage,
  ) {}

  onModuleInit(): void {
    const run = () => this.storage.removeAbandoned();
    this.sweeps.add({ name: 'abandoned uploads', everySeconds: 600, run });
  }
}
