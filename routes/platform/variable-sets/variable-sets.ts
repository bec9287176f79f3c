import { text } from '../../../state/kernel/shape/kinds.ts'
import { described } from '../../../state/kernel/shape/members.ts'
import type { InputOf } from '../../../state/kernel/shape/values.ts'
import {
  assignVariableSet,
  changeVariableSet,
  createVariableSet,
  deleteVariableSet,
  type VariableSetInput,
} from '../../../state/platform/variable-sets/changes.ts'
import { setsOnProject, setsOnWorkspace } from '../../../state/platform/variable-sets/precedence.ts'
import {
  type VariableSet,
  variableSetsOf,
} from '../../../state/platform/variable-sets/variable-sets.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { openQuery, optionalMembers, strictFlag, strictText } from '../json-api/attributes.ts'
import { identifiersIn, relatedId, relatedItems } from '../json-api/body.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, withExtraFields } from '../json-api/resource.ts'
import { type BodyForm, operationsOn, type ParsedBody, type PlatformContext } from '../operation.ts'
import { nameFilter } from '../organizations/scopes.ts'
import { findProject } from '../projects/projects.ts'
import { relatedVariables } from '../variables/variable-resource.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { findManagedVariableSet, findOrganizationOfSets, findVariableSet } from './scopes.ts'
import {
  variableSetInclusions,
  variableSetResource,
  variableSetShape,
  variableSetType,
} from './variable-set-resource.ts'

const attributes = optionalMembers({
  name: strictText,
  description: strictText,
  global: strictFlag,
  priority: strictFlag,
})

/** Body of requests that create or change a variable set. */
const variableSetForm: BodyForm<typeof attributes> = { type: variableSetType, attributes }

type InputContext = Pick<PlatformContext<unknown>, 'dialect'>
type Relationships = ParsedBody<typeof attributes>['relationships']

/**
 * Converts a body to the input for a variable set. A `parent` that is the organization itself means
 * that no project owns the set.
 */
function variableSetInputOf(
  { attributes: sent, relationships }: ParsedBody<typeof attributes>,
  organization: string,
  context: InputContext,
): VariableSetInput {
  const owner = relatedId(relationships, 'parent')
  const variables = relatedVariables(relationships, context)
  return {
    ...sent,
    ...(owner === undefined ? {} : { project: owner === organization ? null : owner }),
    ...(variables === undefined ? {} : { variables }),
    ...relatedIds(relationships, 'workspaces'),
    ...relatedIds(relationships, 'projects'),
  }
}

/**
 * Returns an object with the ids in a relationship, such as `{ workspaces: ids }`; an empty object
 * if the relationship was not sent.
 */
function relatedIds(relationships: Relationships, type: 'workspaces' | 'projects') {
  const items = relatedItems(relationships, type)
  return items === undefined ? {} : { [type]: identifiersIn(items, type) }
}

const spec = 'behaviour/platform#variable-sets'
const onOrganization = operationsOn('caller', findOrganizationOfSets, spec)
const onProject = operationsOn('caller', findProject, spec)
const onWorkspace = operationsOn('caller', findWorkspaceFor('visible'), spec)
const onVariableSet = operationsOn('caller', findVariableSet, spec)
const onManagedSet = operationsOn('caller', findManagedVariableSet, spec)

const listPath = '/organizations/:organization_name/varsets'
const onePath = '/varsets/:variable_set_id'

const listQuery = openQuery({
  ...variableSetInclusions.query,
  q: described(text, 'Part of a name'),
})
const list = withExtraFields(listOf(variableSetShape), variableSetInclusions.shape)
const document = documentOf(variableSetShape)

/**
 * Returns the requested page of the sets whose names match the query, with the resources that
 * `include` names. Throws 400 if `include` contains an unknown name.
 */
function pageOfSets(
  sets: readonly VariableSet[],
  context: PlatformContext<unknown>,
  { q = '', include }: InputOf<typeof listQuery>,
) {
  const included = variableSetInclusions.read(include, context)
  const resourceOf = (one: VariableSet) => included.add(one, variableSetResource(one, context))
  const page = pageOf(sets.filter(nameFilter(q, '')), resourceOf, context.address)
  return ok({ ...page, ...included.members() })
}

