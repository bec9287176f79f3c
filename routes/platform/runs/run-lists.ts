import { any, int } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { capacityOf, queueOf } from '../../../state/platform/runs/queue.ts'
import { type Run, runsOf } from '../../../state/platform/runs/runs.ts'
import { type RunSelection, selectRuns } from '../../../state/platform/runs/selection.ts'
import { hasWorkspaceRight, visibleWorkspaces } from '../../../state/platform/workspaces/rights.ts'
import { ok } from '../../http/declare/operation.ts'
import { openQuery } from '../json-api/attributes.ts'
import { pageOf, pageWithoutTotals, queryOf } from '../json-api/pagination.ts'
import {
  documentOf,
  listOf,
  listWithoutTotalsOf,
  resourceShape,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { findOrganization } from '../organizations/scopes.ts'
import { parseSource } from '../test-runs/test-source.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { runInclusions } from './run-inclusions.ts'
import { runResource, runShape } from './run-resource.ts'

const spec = 'behaviour/platform#run-lists'
const onWorkspace = operationsOn('caller', findWorkspaceFor({ runs: 'read' }), spec)
const onOrganization = operationsOn('caller', findOrganization, spec)

const listQuery = {
  ...runInclusions.query,
  'filter[operation]': described(any, 'Comma-separated operations'),
  'filter[status]': described(any, 'Comma-separated statuses'),
  'filter[source]': described(any, 'Comma-separated sources'),
  'filter[agent_pool_names]': described(any, 'Comma-separated names of agent pools'),
  'filter[status_group]': described(any, 'final, non_final or discardable'),
  'filter[timeframe]': described(any, 'A year, or `year` for the last year'),
  'search[user]': described(any, 'Part of the name of the user who pushed the commit'),
  'search[commit]': described(any, 'Part of the SHA of the commit'),
  'search[basic]': described(
    any,
    'Part of the id, the message, the SHA of the commit or the name of its user',
  ),
}

/**
 * Returns the comma-separated values of a query parameter, which may be repeated; empty without the
 * parameter.
 */
function valuesOf(query: URLSearchParams, name: string): readonly string[] {
  const values = query.getAll(name).flatMap((list) => list.split(','))
  return values.map((value) => value.trim()).filter((value) => value !== '')
}

function selectionOf(query: URLSearchParams): RunSelection {
  return {
    operations: valuesOf(query, 'filter[operation]'),
    statuses: valuesOf(query, 'filter[status]'),
    sources: valuesOf(query, 'filter[source]').map(parseSource),
    agentPools: valuesOf(query, 'filter[agent_pool_names]'),
    statusGroups: valuesOf(query, 'filter[status_group]'),
    timeframe: query.get('filter[timeframe]') ?? '',
    search: {
      user: query.get('search[user]') ?? '',
      commit: query.get('search[commit]') ?? '',
      basic: query.get('search[basic]') ?? '',
    },
  }
}

/** Returns the organization's workspaces, but only those whose runs the caller may read. */
function readableWorkspaces({
  world,
  caller,
  subject,
}: PlatformContext<{ readonly name: string }>) {
  return visibleWorkspaces(world, caller, subject.name).filter((one) =>
    hasWorkspaceRight(world, caller, one, { runs: 'read' }),
  )
}

const capacityShape = resourceShape('organization-capacity', struct({ pending: int, running: int }))

export const runListOperations = [
  onWorkspace('GET', '/workspaces/:workspace_id/runs', {
    id: 'listRuns',
    summary: 'List the runs of a workspace, newest first.',
    query: openQuery(listQuery),
    failures: [400],
    reply: { 200: withExtraFields(listOf(runShape), runInclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = runInclusions.read(query.include, context)
      const found = selectRuns(world, runsOf(world, subject.id), selectionOf(queryOf(address.url)))
      const resourceOf = (run: Run) => included.add(run, runResource(run, context))
      return ok({ ...pageOf(found, resourceOf, address), ...included.members() })
    },
  }),
  onOrganization('GET', '/organizations/:organization_name/runs', {
    id: 'listOrganizationRuns',
    summary: 'List the runs of an organization that the caller sees, newest first.',
    query: openQuery({
      ...listQuery,
      'filter[workspace_names]': described(any, 'Comma-separated names of workspaces'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listWithoutTotalsOf(runShape), runInclusions.shape) },
    run: ({ context, query }) => {
      const { world, address } = context
      const included = runInclusions.read(query.include, context)
      const parameters = queryOf(address.url)
      const names = valuesOf(parameters, 'filter[workspace_names]')
      const all = readableWorkspaces(context)
        .filter(({ name }) => names.length === 0 || names.includes(name))
        .flatMap(({ id }) => runsOf(world, id))
        .sort((one, other) => other.created_at - one.created_at)
      const found = selectRuns(world, all, selectionOf(parameters))
      const resourceOf = (run: Run) => included.add(run, runResource(run, context))
      return ok({ ...pageWithoutTotals(found, resourceOf, address), ...included.members() })
    },
  }),
  onOrganization('GET', '/organizations/:organization_name/runs/queue', {
    id: 'readRunQueue',
    summary:
      'List the runs that are planning, applying or waiting in the queue, in the order of the queue.',
    reply: { 200: listOf(runShape) },
    run: ({ context }) => {
      const { world, subject, address } = context
      const readable = new Set(readableWorkspaces(context).map(({ id }) => id))
      const queue = queueOf(world, subject.name)
        .map((run, index) => ({ run, position: index + 1 }))
        .filter(({ run }) => readable.has(run.workspace))
      return ok(pageOf(queue, ({ run, position }) => runResource(run, context, position), address))
    },
  }),
  onOrganization('GET', '/organizations/:organization_name/capacity', {
    id: 'readOrganizationCapacity',
    summary: 'Count the running and the waiting runs of an organization.',
    reply: { 200: documentOf(capacityShape) },
    run: ({ context: { world, subject } }) => {
      const attributes = capacityOf(world, subject.name)
      return ok({ data: { id: subject.name, type: 'organization-capacity', attributes } })
    },
  }),
]
