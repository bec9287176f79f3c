import { createHash } from 'node:crypto'
import { list, text } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { hasRight, isOrganizationToken } from '../../../state/platform/accounts/callers.ts'
import { derivedId } from '../../../state/platform/ids.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { moduleWithId } from '../../../state/platform/modules/modules.ts'
import {
  changeNoCodeModule,
  createNoCodeModule,
  deleteNoCodeModule,
  type NoCodeInput,
} from '../../../state/platform/no-code/changes.ts'
import {
  type NoCodeModule,
  noCodeRows,
  provisionedVersion,
} from '../../../state/platform/no-code/no-code-modules.ts'
import { declaredVariables } from '../../../state/platform/runs/configuration.ts'
import type { Variable } from '../../../state/platform/variables/variables.ts'
import { mayCreateWorkspaceSomewhere } from '../../../state/platform/workspaces/rights.ts'
import { ok } from '../../http/declare/operation.ts'
import {
  blankable,
  inState,
  optionalMembers,
  strictFlag,
  strictText,
} from '../json-api/attributes.ts'
import { relatedId, relatedResources } from '../json-api/body.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { inDialect, resourceShape, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type PlatformContext, type Scope } from '../operation.ts'
import { checkMember, findOrganizationFor } from '../organizations/scopes.ts'
import { renderVariable, variableShape, variableType } from '../variables/variable-resource.ts'
import {
  noCodeResource,
  noCodeShape,
  noCodeType,
  optionResource,
  optionResourceShape,
  optionType,
} from './no-code-resource.ts'

/**
 * Purpose of a request about a no-code module. Callers with `manage-modules` manage and read the
 * module. Callers who may create workspaces provision and read it.
 */
type Purpose = 'read' | 'manage' | 'provision'

/**
 * Returns a function that finds the no-code module in the path. The function throws 404 for callers
 * who lack the right for the purpose, and 401 if the organization does not accept the caller's kind
 * of token.
 */
export function findNoCodeModuleFor(purpose: Purpose): (scope: Scope) => NoCodeModule {
  return ({ world, caller, params }) => {
    const noCode = requireFound(noCodeRows.withId(world, params['no_code_module_id'] ?? ''))
    const { organization } = noCode
    checkMember(world, caller, organization)
    const mayManage = hasRight(world, caller, organization, 'manage-modules')
    const mayProvision =
      !isOrganizationToken(caller, organization) &&
      mayCreateWorkspaceSomewhere(world, caller, organization)
    const isPermitted = {
      manage: mayManage,
      provision: mayProvision,
      read: mayManage || mayProvision,
    }
    if (!isPermitted[purpose]) {
      const right = purpose === 'provision' ? 'manage-workspaces' : 'manage-modules'
      throw refuse('not-found').withDetails({ organization, right })
    }
    return noCode
  }
}

const input = optionalMembers({ enabled: strictFlag, 'version-pin': strictText })
const form = { type: noCodeType, attributes: input } as const

const optionInput = optionalMembers({
  'variable-name': blankable,
  'variable-type': blankable,
  options: list(text),
})

function inputOf(
  { attributes, relationships }: ParsedBody<typeof input>,
  { dialect }: PlatformContext<unknown>,
): NoCodeInput {
  const options = relatedResources(relationships, optionType, optionInput, dialect)
  return {
    ...inState(attributes),
    module: relatedId(relationships, 'registry-module'),
    variable_options: options?.map((one) => ({ id: one.id, ...inState(one.attributes) })),
  }
}

const inclusions = inclusionsOf<NoCodeModule>(
  {
    [optionType]: {
      find: (noCode) => noCode.variable_options.map((one) => optionResource(noCode, one)),
    },
  },
  [optionResourceShape],
)

const inputVariableShape = resourceShape(variableType, variableShape)

/**
 * Returns the input variables of the version that a no-code module provisions; an empty list if the
 * module has no such version. Throws 404 if the module does not exist.
 */
function inputVariables(world: World, noCode: NoCodeModule): Variable[] {
  const module = requireFound(moduleWithId(world, noCode.module))
  const version = provisionedVersion(noCode, module)
  if (version === undefined) return []
  return declaredVariables(world, version.id).map((declared) => {
    const { name: key, description, sensitive, fallback: value, isExpression: hcl } = declared
    const version_id = createHash('sha256').update(`${version.id}/${key}`).digest('hex')
    const { created_at } = version
    const own = { id: derivedId('var', version.id, key), module: module.id, created_at, version_id }
    return { ...own, key, value, description, sensitive, hcl, category: 'infra' }
  })
}

const spec = 'behaviour/platform#no-code-modules'
const noCodeRendering = { shape: noCodeShape, render: noCodeResource }

const onOrganization = operationsOn('caller', findOrganizationFor('manage-modules'), spec)
const onReadableModule = operationsOn('caller', findNoCodeModuleFor('read'), spec)
const onManagedModule = operationsOn('caller', findNoCodeModuleFor('manage'), spec)

const onePath = '/no-code-modules/:no_code_module_id'

export const noCodeModuleOperations = [
  onOrganization.document(
    'POST',
    '/organizations/:organization_name/no-code-modules',
    noCodeRendering,
    {
      id: 'createNoCodeModule',
      summary: 'Create a no-code module from a private module.',
      body: form,
      failures: [404],
      run({ context, body }) {
        const { world, subject } = context
        return createNoCodeModule(world, subject.name, inputOf(body(), context))
      },
    },
  ),
  onReadableModule('GET', onePath, {
    id: 'readNoCodeModule',
    summary: 'Read a no-code module.',
    ...inclusions.readOperation(noCodeShape, noCodeResource),
  }),
  onManagedModule.document('PATCH', onePath, noCodeRendering, {
    id: 'changeNoCodeModule',
    summary: 'Change the given attributes of a no-code module.',
    body: form,
    run: ({ context, body }) =>
      changeNoCodeModule(context.world, context.subject, inputOf(body(), context)),
  }),
  onManagedModule('DELETE', onePath, {
    id: 'deleteNoCodeModule',
    summary: 'Delete a no-code module; the module and its workspaces stay.',
    run: ({ context: { world, subject } }) => deleteNoCodeModule(world, subject),
  }),
  onReadableModule('GET', `${onePath}/variables`, {
    id: 'readNoCodeModuleVariables',
    summary: 'List the input variables of the version that a no-code module provisions.',
    reply: { 200: unpagedListOf(inputVariableShape) },
    run: ({ context: { world, subject, dialect } }) => {
      const data = inputVariables(world, subject).map((variable) => {
        const attributes = renderVariable(variable)
        return inDialect(
          { id: variable.id, type: variableType, attributes },
          variableShape,
          dialect,
        )
      })
      return ok({ data })
    },
  }),
]
