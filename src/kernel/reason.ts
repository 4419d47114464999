/** Reasons of the access log: why somebody reads personal data. */

/** The reason as it was given; undefined when none was, or one of blanks and invisible characters only. */
export function givenReason(text: string | null | undefined): string | undefined {
  // Written here, for classes of Unicode are looked up when the expression is first met: at a start, not in vain.
  return text != null && /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : undefined;
}
