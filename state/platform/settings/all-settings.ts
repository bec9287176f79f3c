import { isBlank } from '../names.ts'
import { enforceRateLimit, rateLimitDefaults } from '../rate-limit.ts'
import { violation } from '../violations.ts'
import {
  defineSettings,
  flag,
  integer,
  type SettingsDefinition,
  text,
  vendorOption,
} from './definition.ts'
import { samlSettings } from './saml.ts'
import { smsSettings } from './sms.ts'
import { smtpSettings } from './smtp.ts'

const minRateLimit = 30

/**
 * Default timeouts, as durations. A client resets a timeout to its default with an empty string.
 */
const defaultTimeouts = {
  'plan-timeout': '2h',
  'apply-timeout': '24h',
  'infra-build-worker-plan-timeout': '2h',
  'infra-build-worker-apply-timeout': '24h',
} as const

const timeoutNames = Object.keys(defaultTimeouts) as (keyof typeof defaultTimeouts)[]

/**
 * General settings (behaviour/platform#api-settings). Each timeout exists under two names: a change
 * of `plan-timeout` also changes the older `infra-build-worker-plan-timeout`, and the reverse. The
 * same applies to `apply-timeout`.
 */
const generalSettings = defineSettings({
  name: 'general',
  title: 'the general settings',
  attributes: {
    'allow-speculative-plans-on-pull-requests-from-forks': flag(false),
    'api-rate-limit': integer(rateLimitDefaults['api-rate-limit']),
    'api-rate-limiting-enabled': flag(rateLimitDefaults['api-rate-limiting-enabled']),
    'default-remote-state-access': flag(true),
    'limit-user-organization-creation': flag(true),
    'send-passing-statuses-for-untriggered-speculative-plans': flag(false),
    'plan-timeout': text(defaultTimeouts['plan-timeout'], vendorOption),
    'apply-timeout': text(defaultTimeouts['apply-timeout'], vendorOption),
    'infra-build-worker-plan-timeout': text(
      defaultTimeouts['infra-build-worker-plan-timeout'],
      vendorOption,
    ),
    'infra-build-worker-apply-timeout': text(
      defaultTimeouts['infra-build-worker-apply-timeout'],
      vendorOption,
    ),
    'require-two-factor-for-admins': flag(false, vendorOption),
    'fair-run-queuing-enabled': flag(false, vendorOption),
    'limit-organizations-per-user': flag(false, vendorOption),
    'default-organizations-per-user-ceiling': integer(null, vendorOption),
    'limit-workspaces-per-organization': flag(false, vendorOption),
    'default-workspaces-per-organization-ceiling': integer(null, vendorOption),
  },
  violations: (values) =>
    Number(values['api-rate-limit']) < minRateLimit
      ? [violation('api-rate-limit', 'too-small', { limit: minRateLimit })]
      : [],
  normalize: ({ ...changes }) => {
    // A client sends null for a timeout to leave it unchanged, and an empty string for the default.
    for (const name of timeoutNames) {
      if (changes[name] === null) delete changes[name]
      else if (changes[name] === '') changes[name] = defaultTimeouts[name]
    }
    return changes
  },
  impliedChanges: (_before, changes) => {
    const planTimeout = changes['plan-timeout'] ?? changes['infra-build-worker-plan-timeout']
    const applyTimeout = changes['apply-timeout'] ?? changes['infra-build-worker-apply-timeout']
    return {
      ...(planTimeout === undefined
        ? {}
        : { 'plan-timeout': planTimeout, 'infra-build-worker-plan-timeout': planTimeout }),
      ...(applyTimeout === undefined
        ? {}
        : { 'apply-timeout': applyTimeout, 'infra-build-worker-apply-timeout': applyTimeout }),
    }
  },
  onChange: (world, changes) => {
    // From now on, the limit is enforced even without the option `enforceRateLimit`
    // (behaviour/platform#rate-limit).
    const isSet =
      changes['api-rate-limit'] !== undefined || changes['api-rate-limiting-enabled'] === true
    if (isSet) enforceRateLimit(world)
  },
})

/**
 * Cost estimation settings (behaviour/platform#api-settings). Responses contain the credentials,
 * like all other values, but the credentials are never used (behaviour/platform#settings).
 */
const costEstimationSettings = defineSettings({
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
    const credentialSets = [
      [values['cloud1-access-key-id'], values['cloud1-secret-key']],
      [values['cloud2-credentials']],
      [
        values['cloud3-client-id'],
        values['cloud3-client-secret'],
        values['cloud3-subscription-id'],
        values['cloud3-tenant-id'],
      ],
    ]
    const hasCompleteSet = credentialSets.some((set) => !set.some(isBlank))
    return !values.enabled || hasCompleteSet ? [] : [violation('enabled', 'no-complete-set')]
  },
})

/** Customization settings (behaviour/platform#api-settings). Markup is stored as sent. */
const customizationSettings = defineSettings({
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

/** The six resources of the administrative settings (behaviour/platform#api-settings). */
export const allSettings: readonly SettingsDefinition[] = [
  generalSettings,
  costEstimationSettings,
  samlSettings,
  smtpSettings,
  smsSettings,
  customizationSettings,
]
