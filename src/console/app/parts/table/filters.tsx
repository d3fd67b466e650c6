import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { SearchIcon } from '../icons';
import styles from './filters.module.css';

/** What a list shows. Every filter is in the address, so these only read and write it. */

export const Filters = ({ label, children }: { label: string; children: ReactNode }) => (
  <div role="search" aria-label={label} className={styles.filters}>
    {children}
  </div>
);

/** One of a few words; the first choice stands for all. */
export function Choice<T extends string>({
  label,
  all,
  words,
  value,
  change,
}: {
  label: string;
  /** What stands for none of them; without it, one is always chosen. */
  all?: string;
  words: readonly T[] | Readonly<Record<T, string>>;
  value: T | undefined;
  change: (value: T | undefined) => void;
}) {
  const named: readonly (readonly [string, string])[] = Array.isArray(words)
    ? (words as readonly T[]).map((word) => [word, word[0]?.toUpperCase() + word.slice(1)])
    : Object.entries<string>(words as Record<T, string>);
  return (
    <div className={styles.choice}>
      <SegmentedControl
        aria-label={label}
        size="xs"
        value={value ?? ''}
        onChange={(chosen) => change(chosen === '' ? undefined : (chosen as T))}
        data={[
          ...(all === undefined ? [] : [{ value: '', label: all }]),
          ...named.map(([word, shown]) => ({ value: word, label: shown })),
        ]}
      />
    </div>
  );
}

/** One of many words, which can be searched. */
export const Pick = ({
  label,
  data,
  value,
  change,
}: {
  label: string;
  data: readonly (string | { value: string; label: string })[];
  value: string | undefined;
  change: (value: string | undefined) => void;
}) => (
  <Select
    aria-label={label}
    placeholder={label}
    size="xs"
    data={[...data]}
    value={value ?? null}
    onChange={(chosen) => change(chosen ?? undefined)}
    searchable
    clearable
    limit={100}
    clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
    className={styles.pick}
  />
);

const PAUSE_MS = 250;

/** A part of a name. It is searched for when the user pauses. */
export function NameFilter({
  label,
  value,
  change,
}: {
  label: string;
  value: string | undefined;
  change: (value: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const sent = useRef(value);
  useEffect(() => {
    // What was sent comes back without the spaces around it, while the user may type on.
    if (value === sent.current) return;
    sent.current = value;
    setText(value ?? '');
  }, [value]);
  const search = useDebouncedCallback((wanted: string) => {
    sent.current = wanted === '' ? undefined : wanted;
    change(sent.current);
  }, PAUSE_MS);
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      size="xs"
      leftSection={<SearchIcon />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value.trim());
      }}
      className={styles.pick}
    />
  );
}
