const MARK = 'ccp-agent-since=';
const IN_COMMENT = new RegExp(`(?<!\\S)${MARK}(\\d{1,15})(?!\\S)`);

/**
 * Since when the number of a job is its own, in its Comment, in seconds since 1970: that stays with a
 * requeued job and ends with the job, each node can read it, and the owner of a job may change it.
 * @returns undefined if no run of the job has noted it
 */
export function sinceIn(comment: string): number | undefined {
  const [, seconds] = IN_COMMENT.exec(comment) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** What others wrote stays. @param comment without such a note */
export const withSince = (comment: string, since: number): string => `${comment} ${MARK}${since}`.trimStart();
