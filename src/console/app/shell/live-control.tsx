import { Button } from '@mantine/core';
import { live } from '../api/live';
import { exact } from '../parts/time/moment';
import { PauseIcon, PlayIcon, WarnIcon } from '../parts/icons';
import { useStore } from '../session/store';
import styles from './live-control.module.css';

const clockTime = (at: number): string => new Date(at).toLocaleTimeString('en-GB');

/** Live updates, and their pause. A frozen view says since when it is frozen. */
export function LiveControl() {
  const { mode, since } = useStore(live);
  if (mode === 'paused')
    return (
      <Button
        size="xs"
        variant="light"
        color="yellow"
        leftSection={<PlayIcon />}
        onClick={() => live.resume()}
        title={`Frozen at ${exact(since)}`}
      >
        <span className={styles.long}>Frozen at {clockTime(since)}: resume</span>
        <span className={styles.short}>Resume</span>
      </Button>
    );
  return (
    <>
      {mode === 'interrupted' && (
        <span className={styles.interrupted} role="status" title={`Since ${exact(since)}`}>
          <WarnIcon />
          <span className={styles.long}>No live updates since {clockTime(since)}</span>
        </span>
      )}
      <Button
        className={styles.live}
        size="xs"
        variant="default"
        leftSection={<PauseIcon />}
        onClick={() => live.pause()}
        aria-label="Pause live updates"
      >
        <span className={styles.long}>Live</span>
      </Button>
    </>
  );
}
