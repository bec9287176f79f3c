import type { World } from '../../kernel/worlds/world.ts'
import { userWithId } from '../accounts/users.ts'
import { recordRequest, type SentRequest } from '../deliveries/sent-requests.ts'
import { signatureOf } from '../deliveries/signature.ts'
import { simulatesFailure } from '../deliveries/urls.ts'
import { optionsOf } from '../options.ts'
import { membershipsOf } from '../organizations/memberships.ts'
import { teamWithId } from '../organizations/teams.ts'
import { projectWithId } from '../projects/projects.ts'
import type { Run } from '../runs/runs.ts'
import { readSettings } from '../settings/changes.ts'
import { recordMessage } from '../settings/outbox.ts'
import { smtpSettings } from '../settings/smtp.ts'
import { attributeTime } from '../timestamps.ts'
import { executionOf, projectOf } from '../workspaces/execution.ts'
import { type Workspace, workspacePage, workspaceWithId } from '../workspaces/workspaces.ts'
import {
  configurationsOf,
  type DeliveryResponse,
  type NotificationConfiguration,
  putConfiguration,
} from './configurations.ts'

/** Content of a notification, before it is formatted and signed for the type of its destination. */
interface Notification {
  readonly message: string
  readonly body: Readonly<Record<string, unknown>>
  readonly base: string
}

/**
 * Message for each trigger. A notification about a canceled run has the message `Run Canceled`
 * instead.
 */
const messageByTrigger = {
  'run:created': 'Run Created',
  'run:planning': 'Run Planning',
  'run:needs_attention': 'Run Needs Attention',
  'run:applying': 'Run Applying',
  'run:completed': 'Run Completed',
  'run:errored': 'Run Errored',
} as const

export type RunNotificationTrigger = keyof typeof messageByTrigger

/**
 * Notifies the subscribers of a run's workspace and project about the run. Does nothing for a
 * plan-only run, and for a run of a workspace with local execution. Must run inside a transaction.
 */
export function notifyAboutRun(
  world: World,
  run: Run,
  trigger: RunNotificationTrigger,
  actor: string,
): void {
  const workspace = workspaceWithId(world, run.workspace)
  if (run.plan_only || workspace === undefined) return
  if (executionOf(world, workspace).mode === 'local') return
  for (const configuration of subscribersOf(world, workspace, trigger)) {
    const message = run.status === 'canceled' ? 'Run Canceled' : messageByTrigger[trigger]
    const event = { message, trigger, actor }
    sendNotification(world, configuration, {
      message,
      body: runPayload(world, configuration, run, workspace, event),
      base: run.base ?? '',
    })
  }
}

/**
 * Returns the enabled notification configurations of a workspace and its project whose `triggers`
 * contain the trigger.
 */
export function subscribersOf(
  world: World,
  workspace: Workspace,
  trigger: string,
): readonly NotificationConfiguration[] {
  const project = projectOf(world, workspace)
  return [
    ...configurationsOf(world, workspace.id),
    ...(project === undefined ? [] : configurationsOf(world, project.id)),
  ].filter(({ enabled, triggers }) => enabled && triggers.includes(trigger))
}

function runPayload(
  world: World,
  { id: notification_configuration_id }: NotificationConfiguration,
  run: Run,
  workspace: Workspace,
  { message, trigger, actor }: Readonly<Record<'message' | 'trigger' | 'actor', string>>,
) {
  const nameOf = (user: string) => userWithId(world, user)?.username ?? null
  const { id, name, organization } = workspace
  return {
    payload_version: 1,
    notification_configuration_id,
    run_url: `${workspacePage(run.base ?? '', workspace)}/runs/${run.id}`,
    run_id: run.id,
    run_message: run.message,
    run_created_at: attributeTime(run.created_at),
    run_created_by: nameOf(run.created_by),
    workspace_id: id,
    workspace_name: name,
    organization_name: organization,
    notifications: [
      {
        message,
        trigger,
        run_status: run.status,
        run_updated_at: attributeTime(run.updated_at),
        run_updated_by: nameOf(actor),
      },
    ],
  }
}

