import type { JobHandler } from '../../kernel/worlds/service.ts'
import { currentVersionOf } from '../configuration-versions/configuration-versions.ts'
import { queueRun } from '../runs/creation.ts'
import { runAppliedJob } from '../runs/moves.ts'
import { runWithId } from '../runs/runs.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { runTriggersOf } from './run-triggers.ts'

/**
 * Job that starts runs in the workspaces that an applied run triggers
 * (behaviour/platform#run-triggers). The job skips workspaces without a current configuration
 * version, and workspaces with the execution mode `local`.
 */
export const runTriggerJobs: Readonly<Record<string, JobHandler>> = {
  [runAppliedJob]: (world, { id }) => {
    const run = runWithId(world, id)
    const source = workspaceWithId(world, run?.workspace ?? '')
    if (run === undefined || source === undefined) return
    const message = `Run triggered from workspace ${source.name}`
    const origin = {
      user: run.created_by,
      source: 'ent-run-trigger',
      triggerReason: 'run_trigger',
      mayApply: true,
    } as const
    world.write(() => {
      for (const trigger of runTriggersOf(world, source.id, 'outbound')) {
        const workspace = workspaceWithId(world, trigger.workspace)
        const version = currentVersionOf(world, trigger.workspace)
        if (workspace === undefined || version === undefined) continue
        const { auto_apply_run_trigger: auto_apply } = workspace
        queueRun(world, workspace, version, { message, auto_apply }, origin)
      }
    })
  },
}
