import { bool, nullable, text } from '../../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  type Organization,
  organizations,
} from '../../../state/platform/organizations/organizations.ts'
import { moveRun } from '../../../state/platform/runs/moves.ts'
import { currentRunOf } from '../../../state/platform/runs/queue.ts'
import { runTimes } from '../../../state/platform/runs/run-times.ts'
import { type Run, runAttributes, runs, runWithId } from '../../../state/platform/runs/runs.ts'
import { containsPart } from '../../../state/platform/wildcard.ts'
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
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toOne } from '../json-api/relations.ts'
import {
  listOf,
  optionalRelationOf,
  type Resource,
  relationOf,
  resourceShape,
  selfLink,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Rendering, type Scope } from '../operation.ts'
import { repositoryOf, repositoryShape } from '../workspaces/repository-resource.ts'
import { sortWorkspaces } from '../workspaces/workspace-query.ts'
import { adminOrganizationResource, adminOrganizationShape, adminOwners } from './organizations.ts'
import { isWithin, matchesList } from './queries.ts'
import { adminUserShape } from './user-resource.ts'

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

/** Returns the organization of a workspace, even a disabled one; undefined without a workspace. */
function organizationOf(world: World, workspace: Workspace | undefined): Organization | undefined {
  return workspace && world.table(organizations).get(workspace.organization)
}

/** Returns a list with the rendered item; an empty list without an item. */
function optionalResource<Item>(
  item: Item | undefined,
  render: (item: Item) => Resource,
): readonly Resource[] {
  return item === undefined ? [] : [render(item)]
}

const workspaceInclusions = inclusionsOf<Workspace>(
  {
    organization: {
      find: (workspace, context) =>
        optionalResource(organizationOf(context.world, workspace), (one) =>
          adminOrganizationResource(one, context),
        ),
    },
    'organization.owners': {
      find: (workspace, { world }) => adminOwners(world, organizationOf(world, workspace)),
    },
    'current-run': {
      find: ({ id }, { world }) => optionalResource(currentRunOf(world, id), runResource),
    },
  },
  [adminOrganizationShape, adminUserShape, runShape],
)

const runInclusions = inclusionsOf<Run>(
  {
    workspace: {
      find: (run, context) =>
        optionalResource(workspaceWithId(context.world, run.workspace), (one) =>
          workspaceResource(context, one),
        ),
    },
    'workspace.organization': {
      find({ workspace: id }, context) {
        const { world } = context
        return optionalResource(organizationOf(world, workspaceWithId(world, id)), (one) =>
          adminOrganizationResource(one, context),
        )
      },
    },
    'workspace.organization.owners': {
      find: ({ workspace: id }, { world }) =>
        adminOwners(world, organizationOf(world, workspaceWithId(world, id))),
    },
  },
  [workspaceShape, adminOrganizationShape, adminUserShape],
)

const spec = 'behaviour/platform#admin-workspaces'
const workspaceRendering: Rendering<Workspace> = {
  shape: workspaceShape,
  render: (one, context) => workspaceResource(context, one),
}

const onNoSubject = operationsOn('admin', () => undefined, spec)
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

export const adminWorkspaceOperations = [
  onNoSubject('GET', '/admin/workspaces', {
    id: 'listAdminWorkspaces',
    summary: 'List the workspaces of all organizations by name.',
    query: openQuery({
      ...workspaceInclusions.query,
      q: described(text, 'Part of the name of a workspace or an organization'),
      'filter[current_run][status]': described(text, 'Comma-separated statuses'),
      sort: described(text, '`name` or `current-run.created-at`; a leading `-` reverses the order'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(workspaceShape), workspaceInclusions.shape) },
    run: ({ context, query }) => {
      const { world, address } = context
      const included = workspaceInclusions.read(query.include, context)
      const statuses = query['filter[current_run][status]']
      const found = Array.from(world.table(workspaces).rows())
        .filter(({ name, organization }) => containsPart(query.q, name, organization))
        .filter(({ id }) => matchesList(statuses, currentRunOf(world, id)?.status))
      const sorted = sortWorkspaces(world, found, query.sort)
      const render = (one: Workspace) => included.add(one, workspaceResource(context, one))
      return ok({ ...pageOf(sorted, render, address), ...included.members() })
    },
  }),
  onWorkspace.document('GET', '/admin/workspaces/:workspace_id', workspaceRendering, {
    id: 'readAdminWorkspace',
    summary: 'Read a workspace as a site admin.',
    run: ({ context }) => context.subject,
  }),
  onWorkspace('DELETE', '/admin/workspaces/:workspace_id', {
    id: 'deleteAdminWorkspace',
    summary: 'Delete a workspace, even if it is locked.',
    run: ({ context: { world, subject } }) => deleteWorkspace(world, subject),
  }),
  onNoSubject('GET', '/admin/runs', {
    id: 'listAdminRuns',
    summary: 'List the runs of all organizations, newest first.',
    query: openQuery({
      ...runInclusions.query,
      q: described(text, 'Part of the id of a run, or of the name of its workspace'),
      'filter[status]': described(text, 'Comma-separated statuses'),
      'filter[from]': described(text, 'Earliest creation time'),
      'filter[to]': described(text, 'Latest creation time'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(runShape), runInclusions.shape) },
    run: ({ context, query }) => {
      const { world, address } = context
      const included = runInclusions.read(query.include, context)
      const found = Array.from(world.table(runs).rows())
        .filter((run) => matchesList(query['filter[status]'], run.status))
        .filter((run) => isWithin(run.created_at, query['filter[from]'], query['filter[to]']))
        .filter((run) => {
          const { name = '', organization = '' } = { ...workspaceWithId(world, run.workspace) }
          return containsPart(query.q, run.id, name, organization)
        })
        .sort((one, other) => other.created_at - one.created_at)
      const render = (one: Run) => included.add(one, runResource(one))
      return ok({ ...pageOf(found, render, address), ...included.members() })
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