/** Returns the content of the request that verifies a destination. */
export function verificationOf({ id, name }: NotificationConfiguration): Notification {
  const message = `Verification of ${name}`
  const emptyRunMembers = { run_status: null, run_updated_at: null, run_updated_by: null }
  const body = {
    payload_version: 1,
    notification_configuration_id: id,
    run_url: null,
    run_id: null,
    run_message: null,
    run_created_at: null,
    run_created_by: null,
    workspace_id: null,
    workspace_name: null,
    organization_name: null,
    notifications: [{ message, trigger: 'verification', ...emptyRunMembers }],
  }
  return { message, body, base: '' }
}

/**
 * Returns the request that delivers a notification. Requests to a destination of the type `generic`
 * are signed; requests to other types contain only the message, as `text`.
 */
export function requestOf(
  world: World,
  { id, destination_type, token }: NotificationConfiguration,
  url: string,
  { message, body, base }: Notification,
): Omit<SentRequest, 'id' | 'state'> {
  const isSigned = destination_type === 'generic'
  const sent = isSigned ? body : { text: message }
  return {
    kind: 'notification',
    at: world.clock.now(),
    url,
    // The cast is safe, because notifications contain only JSON values.
    body: sent as SentRequest['body'],
    signature: isSigned ? signatureOf(sent, token) : '',
    base,
    subject: id,
  }
}

/**
 * Returns the response for a notification that is only recorded: the status 500 for hosts that
 * begin with `fail-`, otherwise the status 200.
 */
export function simulatedResponse(url: string, sent_at: number): DeliveryResponse {
  const successful = !simulatesFailure(url)
  return { url, body: '', code: successful ? '200' : '500', headers: {}, sent_at, successful }
}

/**
 * Queues a notification for delivery if the option `deliverNotifications` is set and the host does
 * not begin with `fail-`. Otherwise records the notification and stores a simulated response in the
 * configuration. For an email destination, records emails instead. Must run inside a transaction.
 */
export function sendNotification(
  world: World,
  configuration: NotificationConfiguration,
  sent: Notification,
): void {
  const { url } = configuration
  if (url === null) {
    mail(world, configuration, sent.message)
    return
  }
  const request = requestOf(world, configuration, url, sent)
  if (optionsOf(world).deliverNotifications && !simulatesFailure(url)) {
    recordRequest(world, { ...request, state: 'waiting' })
    return
  }
  recordRequest(world, { ...request, state: 'recorded' })
  const last_response = simulatedResponse(url, request.at)
  putConfiguration(world, { ...configuration, last_response })
}

/** Records an email to each recipient of a configuration. Must run inside a transaction. */
export function mail(
  world: World,
  configuration: NotificationConfiguration,
  message: string,
): void {
  const { users, email_addresses, email_all_members } = configuration
  const members = email_all_members
    ? membershipsOf(world, organizationOf(world, configuration))
    : []
  const people = [...users, ...members.map(({ user }) => user)]
  const addresses = people.flatMap((id) => userWithId(world, id)?.email ?? [])
  const { sender: from } = readSettings(world, smtpSettings)
  for (const to of new Set([...addresses, ...email_addresses])) {
    recordMessage(world, {
      kind: 'mail',
      from: from ?? '',
      to,
      subject: message,
      text: message,
      server: null,
      delivered: false,
    })
  }
}

/**
 * Returns the name of the organization that a notification configuration belongs to; empty if the
 * workspace, team or project was deleted.
 */
export function organizationOf(
  world: World,
  { subscribable: id }: Pick<NotificationConfiguration, 'subscribable'>,
): string {
  const owner = workspaceWithId(world, id) ?? teamWithId(world, id) ?? projectWithId(world, id)
  return owner?.organization ?? ''
}