export const variableSetOperations = [
  onOrganization('GET', listPath, {
    id: 'listVariableSets',
    summary: 'List the variable sets of an organization by name.',
    query: listQuery,
    failures: [400],
    reply: { 200: list },
    run: ({ context, query }) =>
      pageOfSets(variableSetsOf(context.world, context.subject.name), context, query),
  }),
  onProject('GET', '/projects/:project_id/varsets', {
    id: 'listVariableSetsOfProject',
    summary: 'List the variable sets that apply to all workspaces of a project.',
    query: listQuery,
    failures: [400],
    reply: { 200: list },
    run: ({ context, query }) =>
      pageOfSets(setsOnProject(context.world, context.subject), context, query),
  }),
  onWorkspace('GET', '/workspaces/:workspace_id/varsets', {
    id: 'listVariableSetsOfWorkspace',
    summary: 'List the variable sets that apply to a workspace.',
    query: listQuery,
    failures: [400],
    reply: { 200: list },
    run: ({ context, query }) =>
      pageOfSets(setsOnWorkspace(context.world, context.subject), context, query),
  }),
  onOrganization('POST', listPath, {
    id: 'createVariableSet',
    summary: 'Add a variable set to an organization or to one of its projects.',
    body: variableSetForm,
    reply: { 201: document },
    run: ({ context, body }) => {
      const { world, caller, subject } = context
      const input = variableSetInputOf(body(), subject.name, context)
      const set = createVariableSet(world, caller, subject.name, input)
      return answer(201, { data: variableSetResource(set, context) })
    },
  }),
  onVariableSet('GET', onePath, {
    id: 'readVariableSet',
    summary: 'Read a variable set.',
    query: openQuery(variableSetInclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(document, variableSetInclusions.shape) },
    run: ({ context, query: { include } }) => {
      const { subject } = context
      return ok(
        variableSetInclusions.document(
          include,
          context,
          subject,
          variableSetResource(subject, context),
        ),
      )
    },
  }),
  ...(
    [
      ['PATCH', 'changeVariableSet', 'Change the given attributes of a variable set.'],
      ['PUT', 'updateVariableSet', 'Change the given attributes of a variable set, as PATCH does.'],
    ] as const
  ).map(([method, id, summary]) =>
    onManagedSet(method, onePath, {
      id,
      summary,
      body: variableSetForm,
      reply: { 200: document },
      run: ({ context, body }) => {
        const { world, caller, subject } = context
        const input = variableSetInputOf(body(), subject.organization, context)
        const set = changeVariableSet(world, caller, subject, input)
        return ok({ data: variableSetResource(set, context) })
      },
    }),
  ),
  onManagedSet('DELETE', onePath, {
    id: 'deleteVariableSet',
    summary: 'Delete a variable set with its variables.',
    run: ({ context: { world, subject } }) => deleteVariableSet(world, subject),
  }),
  ...(
    [
      ['POST', 'add', 'workspaces', 'assignVariableSetToWorkspaces', 'Apply a set to workspaces.'],
      ['POST', 'add', 'projects', 'assignVariableSetToProjects', 'Apply a set to projects.'],
      [
        'DELETE',
        'remove',
        'workspaces',
        'removeVariableSetFromWorkspaces',
        'Stop applying a set to workspaces.',
      ],
      [
        'DELETE',
        'remove',
        'projects',
        'removeVariableSetFromProjects',
        'Stop applying a set to projects.',
      ],
    ] as const
  ).map(([method, change, type, id, summary]) =>
    onManagedSet(method, `${onePath}/relationships/${type}`, {
      id,
      identifiers: type,
      summary,
      run: ({ context: { world, caller, subject, list: items } }) =>
        assignVariableSet(world, caller, subject, type, identifiersIn(items(), type), change),
    }),
  ),
]
