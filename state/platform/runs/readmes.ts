import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { platformTable } from '../table.ts'
import { readArchive } from '../test-runs/archive.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import type { Run } from './runs.ts'

/** Readme of each workspace, from its last applied run, by workspace id. */
export const workspaceReadmes = platformTable('workspace-readmes', struct({ raw_markdown: text }), {
  secrets: 'none',
})

/**
 * Returns the readme of a workspace, or undefined if no run was applied or the last applied run had
 * no readme.
 */
export function readmeOf(world: World, workspace: string): string | undefined {
  return world.table(workspaceReadmes).get(workspace)?.raw_markdown
}

/**
 * Stores the readme of an applied run: the readme in its outcome, or else the file `README.md`, in
 * any letter case, in the working directory (behaviour/platform#workspace-readme). Deletes the
 * stored readme if the run has no readme. Must run inside a transaction.
 */
export function storeReadme(world: World, run: Run): void {
  const table = world.table(workspaceReadmes)
  const raw_markdown = run.outcome.readme ?? readmeIn(world, run)
  if (raw_markdown === undefined) table.delete(run.workspace)
  else table.put(run.workspace, { raw_markdown })
}

function readmeIn(world: World, run: Run): string | undefined {
  const { working_directory } = { ...workspaceWithId(world, run.workspace) }
  const folder = (working_directory ?? '').split('/').filter((part) => part !== '' && part !== '.')
  const wanted = [...folder, 'readme.md'].join('/')
  const files = readArchive(world, run.configuration_version)?.files ?? new Map<string, Buffer>()
  for (const [path, content] of files) {
    const parts = path.split('/')
    const name = parts.at(-1)?.toLowerCase() ?? ''
    if ([...parts.slice(0, -1), name].join('/') === wanted) return content.toString('utf8')
  }
  return undefined
}
