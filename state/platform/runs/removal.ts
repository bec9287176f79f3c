import type { World } from '../../kernel/worlds/world.ts'
import { removeObjects } from '../objects.ts'
import { dropPolicyCheck } from '../policies/policy-checks.ts'
import { removeStages } from '../run-tasks/stage-moves.ts'
import { dropStateTexts } from '../states/state-versions.ts'
import { costEstimates } from './cost-estimates.ts'
import { runApplied } from './moves.ts'
import { runPlans } from './planning.ts'
import { currentRuns } from './queue.ts'
import { workspaceReadmes } from './readmes.ts'
import { runComments, runEvents } from './run-events.ts'
import { runKind } from './run-machine.ts'
import { appliedBlocks } from './run-state.ts'
import { runs, runsOf } from './runs.ts'

/** Deletes the runs of a workspace and their data. Must run inside a transaction. */
export function removeRunsOf(world: World, workspace: string): void {
  for (const { id, plan, apply } of runsOf(world, workspace)) {
    world.agenda.cancel(runKind, id)
    world.agenda.cancel(runApplied, id)
    removeObjects(world, [plan.log, apply.log])
    dropStateTexts(world, apply.id)
    world.table(runEvents).deleteAll(`${id}/`)
    world.table(runComments).deleteAll(`${id}/`)
    world.table(runPlans).delete(id)
    removeStages(world, id)
    dropPolicyCheck(world, id)
    world.table(costEstimates).delete(id)
  }
  world.table(runs).deleteAll(`${workspace}/`)
  world.table(currentRuns).delete(workspace)
  world.table(workspaceReadmes).delete(workspace)
  world.table(appliedBlocks).deleteAll(`${workspace}/`)
}
