import { blankOnes, defineSettings, flag, text } from './definition.ts'

/** SMS settings (behaviour/platform#api-settings). */
export const smsSettings = defineSettings({
  name: 'sms',
  about: 'the settings of text messages',
  attributes: {
    enabled: flag(false),
    'account-sid': text(),
    'auth-token': text(null, { use: 'write-only' }),
    'from-number': text(),
  },
  faults: (values) =>
    values.enabled ? blankOnes(values, ['account-sid', 'auth-token', 'from-number']) : [],
})
