import type { World } from '../../kernel/worlds/world.ts'
import { agentPoolWithId } from '../agents/agent-pools.ts'
import { versionWithId } from '../configuration-versions/configuration-versions.ts'
import { attributeTime } from '../timestamps.ts'
import { containsPart } from '../wildcard.ts'
import { executionOf } from '../workspaces/execution.ts'
import { workspaceWithId } from '../workspaces/workspaces.ts'
import { runMachine } from './run-machine.ts'
import { conditionsOf } from './run-schedule.ts'
import { isRunOver, operationOf, type Run } from './runs.ts'

/**
 * Filters of a list of runs. An empty list or string selects everything, except that an empty
 * `operations` leaves out plan-only runs.
 */
export interface RunSelection {
  readonly operations: readonly string[]
  readonly statuses: readonly string[]
  readonly sources: readonly string[]
  readonly agentPools: readonly string[]
  readonly statusGroups: readonly string[]
  /** `year` for the last 365 days, a calendar year in UTC such as `2024`, or empty. */
  readonly timeframe: string
  /**
   * Search strings: `user` is compared with the sender of the commit, `commit` with its SHA, and
   * `basic` with the run's id, message, commit and sender. An empty string matches every run.
   */
  readonly search: { readonly user: string; readonly commit: string; readonly basic: string }
}

const statusGroupPredicates: Readonly<Record<string, (world: World, run: Run) => boolean>> = {
  final: (_world, run) => isRunOver(run),
  non_final: (_world, run) => !isRunOver(run),
  discardable: (world, run) => runMachine.allows(run.status, 'discard', conditionsOf(world, run)),
}

/** Length of the timeframe `year` in milliseconds: 365 days. */
const year = 365 * 24 * 60 * 60 * 1000

/**
 * Returns the runs that match all filters (behaviour/platform#run-lists). Plan-only runs are left
 * out unless `operations` contains `plan_only`.
 */
export function selectRuns(world: World, all: readonly Run[], selection: RunSelection): Run[] {
  const { operations, statuses, sources, agentPools, statusGroups, timeframe, search } = selection
  const oldest = timeframe === 'year' ? world.clock.now() - year : -Infinity
  const isSelected = (list: readonly string[], value: string) =>
    list.length === 0 || list.includes(value)
  const isInGroup = (run: Run) =>
    statusGroups.length === 0 ||
    statusGroups.some((name) => statusGroupPredicates[name]?.(world, run) === true)
  const isInTimeframe = ({ created_at }: Run) => {
    if (timeframe === '') return true
    if (timeframe === 'year') return created_at >= oldest
    return attributeTime(created_at).slice(0, 4) === timeframe
  }
  const isOfPool = (run: Run) => {
    if (agentPools.length === 0) return true
    const workspace = workspaceWithId(world, run.workspace)
    const pool = workspace && agentPoolWithId(world, executionOf(world, workspace).pool ?? '')
    return pool !== undefined && agentPools.includes(pool.name)
  }
  const matchesSearch = searchMatcher(world, search)
  return all.filter(
    (run) =>
      (operations.length === 0 ? !run.plan_only : operations.includes(operationOf(run))) &&
      isSelected(statuses, run.status) &&
      isSelected(sources, run.source) &&
      isOfPool(run) &&
      isInGroup(run) &&
      isInTimeframe(run) &&
      matchesSearch(run),
  )
}

/**
 * Returns a predicate for the runs that match all search texts, in any letter case. Runs without a
 * commit match no search for a user or a commit.
 */
function searchMatcher(
  world: World,
  { user, commit, basic }: RunSelection['search'],
): (run: Run) => boolean {
  if (user === '' && commit === '' && basic === '') return () => true
  return ({ id, message, configuration_version }) => {
    const ingress = versionWithId(world, configuration_version)?.ingress
    const users = ingress === undefined ? [] : [ingress.sender_username]
    const commits = ingress === undefined ? [] : [ingress.commit_sha]
    return (
      containsPart(user, ...users) &&
      containsPart(commit, ...commits) &&
      containsPart(basic, id, message, ...commits, ...users)
    )
  }
}
