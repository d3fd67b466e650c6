import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Status } from '../parts/status';
import styles from './action-dialog.module.css';

/** The end of an action that the service does at once. */
export const Done = ({ word, children, close }: { word: string; children?: ReactNode; close: () => void }) => (
  <div className={styles.outcome} aria-live="polite">
    <Status tone="good">{word}</Status>
    {children}
    <Button variant="default" onClick={close}>
      Close
    </Button>
  </div>
);
