import { bool, instant, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

export const destinationTypes = ['generic', 'slack', 'microsoft-teams', 'email'] as const

/** Events that notification configurations of workspaces and projects can name. */
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
 * Events that notification configurations of teams can name. Both names mean the same event: the
 * product's client and the product's documentation spell the name differently.
 */
export const teamTriggers = ['change_request:created', 'team:change_request'] as const

/** JSON:API types of the objects that a notification configuration can belong to. */
export const subscribableTypes = ['workspaces', 'teams', 'projects'] as const

const responseShape = struct({
  url: text,
  body: text,
  /** HTTP status as text; empty if there was no response. */
  code: text,
  headers: map(list(text)),
  sent_at: instant,
  successful: bool,
})

/** Response of a destination to a notification. */
export interface DeliveryResponse extends StoredOf<typeof responseShape> {}

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
  /** Key of the HMAC signature; null if notifications are not signed. */
  token: nullable(text),
  /** Ids of the users who get emails. */
  users: list(text),
  /**
   * Last response of the destination to a notification or a verification; null before the first
   * response, and always null for emails.
   */
  last_response: nullable(responseShape),
})

/**
 * A destination for messages about a workspace, team or project (behaviour/platform#notifications).
 */
export interface NotificationConfiguration extends StoredOf<typeof configurationShape> {}

/**
 * Notification configurations by `<id of the workspace, team or project>/<number>`, numbered in
 * creation order.
 */
export const notificationConfigurations = platformTable(
  'notification-configurations',
  configurationShape,
  {
    secrets: { members: ['token'] },
    indexes: { byId: ({ id }) => id },
  },
)

/**
 * Functions of `ownedRows` for the notification configurations of a workspace, team or project.
 * Lists are in creation order.
 */
export const {
  of: configurationsOf,
  withId: configurationWithId,
  put: putConfiguration,
  drop: dropConfiguration,
  dropAll: dropNotificationConfigurations,
} = ownedRows(notificationConfigurations, 'subscribable')
