import { trimEndOf } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { versionKind } from '../configuration-versions/configuration-version-machine.ts'
import {
  type ConfigurationVersion,
  newConfigurationVersion,
  putConfigurationVersion,
} from '../configuration-versions/configuration-versions.ts'
import type { Ingress } from '../configuration-versions/ingress.ts'
import { newId } from '../ids.ts'
import { archivePieces, putContent } from '../objects.ts'
import { optionsOf } from '../options.ts'
import { queueRun } from '../runs/creation.ts'
import type { Run } from '../runs/runs.ts'
import { delayMs } from '../timing.ts'
import type { Repository } from '../workspaces/repository.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import type { CommitEvent } from './commit-event.ts'
import { defaultBranch } from './triggers.ts'

/** A commit of the workspace's repository. */
type Commit = Omit<CommitEvent, 'repository'>

const sources = ['gitlab', 'bitbucket', 'ado'] as const

/**
 * Creates the configuration version of a commit. The files become available after the delay that
 * the timing or the option `fetchTime` sets. With the timing `manual`, only a forced transition
 * makes the files available. Must run inside a transaction.
 */
export function addRepositoryVersion(
  world: World,
  workspace: Workspace,
  repository: Repository,
  commit: Commit,
  user: string,
): ConfigurationVersion {
  const now = world.clock.now()
  const { service_provider } = repository
  const source = sources.find((each) => service_provider.startsWith(each)) ?? 'github'
  const version = putConfigurationVersion(world, {
    ...newConfigurationVersion(world, workspace, { user, source }),
    status: 'fetching',
    reached: { fetching_at: now },
    speculative: commit.pullRequest !== undefined,
    ingress: ingressOf(world, repository, commit),
    content: commit.files === undefined ? 'none' : 'good',
  })
  if (commit.files !== undefined) {
    putContent(world, version.id, archivePieces(commit.files))
  }
  const delay = delayMs(world, versionKind, optionsOf(world).fetchTime)
  if (delay !== undefined) {
    world.agenda.schedule({ at: now + delay, job: versionKind, id: version.id })
  }
  return version
}

/**
 * Creates a run for the configuration version of a commit. Returns undefined if the workspace has
 * the execution mode `local`. Must run inside a transaction.
 */
export function queueCommitRun(
  world: World,
  workspace: Workspace,
  version: ConfigurationVersion,
): Run | undefined {
  const { ingress, created_by: user } = version
  return queueRun(
    world,
    workspace,
    version,
    { message: ingress?.commit_message ?? '' },
    { user, source: 'ent-configuration-version', triggerReason: 'vcs_push', mayApply: true },
  )
}

function ingressOf(world: World, repository: Repository, commit: Commit): Ingress {
  const host = trimEndOf(repository.http_url, '/')
  const url = `${host}/${repository.identifier}`
  const branch = (commit.branch ?? repository.branch) || defaultBranch
  const sha = commit.commit ?? newSha(world)
  const sender = commit.sender ?? 'mock'
  const { number, title, body, url: address } = { ...commit.pullRequest }
  return {
    id: newId(world, 'ia'),
    branch,
    clone_url: `${url}.git`,
    commit_message: commit.message ?? `Commit ${sha.slice(0, 7)}`,
    commit_sha: sha,
    commit_url: `${url}/commit/${sha}`,
    compare_url: null,
    identifier: repository.identifier,
    is_pull_request: commit.pullRequest !== undefined,
    on_default_branch: branch === defaultBranch,
    pull_request_number: number ?? null,
    pull_request_url: address ?? (number === undefined ? null : `${url}/pull/${number}`),
    pull_request_title: title ?? null,
    pull_request_body: body ?? null,
    tag: commit.tag ?? null,
    sender_username: sender,
    sender_avatar_url: `${host}/${sender}.png`,
    sender_html_url: `${host}/${sender}`,
  }
}

/** Returns a random commit id of 40 hexadecimal digits. */
function newSha(world: World): string {
  return `${world.ids.uuid()}${world.ids.uuid()}`.replaceAll('-', '').slice(0, 40)
}
