import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts } from '../../kernel/refusal.ts'
import type { Job } from '../job/job-shape.ts'
import type { Namespace } from '../namespaces.ts'

/**
 * Messages about drivers and network modes that a namespace forbids
 * (behaviour/scheduler#namespaces).
 */
export const { table, message } = defineMessages(
  messageTexts({
    'driver-not-allowed': 'used task driver {driver} is not allowed in namespace {namespace}',
    'drivers-not-allowed': 'used task drivers [{drivers}] are not allowed in namespace {namespace}',
    'network-mode-not-allowed':
      'used group network mode {mode} is not allowed in namespace {namespace}',
    'network-modes-not-allowed':
      'used group network modes [{modes}] are not allowed in namespace {namespace}',
  }),
)

/**
 * Returns an error if a job uses drivers that its namespace forbids or, if the drivers are allowed,
 * network modes that the namespace forbids.
 */
export function namespaceLimitErrors(
  { TaskGroups }: Job,
  { Name, Capabilities }: Namespace,
): readonly Message[] {
  if (Capabilities === null) return []
  const { EnabledTaskDrivers, DisabledTaskDrivers } = Capabilities
  const { EnabledNetworkModes, DisabledNetworkModes } = Capabilities
  const groups = TaskGroups ?? []
  const namespace = quoteGo(Name)
  const usedDrivers = groups.flatMap(({ Tasks }) => (Tasks ?? []).map(({ Driver }) => Driver))
  const drivers = forbiddenNames(usedDrivers, EnabledTaskDrivers, DisabledTaskDrivers)
  if (drivers.length === 1) {
    return [message('driver-not-allowed', { driver: drivers.join(' '), namespace })]
  }
  if (drivers.length > 1) {
    return [message('drivers-not-allowed', { drivers: drivers.join(' '), namespace })]
  }
  const usedModes = groups.flatMap(({ Networks }) =>
    (Networks ?? []).map(({ Mode }) => Mode || 'host'),
  )
  const forbiddenModes = forbiddenNames(usedModes, EnabledNetworkModes, DisabledNetworkModes)
  if (forbiddenModes.length === 0) return []
  return forbiddenModes.length === 1
    ? [message('network-mode-not-allowed', { mode: forbiddenModes.join(' '), namespace })]
    : [message('network-modes-not-allowed', { modes: forbiddenModes.join(' '), namespace })]
}

/**
 * Returns the names in use that are forbidden, quoted. A name that is used several times is
 * returned several times. An empty list of enabled names enables all names.
 */
function forbiddenNames(
  used: readonly string[],
  enabled: readonly string[] | null | undefined,
  disabled: readonly string[] | null | undefined,
): readonly string[] {
  const isAllowed = (name: string) =>
    (enabled == null || enabled.length === 0 || enabled.includes(name)) &&
    disabled?.includes(name) !== true
  return used.filter((name) => !isAllowed(name)).map(quoteGo)
}
