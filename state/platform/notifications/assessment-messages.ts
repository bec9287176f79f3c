import type { World } from '../../kernel/worlds/world.ts'
import type { Assessment } from '../assessments/assessments.ts'
import { currentRunOf } from '../runs/queue.ts'
import { notificationTime } from '../timestamps.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
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
  const base = currentRunOf(world, workspace.id)?.base ?? ''
  const { id: workspace_id, name: workspace_name, organization: organization_name } = workspace
  for (const [trigger, [message, applies]] of Object.entries(triggers)) {
    if (!applies(assessment)) continue
    for (const configuration of subscribersOf(world, workspace, trigger)) {
      const body = {
        payload_version: 2,
        notification_configuration_id: configuration.id,
        notification_configuration_url: `${base}/api/v2/notification-configurations/${configuration.id}`,
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
      }
      send(world, configuration, { message, body, base })
    }
  }
}

function resultOf(
  { workspace: _, error_msg, created_at, id, ...counts }: Assessment,
  base: string,
) {
  const url = `${base}/api/v2/assessment-results/${id}`
  return { id, url, ...counts, created_at: notificationTime(created_at) }
}
