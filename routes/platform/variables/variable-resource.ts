import { any, bool, nullable, text, textOf } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, secret, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Variable,
  type VariableInput,
  variableAttributes,
} from '../../../state/platform/variables/variables.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { attributeRenderer, blankable, inState, optionalMembers } from '../json-api/attributes.ts'
import { relatedResources } from '../json-api/body.ts'
import {
  identifierOf,
  inDialect,
  type Resource,
  resourceShape,
  selfLink,
} from '../json-api/resource.ts'
import type { BodyForm, ParsedBody, PlatformContext } from '../operation.ts'

export const variableType = 'vars'

const variableRenderer = attributeRenderer(variableAttributes)

/** Shape of the attributes of a variable. */
export const variableShape = struct({
  ...variableRenderer.shape.fields,
  value: secret(described(nullable(text), 'Null for a sensitive variable')),
  'version-id': textOf({ pattern: '^[0-9a-f]{64}$' }),
})

/** Renders the attributes of a variable, without a sensitive value. */
export function renderVariable(variable: Variable): Record<string, unknown> {
  const { value, sensitive } = variable
  return { ...variableRenderer.render(variable), value: sensitive ? null : value }
}

export const variableInput = optionalMembers({
  key: blankable,
  value: secret(blankable),
  description: blankable,
  category: blankable,
  sensitive: bool,
  hcl: bool,
})

/** Body of requests about the variables of workspaces, variable sets and policy sets. */
export const variableForm: BodyForm<typeof variableInput> = {
  type: variableType,
  attributes: variableInput,
}

/**
 * Converts attributes to the input for a variable. The category may be spelled in either dialect.
 */
export function variableInputOf(
  { attributes }: Pick<ParsedBody<typeof variableInput>, 'attributes'>,
  { dialect }: Pick<PlatformContext<unknown>, 'dialect'>,
) {
  const input = inState(attributes)
  const { category } = input
  return category == null ? input : { ...input, category: dialect.fromWire('product', category) }
}

/**
 * Returns the complete variables in the relationship `vars` of a request; undefined if the request
 * has no such list. Throws 422 for an item with another type or with invalid attributes.
 */
export function relatedVariables(
  relationships: ParsedBody<typeof variableInput>['relationships'],
  context: Pick<PlatformContext<unknown>, 'dialect'>,
): VariableInput[] | undefined {
  const sent = relatedResources(relationships, variableType, variableInput, context.dialect)
  return sent?.map((one) => variableInputOf(one, context))
}

/** Shape of a variable of a workspace or of a variable set. */
export const ownedVariableShape = resourceShape(variableType, variableShape, {
  relationships: struct({
    configurable: optional(
      struct({ data: identifierOf('workspaces'), links: struct({ related: text }) }),
    ),
    varset: optional(struct({ data: identifierOf('varsets') })),
  }),
  links: selfLink,
})

/** Renders a variable of a workspace or of a variable set, with its owner. */
export function ownedVariable(
  variable: Variable,
  { world, dialect }: Pick<PlatformContext<unknown>, 'world' | 'dialect'>,
): Resource {
  const resource: Resource = {
    id: variable.id,
    type: variableType,
    attributes: renderVariable(variable),
    ...ownerParts(world, variable),
  }
  return inDialect(resource, variableShape, dialect)
}

function ownerParts(world: World, { id, module: owner }: Variable) {
  const workspace = workspaceWithId(world, owner)
  if (workspace === undefined) {
    return {
      relationships: { varset: { data: { id: owner, type: 'varsets' } } },
      links: { self: `/api/v2/varsets/${owner}/relationships/vars/${id}` },
    }
  }
  const { organization, name } = workspace
  const related = `/api/v2/organizations/${organization}/workspaces/${name}`
  return {
    relationships: {
      configurable: { data: { id: owner, type: 'workspaces' }, links: { related } },
    },
    links: { self: `/api/v2/workspaces/${owner}/vars/${id}` },
  }
}

/**
 * Body of the deprecated `POST /vars`, in which `filter` may name the workspace and its
 * organization.
 */
export const deprecatedForm = {
  type: variableType,
  attributes: optionalMembers({
    ...variableInput.fields,
    filter: described(any, 'Names of the organization and workspace'),
  }),
  topLevel: ['filter'],
} as const satisfies BodyForm
