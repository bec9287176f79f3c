import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Assessment } from '../assessments/assessments.ts'
import { currentRunOf } from '../runs/queue.ts'
import { notificationTime } from '../timestamps.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { send, subscribersOf } from './messages.ts'

/** Texts of the triggers about assessments, and when they are sent. */
const triggers = {
  'assessment:drifted': ['Drift Detected', ({ drifted }: Assessment) => drifted],
  'assessment:check_failure': ['Checks Failed', (one: Assessment) => one.checks_failed > 0],
  'assessment:failed': ['Health Assessment Failed', ({ succeeded }: Assessment) => !succeeded],
} as const

/**
 * Notifies the configurations of a workspace and its project about an assessment
 * (behaviour/platform#assessments). `prior` is the one before it. Must run inside a transaction.
 */
export function notifyAboutAssessment(
  world: World,
  workspace: Workspace,
  assessment: Assessment,
  prior: Assessment | undefined,
): void {
  const base = baseOf(world, workspace)
  const { id: workspace_id, name: workspace_name, organization: organization_name } = workspace
  for (const [trigger, [message, applies]] of Object.entries(triggers)) {
    if (!applies(assessment)) continue
    notify(world, workspace, {
      payload_version: 2,
      trigger_scope: 'assessment',
      trigger,
      message,
      details: {
        new_assessment_result: resultOf(assessment, base),
        prior_assessment_result: prior === undefined ? null : resultOf(prior, base),
        workspace_id,
        workspace_name,
        organization_name,
      },
    })
  }
}

/** Notification about a workspace, without the configuration that it is sent for. */
interface WorkspaceMessage {
  /** Version of the payload: a number or a text, as in the documentation of the scope. */
  readonly payload_version: number | string
  readonly trigger_scope: 'assessment' | 'workspace'
  readonly trigger: string
  readonly message: string
  readonly details: object
}

/** Sends a message to the configurations of a workspace and its project that name its trigger. */
function notify(world: World, workspace: Workspace, content: WorkspaceMessage): void {
  const base = baseOf(world, workspace)
  const { payload_version, message, trigger, ...others } = content
  for (const configuration of subscribersOf(world, workspace, trigger)) {
    const body = {
      payload_version,
      notification_configuration_id: configuration.id,
      notification_configuration_url: `${base}/api/v2/notification-configurations/${configuration.id}`,
      trigger,
      message,
      ...others,
    }
    send(world, configuration, { message, body, base })
  }
}

/** Returns scheme, host and world prefix of the request for the current run; blank without one. */
function baseOf(world: World, { id }: Workspace): string {
  return currentRunOf(world, id)?.base ?? ''
}

function resultOf(
  { workspace: _, error_msg, created_at, id, ...counts }: Assessment,
  base: string,
) {
  const url = `${base}/api/v2/assessment-results/${id}`
  return { id, url, ...counts, created_at: notificationTime(created_at) }
}

const hour = 60 * 60 * 1000

/** Times at which a reminder is sent, in milliseconds before `auto-destroy-at`. */
const reminderTimes = [24 * hour, 12 * hour]

/** Job that sends a reminder, by the id of the workspace. */
const reminderKind = 'platform.auto-destroy-reminder'

/**
 * Schedules the next reminder that a workspace will be destroyed, or none
 * (behaviour/platform#notifications). Must run inside a transaction.
 */
export function scheduleReminder(
  world: World,
  { id, auto_destroy_at = null }: Workspace,
  now = world.clock.now(),
): void {
  const due =
    auto_destroy_at === null
      ? undefined
      : reminderTimes.map((before) => auto_destroy_at - before).find((at) => at > now)
  if (due === undefined) cancelReminder(world, id)
  else world.agenda.schedule({ at: due, job: reminderKind, id })
}

/** Cancels the next reminder of a workspace. Must run inside a transaction. */
export function cancelReminder(world: World, workspace: string): void {
  world.agenda.cancel(reminderKind, workspace)
}

/** Job handler that sends reminders. */
export const reminderJobs: Readonly<Record<string, JobHandler>> = {
  [reminderKind]: (world, { at, id }) => {
    const workspace = workspaceWithId(world, id)
    if (workspace?.auto_destroy_at == null) return
    const { name: workspace_name, organization: organization_name } = workspace
    const auto_destroy_at = notificationTime(workspace.auto_destroy_at)
    world.write(() => {
      notify(world, workspace, {
        payload_version: '2',
        trigger_scope: 'workspace',
        trigger: 'workspace:auto_destroy_reminder',
        message: 'Auto Destroy Reminder',
        details: {
          auto_destroy_at,
          run_created_at: null,
          run_status: null,
          run_external_id: null,
          run_create_error_message: null,
          trigger_type: 'reminder',
          workspace_name,
          organization_name,
        },
      })
      scheduleReminder(world, workspace, at)
    })
  },
}
