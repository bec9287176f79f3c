import type { World } from '../../../../state/kernel/worlds/world.ts'
import { callerOf } from '../../../../state/platform/accounts/callers.ts'
import { applyVersionEvent } from '../../../../state/platform/configuration-versions/configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  createConfigurationVersion,
} from '../../../../state/platform/configuration-versions/configuration-versions.ts'
import type { PlatformOptions } from '../../../../state/platform/options.ts'
import { createRun, type RunInput } from '../../../../state/platform/runs/creation.ts'
import { type Run, runWithId } from '../../../../state/platform/runs/runs.ts'
import { createWorkspace } from '../../../../state/platform/workspaces/changes.ts'
import {
  type Workspace,
  workspaceWithId,
} from '../../../../state/platform/workspaces/workspaces.ts'
import { platformWorld } from '../platform-world.ts'

/** Returns a world with a workspace that has an uploaded configuration version without files. */
export function runWorld(options: Partial<PlatformOptions> = {}) {
  const world: World = platformWorld(options)
  const caller = callerOf(world, 'owner-token')
  if (caller === undefined) throw new Error('there is no owner')
  const { id } = createWorkspace(world, caller, 'example-org', { name: 'net' })
  const workspace = (): Workspace => {
    const found = workspaceWithId(world, id)
    if (found === undefined) throw new Error('there is no workspace')
    return found
  }
  const user = caller.user.id
  const flags = { auto_queue_runs: false }
  const made = createConfigurationVersion(world, workspace(), { user, source: 'ent-api' }, flags)
  const version: ConfigurationVersion = applyVersionEvent(world, made, 'ingest')
  return {
    world,
    caller,
    version,
    workspace,
    create: (input: RunInput = {}) =>
      createRun(world, workspace(), undefined, input, { user, source: 'ent-api', mayApply: true }),
    read(run: Pick<Run, 'id'>): Run {
      const found = runWithId(world, run.id)
      if (found === undefined) throw new Error('there is no such run')
      return found
    },
  }
}
