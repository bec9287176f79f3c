import { compileGoRegex } from '../../go/regex.ts'
import type { Repository } from '../workspaces/repository.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import type { CommitEvent } from './commit-event.ts'

/** Name of the default branch of every repository. */
export const defaultBranch = 'main'

/**
 * Returns whether a push to the repository of a workspace creates a configuration version of the
 * workspace (behaviour/platform#workspace-pushes).
 */
export function concernsWorkspace(
  workspace: Workspace,
  repository: Repository,
  event: CommitEvent,
): boolean {
  const { tags_regex } = repository
  if (event.tag !== undefined || tags_regex !== null) {
    if (event.tag === undefined || tags_regex === null) return false
    return compileGoRegex(tags_regex).test(event.tag)
  }
  if (event.pullRequest !== undefined && !workspace.speculative_enabled) return false
  const branch = repository.branch || defaultBranch
  if (branch !== (event.branch ?? defaultBranch)) return false
  return event.files === undefined || matchesFileTriggers(workspace, Object.keys(event.files))
}

/**
 * Returns whether a changed file matches the triggers of a workspace. Every change matches if file
 * triggers are disabled.
 */
function matchesFileTriggers(workspace: Workspace, changedPaths: readonly string[]): boolean {
  const { file_triggers_enabled, trigger_patterns, trigger_prefixes } = workspace
  if (!file_triggers_enabled) return true
  const files = changedPaths.map(withoutSlashes)
  if (trigger_patterns.length > 0) {
    const patterns = trigger_patterns.map((each) => compileGoRegex(regexOf(withoutSlashes(each))))
    return files.some((file) => patterns.some((pattern) => pattern.test(file)))
  }
  const folders = [workspace.working_directory ?? '', ...trigger_prefixes].map(withoutSlashes)
  // An empty working directory means the whole repository.
  return files.some((file) =>
    folders.some((folder) => folder === '' || file === folder || file.startsWith(`${folder}/`)),
  )
}

/** Returns a path without leading and trailing slashes. */
function withoutSlashes(path: string): string {
  const parts = path.split('/')
  while (parts[0] === '') parts.shift()
  while (parts.at(-1) === '') parts.pop()
  return parts.join('/')
}

const regexByWildcard: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}

/** Converts a path pattern to a regular expression. `**` matches any number of folders. */
function regexOf(pattern: string): string {
  const parts = pattern.split(/(\*\*\/|\*\*|\*|\?)/)
  return `^${parts.map((part) => regexByWildcard[part] ?? escapeRegex(part)).join('')}$`
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
}
