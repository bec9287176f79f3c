import { defineSettings, text } from './definition.ts'

/** Customization settings (behaviour/platform#api-settings). Markup is stored unchanged. */
export const customizationSettings = defineSettings({
  name: 'customization',
  title: 'the texts that users see',
  attributes: {
    'support-email-address': text('support@example.com'),
    'login-help': text(''),
    footer: text(''),
    error: text(''),
    'new-user': text(''),
  },
})
