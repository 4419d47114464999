/** Reasons in the access log: why a caller reads personal data. */

/** The reason as given; undefined when there is none, or only blanks and invisible characters. */
export function givenReason(text: string | null | undefined): string | undefined {
  // Inline, because the engine looks up Unicode classes when it first evaluates the expression. A constant would cost
  // that at every start.
  return text != null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : undefined;
}
