/** Every environment variable that kyclone reads, and what it is for. */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  KYCLONE_INSTANCE: 'the instance to speak to, as --instance',
  KYCLONE_BASE_URL: 'the address of the daemon to speak to, where no instance is named',
  KYCLONE_API_KEY: 'the API key for the daemon of KYCLONE_BASE_URL',
  KYCLONE_LIVE_API_KEY: 'set by kyclone exec for its command: the key of the live environment',
  KYCLONE_CONTROL_TOKEN: 'the control token for the daemon of KYCLONE_BASE_URL',
  KYCLONE_HOME: 'one folder for everything: data, state and configuration',
  KYCLONE_VAULT_KEY: 'the vault key, in hex or base64, where no keychain is',
  KYCLONE_VAULT_PASSPHRASE: 'the passphrase that opens the vault',
  KYCLONE_SNAPSHOT_KEY: 'the key of snapshot files that another vault is to open',
  KYCLONE_NO_KEYCHAIN: "keep the vault key in a file instead of the system's keychain",
  KYCLONE_PARTNER_API_KEY: 'what users cip signs in to a partner with',
  KYCLONE_PARTNER_API_SECRET: 'what users cip signs in to a partner with',
  KYCLONE_WEBHOOK_SECRET: 'the secret that webhooks verify verifies with',
  KYCLONE_DEBUG: 'show where an unexpected failure came from',
  NO_COLOR: 'no colours',
  CI: 'no colours, no questions, nothing that is drawn over again',
  TERM: 'dumb: no colours, no questions, nothing that is drawn over again',
  SHELL: 'whose words env and completion use',
  XDG_DATA_HOME: 'where the vault is kept, and where completions go',
  XDG_STATE_HOME: 'where locator, log and API keys of an instance are kept',
  XDG_CONFIG_HOME: 'where settings are kept, and where completions of fish go',
  BASH_COMPLETION_USER_DIR: 'where completion install puts the script of bash',
  ZDOTDIR: 'where the .zshrc is that completion install writes to',
};

/** Of the build; nobody sets it. */
export const INTERNAL_VARIABLES: readonly string[] = ['KYCLONE_WRITE_CODE_CACHE'];
