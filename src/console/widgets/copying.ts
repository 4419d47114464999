/** Copying with a report. */
import { useState } from 'react';

/** Copies a text and returns what to report. */
export type Copy = (text: string) => Promise<string>;

/** Returns the last report and a function that copies. */
export function useCopying(copy: Copy): [report: string, copyText: (text: string) => void] {
  const [report, setReport] = useState('');
  return [report, (text) => void copy(text).then(setReport, () => setReport('The browser refuses to copy'))];
}
