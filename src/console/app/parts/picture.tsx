import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from './page';

interface PictureProps {
  readonly title: string;
  /** What it shows, in a sentence computed from its data. */
  readonly summary: ReactNode;
  /** Whether the table stands in its place; the address says so. */
  readonly isTable: boolean;
  readonly show: (table: boolean) => void;
  /** The same data, for people who want or need them as text. */
  readonly table: ReactNode;
  readonly children: ReactNode;
}

/** A chart, with its heading, its sentence, and the table that can stand in its place. */
export const Picture = ({ title, summary, isTable, show, table, children }: PictureProps) => (
  <Section
    title={title}
    summary={summary}
    aside={
      <Button size="compact-xs" variant="default" onClick={() => show(!isTable)}>
        {isTable ? 'Show as chart' : 'Show as table'}
      </Button>
    }
  >
    {isTable ? table : children}
  </Section>
);
