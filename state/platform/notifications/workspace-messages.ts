import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Assessment } from '../assessments/assessments.ts'
import { currentRunOf } from '../runs/queue.ts'
import { notificationTime } from '../timestamps.ts'
import { type Workspace, workspaceWithId } from '../workspaces/workspaces.ts'
import { sendNotification, subscribersOf } from './messages.ts'

/** Message and condition of each assessment trigger. */
const assessmentTriggers = {
  'assessment:drifted': ['Drift Detected', ({ drifted }: Assessment) => drifted],
  'assessment:check_failure': ['Checks Failed', (one: Assessment) => one.checks_failed > 0],
  'assessment:failed': ['Health Assessment Failed', ({ succeeded }: Assessment) => !succeeded],
} as const

/**
 * Notifies the subscribers of a workspace and its project about an assessment, once for each
 * trigger whose condition the assessment meets (behaviour/platform#assessments). `prior` is the
 * previous assessment. Must run inside a transaction.
 */
export function notifyAboutAssessment(
  world: World,
  workspace: Workspace,
  assessment: Assessment,
  prior: Assessment | undefined,
): void {
  const base = baseOf(world, workspace)
  const { id: workspace_id, name: workspace_name, organization: organization_name } = workspace
  for (const [trigger, [message, applies]] of Object.entries(assessmentTriggers)) {
    if (!applies(assessment)) continue
    notifySubscribers(world, workspace, {
      payload_version: 2,
      trigger_scope: 'assessment',
      trigger,
      message,
      details: {
        new_assessment_result: assessmentResult(assessment, base),
        prior_assessment_result: prior === undefined ? null : assessmentResult(prior, base),
        workspace_id,
        workspace_name,
        organization_name,
      },
    })
  }
}

/** Content of a notification, without the members that depend on the configuration. */
interface WorkspaceMessage {
  /**
   * A number if the scope is `assessment`, and a string if the scope is `workspace`, as in the
   * product's documentation.
   */
  readonly payload_version: number | string
  readonly trigger_scope: 'assessment' | 'workspace'
  readonly trigger: string
  readonly message: string
  readonly details: object
}

/** Sends a notification to the subscribers of its trigger. Must run inside a transaction. */
function notifySubscribers(world: World, workspace: Workspace, content: WorkspaceMessage): void {
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
    sendNotification(world, configuration, { message, body, base })
  }
}

/**
 * Returns scheme, host and world prefix of the request that created the current run; empty if the
 * workspace has no current run or the request is unknown.
 */
function baseOf(world: World, { id }: Workspace): string {
  return currentRunOf(world, id)?.base ?? ''
}

function assessmentResult(
  { workspace: _, error_msg, created_at, id, ...counts }: Assessment,
  base: string,
) {
  const url = `${base}/api/v2/assessment-results/${id}`
  return { id, url, ...counts, created_at: notificationTime(created_at) }
}

const hour = 60 * 60 * 1000

/** Times of the reminders, in milliseconds before `auto-destroy-at`. */
const reminderTimes = [24 * hour, 12 * hour]

/**
 * Name of the job that sends a reminder that a workspace will be destroyed. The job's id is the
 * workspace's id.
 */
const reminderKind = 'platform.auto-destroy-reminder'

/**
 * Schedules the next reminder that a workspace will be destroyed. Cancels the pending reminder if
 * the workspace has no `auto-destroy-at` or if all reminder times have passed
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

export function cancelReminder(world: World, workspace: string): void {
  world.agenda.cancel(reminderKind, workspace)
}

export const reminderJobs: Readonly<Record<string, JobHandler>> = {
  [reminderKind]: (world, { at, id }) => {
    const workspace = workspaceWithId(world, id)
    if (workspace?.auto_destroy_at == null) return
    const { name: workspace_name, organization: organization_name } = workspace
    const auto_destroy_at = notificationTime(workspace.auto_destroy_at)
    world.write(() => {
      notifySubscribers(world, workspace, {
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
