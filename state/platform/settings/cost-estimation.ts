import { isBlank } from '../names.ts'
import { violation } from '../violations.ts'
import { defineSettings, flag, text, vendorOption } from './definition.ts'

/**
 * Cost estimation settings (behaviour/platform#api-settings). Credentials are returned like any
 * other value and never interpreted (behaviour/platform#settings).
 */
export const costEstimationSettings = defineSettings({
  name: 'cost-estimation',
  title: 'the settings of cost estimation',
  attributes: {
    enabled: flag(false),
    'cloud1-access-key-id': text(),
    'cloud1-secret-key': text(null, { secret: true }),
    'cloud2-credentials': text(null, { secret: true }),
    'cloud3-client-id': text(),
    'cloud3-client-secret': text(null, { secret: true }),
    'cloud3-subscription-id': text(),
    'cloud3-tenant-id': text(),
    'cloud1-enabled': flag(false, vendorOption),
    'cloud1-instance-profile-enabled': flag(false, vendorOption),
    'cloud2-enabled': flag(false, vendorOption),
    'cloud3-enabled': flag(false, vendorOption),
  },
  violations: (values) => {
    const sets = [
      [values['cloud1-access-key-id'], values['cloud1-secret-key']],
      [values['cloud2-credentials']],
      [
        values['cloud3-client-id'],
        values['cloud3-client-secret'],
        values['cloud3-subscription-id'],
        values['cloud3-tenant-id'],
      ],
    ]
    const hasSet = sets.some((set) => !set.some(isBlank))
    return !values.enabled || hasSet ? [] : [violation('enabled', 'no-complete-set')]
  },
})
