import type { World } from '../../kernel/worlds/world.ts'
import { users } from '../accounts/users.ts'
import { versionWithId } from '../configuration-versions/configuration-versions.ts'
import { recordRequest } from '../deliveries/sent-requests.ts'
import { signatureOf } from '../deliveries/signature.ts'
import { requireFound } from '../messages.ts'
import { optionsOf } from '../options.ts'
import type { Run } from '../runs/runs.ts'
import { attributeTime } from '../timestamps.ts'
import { workspacePage, workspaceWithId } from '../workspaces/workspaces.ts'
import type { TaskResult } from './stages.ts'
import { taskWithId } from './tasks.ts'

/**
 * Records the request that calls a run task (behaviour/platform#task-stages). The request is sent
 * only if the option `deliverRunTasks` is set. Must run inside a transaction.
 */
export function recordTaskCall(world: World, run: Run, result: TaskResult, at: number): void {
  const body = payloadOf(world, run, result)
  const { hmac_key = null } = { ...taskWithId(world, result.task) }
  recordRequest(world, {
    kind: 'run-task',
    at,
    url: result.task_url,
    body,
    signature: signatureOf(body, hmac_key),
    base: run.base ?? '',
    subject: result.id,
    state: optionsOf(world).deliverRunTasks ? 'waiting' : 'recorded',
  })
}

function payloadOf(world: World, run: Run, result: TaskResult) {
  const workspace = requireFound(workspaceWithId(world, run.workspace))
  const { organization, name, id, working_directory } = workspace
  const { base = '', configuration_version: version } = run
  const apiUrl = `${base}/api/v2`
  const isUploaded = versionWithId(world, version)?.status === 'uploaded'
  const workspaceUrl = workspacePage(base, workspace)
  return {
    payload_version: 1,
    stage: result.stage,
    access_token: result.access_token,
    capabilities: { outcomes: true },
    configuration_version_id: version,
    configuration_version_download_url: isUploaded
      ? `${apiUrl}/configuration-versions/${version}/download`
      : null,
    is_speculative: result.is_speculative,
    organization_name: organization,
    ...(result.stage === 'pre_plan'
      ? {}
      : { plan_json_api_url: `${apiUrl}/plans/${run.plan.id}/json-output` }),
    run_app_url: `${workspaceUrl}/runs/${run.id}`,
    run_created_at: attributeTime(run.created_at),
    run_created_by: world.table(users).get(run.created_by)?.username ?? '',
    run_id: run.id,
    run_message: run.message,
    task_result_id: result.id,
    task_result_callback_url: `${apiUrl}/task-results/${result.id}/callback`,
    task_result_enforcement_level: result.workspace_task_enforcement_level,
    vcs_branch: null,
    vcs_commit_url: null,
    vcs_pull_request_url: null,
    vcs_repo_url: null,
    workspace_app_url: workspaceUrl,
    workspace_id: id,
    workspace_name: name,
    workspace_working_directory: working_directory ?? '',
  }
}
