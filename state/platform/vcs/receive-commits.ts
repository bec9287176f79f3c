import type { World } from '../../kernel/worlds/world.ts'
import { versionsOf } from '../configuration-versions/configuration-versions.ts'
import type { Repository } from '../workspaces/repository.ts'
import { type Workspace, workspaces } from '../workspaces/workspaces.ts'
import type { CommitEvent } from './commit-event.ts'
import { addRepositoryVersion, queueCommitRun } from './repository-versions.ts'
import { concernsWorkspace } from './triggers.ts'
import { addVcsEvent } from './vcs-events.ts'

/** Ids of the objects that a push created. */
export interface CommitEventResult {
  readonly configurationVersions: readonly string[]
  readonly runs: readonly string[]
}

/**
 * Creates a configuration version, a VCS event and a run for each workspace that the push triggers
 * (behaviour/platform#workspace-pushes). Workspaces with the execution mode `local` get no run.
 */
export function receiveCommits(world: World, event: CommitEvent): CommitEventResult {
  const configurationVersions: string[] = []
  const runs: string[] = []
  world.write(() => {
    for (const workspace of Array.from(world.table(workspaces).rows())) {
      const { repository } = workspace
      if (repository == null || !isSameRepository(repository, event)) continue
      if (!concernsWorkspace(workspace, repository, event)) continue
      const user = versionsOf(world, workspace.id).find(({ ingress }) => ingress)?.created_by ?? ''
      const version = addRepositoryVersion(world, workspace, repository, event, user)
      addVcsEvent(
        world,
        workspace.organization,
        repository,
        `Received a push for ${workspace.name}`,
      )
      configurationVersions.push(version.id)
      const run = queueCommitRun(world, workspace, version)
      if (run !== undefined) runs.push(run.id)
    }
  })
  return { configurationVersions, runs }
}

function isSameRepository({ identifier }: Repository, { repository }: CommitEvent): boolean {
  return identifier.toLowerCase() === repository.toLowerCase()
}

/**
 * Creates a configuration version and a VCS event after a workspace was connected to another
 * repository. Also creates a run if the workspace queues all runs and its execution mode is not
 * `local`. Does nothing if the workspace has no repository or the identifier of the repository is
 * unchanged. Must run inside a transaction.
 */
export function createConnectedVersion(
  world: World,
  user: { readonly id: string; readonly username: string },
  workspace: Workspace,
  before?: Workspace,
): void {
  const { repository } = workspace
  if (repository == null || repository.identifier === before?.repository?.identifier) return
  const commit = { sender: user.username, ...(repository.branch && { branch: repository.branch }) }
  const version = addRepositoryVersion(world, workspace, repository, commit, user.id)
  const message = `Connected ${workspace.name} to ${repository.identifier}`
  addVcsEvent(world, workspace.organization, repository, message)
  if (workspace.queue_all_runs) queueCommitRun(world, workspace, version)
}
