import { bool, instant, list, map, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'

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
 * Events about teams that a configuration can name: the name that the product's client has, and
 * that of the documentation.
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
export const notificationConfigurations = platformTable(
  'notification-configurations',
  configurationShape,
  {
    secrets: { members: ['token'] },
    indexes: { byId: ({ id }) => id },
  },
)

/**
 * Functions that list the configurations of a workspace, team or project, oldest first, find one by
 * its id, and store and delete configurations.
 */
export const {
  of: configurationsOf,
  withId: configurationWithId,
  put: putConfiguration,
  drop: dropConfiguration,
  dropAll: dropConfigurationsOf,
} = ownedRows(notificationConfigurations, 'subscribable')
