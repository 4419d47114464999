/**
 * Whether a text is free of unpaired surrogates. One that is not has no form in UTF-8: encoders put U+FFFD for each of
 * them, so that two different texts become the same bytes.
 */
export function isWellFormedText(text: string): boolean {
  // Node 20 has the method, its types know it later.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
