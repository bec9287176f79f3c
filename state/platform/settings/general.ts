import { fault } from '../faults.ts'
import { enforceRateLimit, rateLimitDefaults } from '../rate-limit.ts'
import { defineSettings, flag, text, vendor, whole } from './definition.ts'

const lowestLimit = 30

/** What the timeouts are until somebody sets them, and again when they are set to nothing. */
const timeouts = {
  'plan-timeout': '2h',
  'apply-timeout': '24h',
  'infra-build-worker-plan-timeout': '2h',
  'infra-build-worker-apply-timeout': '24h',
} as const

const timeoutNames = Object.keys(timeouts) as (keyof typeof timeouts)[]

/**
 * General settings (behaviour/platform#api-settings). The vendor's timeouts each have a deprecated
 * twin of another name and the same value.
 */
export const generalSettings = defineSettings({
  name: 'general',
  about: 'the general settings',
  attributes: {
    'allow-speculative-plans-on-pull-requests-from-forks': flag(false),
    'api-rate-limit': whole(rateLimitDefaults['api-rate-limit']),
    'api-rate-limiting-enabled': flag(rateLimitDefaults['api-rate-limiting-enabled']),
    'default-remote-state-access': flag(true),
    'limit-user-organization-creation': flag(true),
    'send-passing-statuses-for-untriggered-speculative-plans': flag(false),
    'plan-timeout': text(timeouts['plan-timeout'], vendor),
    'apply-timeout': text(timeouts['apply-timeout'], vendor),
    'infra-build-worker-plan-timeout': text(timeouts['infra-build-worker-plan-timeout'], vendor),
    'infra-build-worker-apply-timeout': text(timeouts['infra-build-worker-apply-timeout'], vendor),
    'require-two-factor-for-admins': flag(false, vendor),
    'fair-run-queuing-enabled': flag(false, vendor),
    'limit-organizations-per-user': flag(false, vendor),
    'default-organizations-per-user-ceiling': whole(null, vendor),
    'limit-workspaces-per-organization': flag(false, vendor),
    'default-workspaces-per-organization-ceiling': whole(null, vendor),
  },
  faults: (values) =>
    Number(values['api-rate-limit']) < lowestLimit
      ? [fault('api-rate-limit', 'too-small', { limit: lowestLimit })]
      : [],
  meant: ({ ...changes }) => {
    // Clients send null for every timeout that they do not name (behaviour/platform#coercion).
    for (const name of timeoutNames) {
      if (changes[name] === null) delete changes[name]
      else if (changes[name] === '') changes[name] = timeouts[name]
    }
    return changes
  },
  alongWith: (_before, changes) => {
    const plan = firstSent(changes['plan-timeout'], changes['infra-build-worker-plan-timeout'])
    const apply = firstSent(changes['apply-timeout'], changes['infra-build-worker-apply-timeout'])
    return {
      ...(plan === undefined
        ? {}
        : { 'plan-timeout': plan, 'infra-build-worker-plan-timeout': plan }),
      ...(apply === undefined
        ? {}
        : { 'apply-timeout': apply, 'infra-build-worker-apply-timeout': apply }),
    }
  },
  onChange: (world, changes) => {
    // Whoever sets the limit wants to see it hold (behaviour/platform#differences).
    const isSet =
      changes['api-rate-limit'] !== undefined || changes['api-rate-limiting-enabled'] === true
    if (isSet) enforceRateLimit(world)
  },
})

/** The value of two names that stand for one: the first goes before when both are sent. */
function firstSent<Value>(first: Value | undefined, second: Value | undefined): Value | undefined {
  return first === undefined ? second : first
}
