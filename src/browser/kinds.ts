/** The kinds as members, for code that doesn't write them as texts. */
export const ComponentKind: {
  readonly Auth: 'auth';
  readonly Components: 'components';
  readonly Form: 'form';
  readonly Render: 'render';
  readonly UpdateLoginMethods: 'update_login_methods';
  readonly Verify: 'verify';
  readonly VerifyButton: 'verify-button';
} = {
  Auth: 'auth',
  Components: 'components',
  Form: 'form',
  Render: 'render',
  UpdateLoginMethods: 'update_login_methods',
  Verify: 'verify',
  VerifyButton: 'verify-button',
};
