/**
 * Whether a text has no unpaired surrogates. A text that has one can't be encoded in UTF-8: encoders replace each with
 * U+FFFD, so that two different texts become the same bytes.
 */
export function isWellFormedText(text: string): boolean {
  // Node 20 has this method, but its type definitions don't.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
