import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { bindingsOf, type TagBinding } from '../../../state/platform/tags/tags.ts'
import { matchesWildcard } from '../../../state/platform/wildcard.ts'
import { overviewOf } from '../../../state/platform/workspaces/overview.ts'
import { effectiveTags } from '../../../state/platform/workspaces/tags.ts'
import type { Workspace } from '../../../state/platform/workspaces/workspaces.ts'
import { openQuery } from '../json-api/attributes.ts'
import { type ListAddress, queryOf } from '../json-api/pagination.ts'
import { workspaceInclusions } from './workspace-inclusions.ts'

export const tagQuery = {
  'filter[tagged][0][key]': described(text, 'Key of a tag; more tags have the numbers 1, 2, …'),
  'filter[tagged][0][value]': described(text, 'Value of the tag'),
}

/**
 * Search and filter parameters of the list of workspaces, named as in the reference
 * (behaviour/platform#workspace-list).
 */
export const workspaceQuery = openQuery({
  ...workspaceInclusions.query,
  'search[name]': described(text, 'Part of a name'),
  'search[wildcard-name]': described(text, 'Name with `*` at the start, at the end, or both'),
  'search[tags]': described(text, 'Comma-separated tags, all of which the workspace must have'),
  'search[exclude-tags]': described(
    text,
    'Comma-separated tags, none of which the workspace may have',
  ),
  'search[exclude_tags]': described(text, 'Another spelling of `search[exclude-tags]`'),
  'filter[project][id]': text,
  ...tagQuery,
  'filter[current-run][status]': described(text, 'Statuses of the current run'),
  sort: described(
    text,
    '`name`, `current-run.created-at` or `latest-change-at`; a leading `-` reverses the order',
  ),
})

type WorkspaceQuery = InputOf<typeof workspaceQuery>

/** Tag that the query asks for. A missing key or value matches every key or value. */
interface TagFilter {
  readonly key?: string
  readonly value?: string
}

/** Returns the tags in `filter[tagged][N][key]` and `filter[tagged][N][value]`. */
export function tagFilters({ url }: ListAddress): TagFilter[] {
  const filters = new Map<string, TagFilter>()
  for (const [name, sent] of queryOf(url)) {
    const [, index = '', member] = /^filter\[tagged\]\[(\d+)\]\[(key|value)\]$/.exec(name) ?? []
    if (member !== undefined) filters.set(index, { ...filters.get(index), [member]: sent })
  }
  return [...filters.values()]
}

function splitList(sent = ''): string[] {
  return sent.split(',').filter((one) => one !== '')
}

/**
 * Returns the workspaces that a query selects, sorted as the query requests. If runs decide the
 * order, workspaces without a current run are last.
 */
export function selectWorkspaces(
  world: World,
  all: readonly Workspace[],
  query: WorkspaceQuery,
  address: ListAddress,
): readonly Workspace[] {
  const tagged = tagFilters(address)
  const statuses = splitList(query['filter[current-run][status]'])
  const selected = all.filter(
    (workspace) =>
      matches(workspace, query) &&
      (statuses.length === 0 ||
        statuses.includes(overviewOf(world, workspace).currentRun?.status ?? '')) &&
      (tagged.length === 0 || hasTags(effectiveTags(world, workspace), tagged)),
  )
  return sortWorkspaces(world, selected, query.sort)
}

/**
 * Sorts workspaces as `sort` requests. An unknown value keeps the given order, so callers pass
 * workspaces that are sorted by name.
 */
export function sortWorkspaces(
  world: World,
  selected: readonly Workspace[],
  sort = '',
): readonly Workspace[] {
  const isDescending = sort.startsWith('-')
  const timeOf = sortTimes[isDescending ? sort.slice(1) : sort]
  if (timeOf !== undefined) return sortByTime(selected, (one) => timeOf(world, one), isDescending)
  return sort === '-name' ? selected.toReversed() : selected
}

/** Times that can decide the order of the list, by their names in `sort`. */
const sortTimes: Readonly<
  Record<string, (world: World, workspace: Workspace) => number | undefined>
> = {
  'current-run.created-at': (world, one) => overviewOf(world, one).currentRun?.created_at,
  'latest-change-at': (world, one) => overviewOf(world, one).latestChangeAt,
}

/** Returns workspaces sorted by a time; workspaces without a time are last. */
function sortByTime(
  all: readonly Workspace[],
  timeOf: (workspace: Workspace) => number | undefined,
  isDescending: boolean,
): Workspace[] {
  const keyedWorkspaces = all.map((workspace) => {
    const time = timeOf(workspace)
    const key = isDescending && time !== undefined ? -time : time
    return { workspace, key: key ?? Number.POSITIVE_INFINITY }
  })
  keyedWorkspaces.sort((one, other) => (one.key === other.key ? 0 : one.key - other.key))
  return keyedWorkspaces.map(({ workspace }) => workspace)
}

/**
 * Returns whether tags have the keys and values of all filters. A blank or missing value matches
 * any value, and a missing key matches any key.
 */
export function hasTags(
  tags: readonly Pick<TagBinding, 'key' | 'value'>[],
  filters: readonly TagFilter[],
): boolean {
  return filters.every((filter) =>
    tags.some(({ key, value }) => key === (filter.key ?? key) && value === (filter.value || value)),
  )
}

function matches(workspace: Workspace, query: WorkspaceQuery): boolean {
  const { name, project } = workspace
  const tags = bindingsOf(workspace).map(({ key }) => key)
  const wildcard = query['search[wildcard-name]'] ?? ''
  const excluded = [
    ...splitList(query['search[exclude-tags]']),
    ...splitList(query['search[exclude_tags]']),
  ]
  return (
    name.toLowerCase().includes((query['search[name]'] ?? '').toLowerCase()) &&
    (wildcard === '' || matchesWildcard(wildcard, name)) &&
    splitList(query['search[tags]']).every((tag) => tags.includes(tag)) &&
    !excluded.some((tag) => tags.includes(tag)) &&
    [undefined, '', project].includes(query['filter[project][id]'])
  )
}
