/** Reasons of the access log: why somebody reads personal data. */

const SAYS_SOMETHING = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The reason as it was given; undefined when none was, or one of blanks and invisible characters only. */
export function givenReason(text: string | null | undefined): string | undefined {
  return text != null && SAYS_SOMETHING.test(text) ? text : undefined;
}
