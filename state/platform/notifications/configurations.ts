import { bool, instant, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { requireFound } from '../messages.ts'

/** Kinds of places that notifications are sent to. */
export const destinationTypes = ['generic', 'slack', 'microsoft-teams', 'email'] as const

/** Events about workspaces that a configuration can name. */
export const workspaceTriggers = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'run:completed',
  'run:errored',
  'assessment:drifted',
  'assessment:check_failure',
  'assessment:failed',
  'workspace:auto_destroy_reminder',
  'workspace:auto_destroy_run_results',
] as const

/**
 * Events about teams that a configuration can name: the name that the product's client has, and that
 * of the documentation.
 */
export const teamTriggers = ['change_request:created', 'team:change_request'] as const

/** Kinds of things that a configuration belongs to. */
export const subscribableTypes = ['workspaces', 'teams', 'projects'] as const

const responseShape = struct({
  url: text,
  body: text,
  /** HTTP status as text. */
  code: text,
  headers: map(list(text)),
  sent_at: instant,
  successful: bool,
})

/** Reply to a notification that was sent. */
export interface DeliveryResponse extends StoredOf<typeof responseShape> {}

/** Attributes of a configuration as the API returns them. */
export const configurationAttributes = {
  destination_type: word(...destinationTypes),
  name: text,
  url: nullable(text),
  enabled: bool,
  triggers: list(text),
  email_addresses: list(text),
  email_all_members: bool,
  created_at: instant,
  updated_at: instant,
}

const configurationShape = struct({
  ...configurationAttributes,
  /** Id of the form `nc-…`. */
  id: text,
  subscribable_type: word(...subscribableTypes),
  /** Id of the workspace, team or project. */
  subscribable: text,
  /** Key that signs notifications; null for unsigned ones. */
  token: nullable(text),
  /** Ids of the users who get mails. */
  users: list(text),
  /** Reply to the last notification; null before. */
  last_response: nullable(responseShape),
})

/** A notification configuration (behaviour/platform#notifications). */
export interface NotificationConfiguration extends StoredOf<typeof configurationShape> {}

/** Notification configurations by `<subscribable>/<number>`, numbered in creation order. */
export const notificationConfigurations = defineTable({
  service: 'platform',
  name: 'notification-configurations',
  secrets: { members: ['token'] },
  shape: configurationShape,
  indexes: { byId: ({ id }) => id },
})

/** Returns the configurations of a workspace, team or project, oldest first. */
export function configurationsOf(world: World, subscribable: string): NotificationConfiguration[] {
  return Array.from(world.table(notificationConfigurations).rows(`${subscribable}/`))
}

/** Returns the configuration with this id, if it exists. */
export function configurationWithId(
  world: World,
  id: string,
): NotificationConfiguration | undefined {
  return world.table(notificationConfigurations).index('byId').get(id)
}

/** Adds a configuration or stores a changed one. Must run inside a transaction. */
export function putConfiguration(
  world: World,
  configuration: NotificationConfiguration,
): NotificationConfiguration {
  const table = world.table(notificationConfigurations)
  const { id, subscribable } = configuration
  table.put(table.index('byId').keyOf(id) ?? nextKey(table, `${subscribable}/`), configuration)
  return configuration
}

/** Deletes a configuration. Must run inside a transaction. */
export function dropConfiguration(world: World, { id }: NotificationConfiguration): void {
  const table = world.table(notificationConfigurations)
  table.delete(requireFound(table.index('byId').keyOf(id)))
}

/** Deletes the configurations of a workspace, team or project. Must run inside a transaction. */
export function dropConfigurationsOf(world: World, subscribable: string): void {
  world.table(notificationConfigurations).deleteAll(`${subscribable}/`)
}
