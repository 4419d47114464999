export interface Check {
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

export const ok = (name: string, message: string): Check => ({ name, outcome: 'ok', message });
export const warn = (name: string, message: string): Check => ({ name, outcome: 'warn', message });
export const fail = (name: string, message: string): Check => ({ name, outcome: 'fail', message });
