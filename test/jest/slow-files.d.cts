export const SECONDS: Readonly<Record<string, number>>;
export const TURNS: number;
export function filesOfOtherTurns(turn: string): string[];
