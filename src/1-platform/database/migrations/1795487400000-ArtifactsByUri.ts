import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildBeside } from '../schema/build-beside';

/** A list by location: controllers ask who else has the same bytes before they remove any. */
export class ArtifactsByUri1795487400000 implements MigrationInterface {
  name = 'ArtifactsByUri1795487400000';
  // The index is built while artifacts are registered.
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildBeside(
      queryRunner,
      'artifacts_by_uri_idx',
      `CREATE INDEX CONCURRENTLY "artifacts_by_uri_idx" ON "artifacts" USING hash ("uri") WHERE uri <> ''`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "artifacts_by_uri_idx"');
  }
}
