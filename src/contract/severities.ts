/** Apart from the endpoints, for those who show signals and know of no schemas. */
export const SEVERITIES = ['info', 'low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];
