import type { ReactNode } from 'react';
import styles from './icons.module.css';

/** Drawn on a grid of 16, in the colour of the text beside them. Words always stand beside an icon. */
const drawn = (children: ReactNode) =>
  function Icon() {
    return (
      <svg className={styles.icon} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {children}
      </svg>
    );
  };

export const GoodIcon = drawn(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M5.2 8.2 7.2 10.2 10.9 6.2" />
  </>,
);
export const BadIcon = drawn(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M5.8 5.8 10.2 10.2M10.2 5.8 5.8 10.2" />
  </>,
);
export const BusyIcon = drawn(
  <>
    <path d="M8 1.75a6.25 6.25 0 1 1-6.25 6.25" />
    <path d="M8 4.8V8l2.2 1.4" />
  </>,
);
export const WarnIcon = drawn(
  <>
    <path d="M8 2 14.5 13.5H1.5Z" />
    <path d="M8 6.4V9.6M8 11.4v.3" />
  </>,
);
export const QuietIcon = drawn(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M5.2 8h5.6" />
  </>,
);
export const SearchIcon = drawn(
  <>
    <circle cx="7" cy="7" r="4.5" />
    <path d="M10.4 10.4 14 14" />
  </>,
);
export const PauseIcon = drawn(<path d="M5.5 3.5v9M10.5 3.5v9" />);
export const PlayIcon = drawn(<path d="M5 3.2 12.5 8 5 12.8Z" />);
export const SunIcon = drawn(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1" />
  </>,
);
export const MoonIcon = drawn(<path d="M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z" />);
export const LeaveIcon = drawn(<path d="M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6" />);
export const ArrowIcon = drawn(<path d="M6 3.5 10.5 8 6 12.5" />);

export const Wordmark = () => (
  <span className={styles.wordmark}>
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false" className={styles.logo}>
      <rect width="32" height="32" rx="7" />
      <path d="M8 21h4v-8h4v8h4V9h4" />
    </svg>
    Control plane
  </span>
);
