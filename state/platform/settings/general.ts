import { enforceRateLimit, rateLimitDefaults } from '../rate-limit.ts'
import { violation } from '../violations.ts'
import { defineSettings, flag, integer, text, vendorOption } from './definition.ts'

const minRateLimit = 30

/** Default timeouts, which also apply when a client clears a timeout. */
const timeouts = {
  'plan-timeout': '2h',
  'apply-timeout': '24h',
  'infra-build-worker-plan-timeout': '2h',
  'infra-build-worker-apply-timeout': '24h',
} as const

const timeoutNames = Object.keys(timeouts) as (keyof typeof timeouts)[]

/**
 * General settings (behaviour/platform#api-settings). Each of the vendor's timeouts has a
 * deprecated alias with the same value.
 */
export const generalSettings = defineSettings({
  name: 'general',
  title: 'the general settings',
  attributes: {
    'allow-speculative-plans-on-pull-requests-from-forks': flag(false),
    'api-rate-limit': integer(rateLimitDefaults['api-rate-limit']),
    'api-rate-limiting-enabled': flag(rateLimitDefaults['api-rate-limiting-enabled']),
    'default-remote-state-access': flag(true),
    'limit-user-organization-creation': flag(true),
    'send-passing-statuses-for-untriggered-speculative-plans': flag(false),
    'plan-timeout': text(timeouts['plan-timeout'], vendorOption),
    'apply-timeout': text(timeouts['apply-timeout'], vendorOption),
    'infra-build-worker-plan-timeout': text(
      timeouts['infra-build-worker-plan-timeout'],
      vendorOption,
    ),
    'infra-build-worker-apply-timeout': text(
      timeouts['infra-build-worker-apply-timeout'],
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
    // Clients send null for every timeout that they do not set (behaviour/platform#coercion).
    for (const name of timeoutNames) {
      if (changes[name] === null) delete changes[name]
      else if (changes[name] === '') changes[name] = timeouts[name]
    }
    return changes
  },
  impliedChanges: (_before, changes) => {
    const planTimeout = firstDefined(
      changes['plan-timeout'],
      changes['infra-build-worker-plan-timeout'],
    )
    const applyTimeout = firstDefined(
      changes['apply-timeout'],
      changes['infra-build-worker-apply-timeout'],
    )
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
    // A client that sets the limit expects it to be enforced (behaviour/platform#differences).
    const isSet =
      changes['api-rate-limit'] !== undefined || changes['api-rate-limiting-enabled'] === true
    if (isSet) enforceRateLimit(world)
  },
})

/** Returns the value of an attribute that has two names; the first one wins if both are sent. */
function firstDefined<Value>(
  first: Value | undefined,
  second: Value | undefined,
): Value | undefined {
  return first === undefined ? second : first
}
