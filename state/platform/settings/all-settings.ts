import { costEstimationSettings } from './cost-estimation.ts'
import { customizationSettings } from './customization.ts'
import type { SettingsDefinition } from './definition.ts'
import { generalSettings } from './general.ts'
import { samlSettings } from './saml.ts'
import { smsSettings } from './sms.ts'
import { smtpSettings } from './smtp.ts'

/** All resources of the administrative settings (behaviour/platform#api-settings). */
export const allSettings: readonly SettingsDefinition[] = [
  generalSettings,
  costEstimationSettings,
  samlSettings,
  smtpSettings,
  smsSettings,
  customizationSettings,
]
