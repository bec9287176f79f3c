import { blankViolations, defineSettings, flag, text } from './definition.ts'

/** SMS settings (behaviour/platform#api-settings). Messages are recorded, but never sent. */
export const smsSettings = defineSettings({
  name: 'sms',
  title: 'the settings of text messages',
  attributes: {
    enabled: flag(false),
    'account-sid': text(),
    'auth-token': text(null, { use: 'write-only' }),
    'from-number': text(),
  },
  violations: (values) =>
    values.enabled ? blankViolations(values, ['account-sid', 'auth-token', 'from-number']) : [],
})
