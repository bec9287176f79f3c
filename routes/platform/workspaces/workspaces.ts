import { any, bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import { checkOwner } from '../../../state/platform/accounts/callers.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  forceUnlockWorkspace,
  lockWorkspace,
  safeDeleteWorkspace,
  unlockWorkspace,
} from '../../../state/platform/workspaces/changes.ts'
import {
  type Workspace,
  workspaceNamed,
  workspacesOf,
  workspaceWithId,
} from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  blankable,
  inState,
  openQuery,
  optionalMembers,
  readMembers,
} from '../json-api/attributes.ts'
import { relatedId, relatedList } from '../json-api/body.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext, type Scope } from '../operation.ts'
import { findOwnedOrganization } from '../organizations/scopes.ts'
import {
  tagNamesIn,
  workspaceResource,
  workspaceShape,
  workspaceType,
} from './workspace-resource.ts'

const spec = 'behaviour/platform#beyond'

/**
 * Returns the workspace with the id in the path. Throws 404 unless the caller is an owner of its
 * organization.
 */
export function findWorkspace({ world, caller, params }: Scope): Workspace {
  const workspace = requireFound(workspaceWithId(world, params['workspace_id'] ?? ''))
  checkOwner(world, caller, workspace.organization)
  return workspace
}

/**
 * Returns the workspace with the organization and name in the path. Throws 404 unless the caller is
 * an owner of the organization.
 */
function findNamedWorkspace(scope: Scope): Workspace {
  const { name: organization } = findOwnedOrganization(scope)
  const workspace = requireFound(
    workspaceNamed(scope.world, organization, scope.params['name'] ?? ''),
  )
  return workspace
}

/** Attributes that callers can set. */
const inputAttributes = optionalMembers({
  name: blankable,
  description: blankable,
  'execution-mode': blankable,
  operations: bool,
  'auto-apply': bool,
  'auto-apply-run-trigger': bool,
  'allow-destroy-plan': bool,
  'assessments-enabled': bool,
  'file-triggers-enabled': bool,
  'global-remote-state': bool,
  'queue-all-runs': bool,
  'speculative-enabled': bool,
  'structured-run-output-enabled': bool,
  'infra-version': blankable,
  'trigger-prefixes': list(text),
  'trigger-patterns': list(text),
  'working-directory': blankable,
  'source-name': blankable,
  'source-url': blankable,
  'tag-names': list(text),
  'setting-overwrites': any,
})

const overwriteAttributes = optionalMembers({ 'execution-mode': bool, 'agent-pool': bool })

function inputOf(
  { attributes, relationships }: ParsedBody<typeof inputAttributes>,
  { dialect }: PlatformContext<unknown>,
) {
  const { 'setting-overwrites': overwritesInput, ...rest } = attributes
  const parsedOverwrites = readMembers(
    'setting-overwrites',
    overwriteAttributes,
    overwritesInput,
    dialect,
  )
  const project = relatedId(relationships, 'project')
  // The reference client sends the tags of a new workspace as a relationship.
  const tags = tagNamesIn(relatedList(relationships, 'tags'))
  return {
    ...inState(rest),
    ...(parsedOverwrites === undefined ? {} : { setting_overwrites: inState(parsedOverwrites) }),
    ...(project === undefined ? {} : { project }),
    ...(tags.length === 0 ? {} : { tag_names: [...new Set(tags)].sort() }),
  }
}

/** Search and filter parameters of the list, named as in the reference. */
const query = openQuery({
  'search[name]': described(text, 'Part of a name'),
  'search[wildcard-name]': described(text, 'A name with `*` at its ends'),
  'search[tags]': described(text, 'Tags that must all be there, separated by commas'),
  'search[exclude-tags]': described(text, 'Tags of which none may be there'),
  'filter[project][id]': text,
  sort: described(text, '`name`, or `-name` for the other way round'),
})

function matches(workspace: Workspace, filters: InputOf<typeof query>): boolean {
  const { name, tag_names: tags, project } = workspace
  const splitList = (text = '') => text.split(',').filter((one) => one !== '')
  const wildcard = filters['search[wildcard-name]'] ?? ''
  return (
    name.toLowerCase().includes((filters['search[name]'] ?? '').toLowerCase()) &&
    (wildcard === '' || matchesWildcard(wildcard, name)) &&
    splitList(filters['search[tags]']).every((tag) => tags.includes(tag)) &&
    !splitList(filters['search[exclude-tags]']).some((tag) => tags.includes(tag)) &&
    [undefined, '', project].includes(filters['filter[project][id]'])
  )
}

