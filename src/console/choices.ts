/** The columns that were chosen for each list. They stay in this browser; they name columns and nothing else. */
import { useState } from 'react';

const KEPT = 'kyclone-console-columns';

type Choices = Readonly<Record<string, readonly string[]>>;

export function useColumns(list: string): {
  readonly shown: readonly string[] | undefined;
  readonly choose: (keys: readonly string[] | undefined) => void;
} {
  const [choices, setChoices] = useState(read);
  return {
    shown: choices[list],
    choose(keys) {
      const { [list]: _former, ...others } = read();
      const next = keys === undefined ? others : { ...others, [list]: keys };
      localStorage.setItem(KEPT, JSON.stringify(next));
      setChoices(next);
    },
  };
}

function read(): Choices {
  try {
    return (JSON.parse(localStorage.getItem(KEPT) ?? '{}') ?? {}) as Choices;
  } catch {
    return {};
  }
}
