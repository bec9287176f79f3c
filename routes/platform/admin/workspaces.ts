import { bool, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { moveRun } from '../../../state/platform/runs/moves.ts'
import { currentRunOf } from '../../../state/platform/runs/queue.ts'
import { runTimes } from '../../../state/platform/runs/run-times.ts'
import { type Run, runAttributes, runs, runWithId } from '../../../state/platform/runs/runs.ts'
import { deleteWorkspace } from '../../../state/platform/workspaces/changes.ts'
import {
  type Workspace,
  workspaces,
  workspaceWithId,
} from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  openQuery,
  optionalMembers,
  timestampRenderer,
} from '../json-api/attributes.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  documentOf,
  listOf,
  optionalRelationOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { repositoryOf, repositoryShape } from '../workspaces/repository-resource.ts'
import { containsPart, isListed, isWithin } from './queries.ts'

const workspaceShape = resourceShape(
  'workspaces',
  struct({ name: text, locked: bool, 'vcs-repo': nullable(repositoryShape) }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'current-run': optionalRelationOf('runs'),
    }),
    links: selfLink,
  },
)

function workspaceResource(
  { world, origin }: Pick<PlatformContext<unknown>, 'world' | 'origin'>,
  workspace: Workspace,
): Resource {
  const { id, name, locked, organization } = workspace
  return {
    id,
    type: 'workspaces',
    attributes: { name, locked, 'vcs-repo': repositoryOf(workspace, origin) },
    relationships: {
      organization: toOne('organizations', organization),
      'current-run': toOne('runs', currentRunOf(world, id)?.id ?? null),
    },
    links: { self: `/api/v2/workspaces/${id}` },
  }
}

const { status, has_changes, created_at } = runAttributes
const runRenderer = attributeRenderer({ status, has_changes, created_at })
const timesRenderer = timestampRenderer(runTimes.fields)

const runShape = resourceShape(
  'runs',
  struct({ ...runRenderer.shape.fields, 'status-timestamps': timesRenderer.shape }),
  { relationships: struct({ workspace: relationOf('workspaces') }), links: selfLink },
)

function runResource(run: Run): Resource {
  return {
    id: run.id,
    type: 'runs',
    attributes: {
      ...runRenderer.render(run),
      'status-timestamps': timesRenderer.render(run.reached),
    },
    relationships: { workspace: toOne('workspaces', run.workspace) },
    links: { self: `/api/v2/runs/${run.id}` },
  }
}

const spec = 'behaviour/platform#admin-workspaces'
const onAll = operationsOn('admin', () => undefined, spec)
const onWorkspace = operationsOn(
  'admin',
  ({ world, params }: Scope) => requireFound(workspaceWithId(world, params['workspace_id'] ?? '')),
  spec,
)
const onRun = operationsOn(
  'admin',
  ({ world, params }: Scope) => requireFound(runWithId(world, params['run_id'] ?? '')),
  spec,
)

/** Operations of site admins on workspaces and runs. */
export const adminWorkspaceOperations = [
  onAll('GET', '/admin/workspaces', {
    id: 'listAdminWorkspaces',
    summary: 'List the workspaces of all organizations by name.',
    query: openQuery({
      q: described(text, 'Part of the name of a workspace or an organization'),
      'filter[current_run][status]': described(text, 'Statuses, separated by commas'),
    }),
    reply: { 200: listOf(workspaceShape) },
    run: ({ context, query }) => {
      const { world, address } = context
      const statuses = query['filter[current_run][status]']
      const found = Array.from(world.table(workspaces).rows())
        .filter(({ name, organization }) => containsPart(query.q, name, organization))
        .filter(({ id }) => isListed(statuses, currentRunOf(world, id)?.status))
      return ok(pageOf(found, (one) => workspaceResource(context, one), address))
    },
  }),
  onWorkspace('GET', '/admin/workspaces/:workspace_id', {
    id: 'readAdminWorkspace',
    summary: 'Read a workspace as a site admin.',
    reply: { 200: documentOf(workspaceShape) },
    run: ({ context }) => ok({ data: workspaceResource(context, context.subject) }),
  }),
  onWorkspace('DELETE', '/admin/workspaces/:workspace_id', {
    id: 'deleteAdminWorkspace',
    summary: 'Delete a workspace, even if it is locked.',
    reply: { 204: null },
    run: ({ context: { world, subject } }) => deleteWorkspace(world, subject),
  }),
  onAll('GET', '/admin/runs', {
    id: 'listAdminRuns',
    summary: 'List the runs of all organizations, newest first.',
    query: openQuery({
      q: described(text, 'Part of the id of a run, or of the name of its workspace'),
      'filter[status]': described(text, 'Statuses, separated by commas'),
      'filter[from]': described(text, 'Earliest time of creation'),
      'filter[to]': described(text, 'Latest time of creation'),
    }),
    reply: { 200: listOf(runShape) },
    run: ({ context: { world, address }, query }) => {
      const found = Array.from(world.table(runs).rows())
        .filter((run) => isListed(query['filter[status]'], run.status))
        .filter((run) => isWithin(run.created_at, query['filter[from]'], query['filter[to]']))
        .filter((run) => {
          const { name = '', organization = '' } = { ...workspaceWithId(world, run.workspace) }
          return containsPart(query.q, run.id, name, organization)
        })
        .sort((one, other) => other.created_at - one.created_at)
      return ok(pageOf(found, runResource, address))
    },
  }),
  onRun('POST', '/admin/runs/:run_id/actions/force-cancel', {
    id: 'forceCancelAdminRun',
    summary: 'End a run at once, whatever its status.',
    body: { attributes: optionalMembers({}), dataOptional: true },
    failures: [409],
    reply: { 202: null },
    run: ({ context: { world, subject, caller } }) => {
      moveRun(world, subject, 'end', { actor: caller.user.id })
      return answer(202, undefined)
    },
  }),
]