/** Returns whether a name matches a pattern in which each `*` stands for any text. */
function matchesWildcard(wildcard: string, name: string): boolean {
  const [first = '', ...others] = wildcard.split('*')
  const last = others.pop()
  if (last === undefined) return wildcard === name
  let at = first.length
  for (const part of others) {
    const matching = name.indexOf(part, at)
    if (matching < 0) return false
    at = matching + part.length
  }
  return name.startsWith(first) && name.endsWith(last) && at + last.length <= name.length
}

const document = documentOf(workspaceShape)
const listPath = '/organizations/:organization_name/workspaces'
const onOrganization = operationsOn('caller', findOwnedOrganization, spec)

const collectionOperations = [
  onOrganization('GET', listPath, {
    id: 'listWorkspaces',
    summary: 'List the workspaces of an organization, by name.',
    query,
    reply: { 200: listOf(workspaceShape) },
    run: ({ context, query: filters }) => {
      const { world, subject, address } = context
      const matching = workspacesOf(world, subject.name).filter((one) => matches(one, filters))
      if (filters.sort === '-name') matching.reverse()
      return ok(pageOf(matching, (one) => workspaceResource(one, context), address))
    },
  }),
  onOrganization('POST', listPath, {
    id: 'createWorkspace',
    summary: 'Add a workspace to an organization.',
    body: { type: workspaceType, attributes: inputAttributes },
    reply: { 201: document },
    run: ({ context, body }) => {
      const { world, subject } = context
      const workspace = createWorkspace(world, subject.name, inputOf(body(), context))
      return answer(201, { data: workspaceResource(workspace, context) })
    },
  }),
]

/** Returns the operations on one workspace, for paths that name it by name or by id. */
const workspaceOperationsByName = (
  [
    ['Named', `${listPath}/:name`, findNamedWorkspace],
    ['', '/workspaces/:workspace_id', findWorkspace],
  ] as const
).flatMap(([nameInfix, path, find]) => {
  const operation = operationsOn('caller', find, spec)
  const by = nameInfix === '' ? 'its id' : 'its name'
  return [
    operation('GET', path, {
      id: `read${nameInfix}Workspace`,
      summary: `Read a workspace by ${by}.`,
      reply: { 200: document },
      run: ({ context }) => ok({ data: workspaceResource(context.subject, context) }),
    }),
    operation('PATCH', path, {
      id: `change${nameInfix}Workspace`,
      summary: `Change what is named of a workspace, found by ${by}.`,
      body: { type: workspaceType, attributes: inputAttributes },
      reply: { 200: document },
      run: ({ context, body }) => {
        const input = inputOf(body(), context)
        const workspace = changeWorkspace(context.world, context.subject, input)
        return ok({ data: workspaceResource(workspace, context) })
      },
    }),
    operation('DELETE', path, {
      id: `delete${nameInfix}Workspace`,
      summary: `Delete a workspace, found by ${by}.`,
      reply: { 204: null },
      run: ({ context: { world, subject } }) => deleteWorkspace(world, subject),
    }),
    operation('POST', `${path}/actions/safe-delete`, {
      id: `safeDelete${nameInfix}Workspace`,
      summary: `Delete a workspace that is not locked, found by ${by}; it never manages anything.`,
      reply: { 204: null },
      failures: [409],
      run: ({ context: { world, subject } }) => safeDeleteWorkspace(world, subject),
    }),
  ]
})

const onWorkspace = operationsOn('caller', findWorkspace, spec)

const lockOperations = (
  [
    ['lock', 'Lock', lockWorkspace, 'Lock a workspace.'],
    ['unlock', 'Unlock', unlockWorkspace, 'Unlock a workspace that the caller has locked.'],
    ['force-unlock', 'ForceUnlock', forceUnlockWorkspace, 'Unlock a workspace, whoever locked it.'],
  ] as const
).map(([action, name, changeLock, summary]) =>
  onWorkspace('POST', `/workspaces/:workspace_id/actions/${action}`, {
    id: `do${name}Workspace`,
    summary,
    failures: [409],
    reply: { 200: document },
    run: ({ context }) => {
      const { world, subject, caller } = context
      const workspace = changeLock(world, subject, caller.user)
      return ok({ data: workspaceResource(workspace, context) })
    },
  }),
)

/** Operations on workspaces without runs, as far as tools need them. */
export const workspaceOperations = [
  ...collectionOperations,
  ...workspaceOperationsByName,
  ...lockOperations,
]
