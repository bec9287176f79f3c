import {
  bool,
  int,
  list,
  nullable,
  type Shape,
  text,
} from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../../state/kernel/shape/members.ts'
import { message, refuse } from '../../../../state/secrets/approle/messages.ts'
import {
  type RoleProperty,
  resetRoleProperty,
  roleProperties,
  writeRoleProperty,
} from '../../../../state/secrets/approle/properties.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import { data, empty } from '../../envelope/outcome.ts'
import { envelopeOf } from '../../envelope/schemas.ts'
import { duration, texts } from '../../fields/field-kinds.ts'
import { operation, type SecretsOperation } from '../../operation.ts'

const spec = 'behaviour/secrets#approle-properties'

/** A property's forms: as it is sent, and as it is told. */
interface PropertySchemas {
  readonly schema: Shape
  readonly renderedSchema: Shape
}

const number = (description: string): PropertySchemas => ({
  schema: described(int, description),
  renderedSchema: int,
})
const time = (description: string): PropertySchemas => ({
  schema: duration(description),
  renderedSchema: int,
})
const names = (description: string): PropertySchemas => ({
  schema: texts(description),
  renderedSchema: nullable(list(text)),
})

const schemas: Readonly<Record<keyof typeof roleProperties, PropertySchemas>> = {
  policies: names('Policies of the tokens'),
  period: time('Period of the tokens'),
  'bind-secret-id': {
    schema: described(bool, 'Whether a login needs a secret id'),
    renderedSchema: bool,
  },
  'secret-id-num-uses': number('How often a secret id can be used; 0 for any number'),
  'secret-id-ttl': time('How long a secret id lives; 0 for ever'),
  'token-num-uses': number('How often the tokens can be used; 0 for any number'),
  'token-ttl': time('How long the tokens live'),
  'token-max-ttl': time('Longest life of the tokens'),
  'secret-id-bound-cidrs': names('Networks from which one may log in'),
  'bound-cidr-list': names('Networks from which one may log in'),
  'token-bound-cidrs': names('Networks that the tokens belong to'),
  'role-id': { schema: described(text, 'The id of the role'), renderedSchema: text },
}

/** Networks that are left out change nothing; other properties are needed. */
const optionalProperties: ReadonlySet<string> = new Set([
  'secret-id-bound-cidrs',
  'bound-cidr-list',
  'token-bound-cidrs',
])

/** `secret-id-ttl` as operations are called: `SecretIdTtl`. */
function pascalCase(path: string): string {
  return path.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function operationsOf(
  property: keyof typeof roleProperties,
  declared: RoleProperty,
): SecretsOperation[] {
  const path = `role/:role_name/${property}` as const
  const { schema: sent, renderedSchema: told } = schemas[property]
  const { field, oldName: old } = declared
  // The list of networks has a path for its old name, too.
  const name = property === 'bound-cidr-list' ? 'bound_cidr_list' : field
  const read = operation({
    id: `approleRead${pascalCase(property)}`,
    verb: 'read',
    path,
    summary: `Reads \`${name}\` of a role.`,
    spec,
    reply: {
      200: envelopeOf(
        struct({ [name]: told, ...(old !== undefined && { [old]: optional(told) }) }),
      ),
    },
    run({ world, mount, params }) {
      const role = appRoles.read(world, mount, params.role_name)
      const value = declared.render === undefined ? role[field] : declared.render(role[field])
      const usesOldName = old !== undefined && role.old_names.includes(old)
      const outcome = data({ [name]: value, ...(usesOldName && { [old]: value }) })
      return name === 'bound_cidr_list'
        ? { ...outcome, warnings: [message('approle-old-networks')] }
        : outcome
    },
  })
  const write = operation({
    id: `approleWrite${pascalCase(property)}`,
    verb: 'write',
    path,
    summary: `Sets \`${name}\` of a role.`,
    spec,
    body: { [name]: sent, ...(old !== undefined && { [old]: sent }) },
    failures: [404, 500],
    reply: { 204: null },
    run({ world, mount, params, fields }) {
      const provided = fields as Readonly<Record<string, string | number | boolean | string[]>>
      const value = provided[name] ?? (old === undefined ? undefined : provided[old])
      if (value !== undefined && value !== '') {
        const isOldName = provided[name] === undefined
        writeRoleProperty(world, mount, params.role_name, declared, value, isOldName)
      } else if (!optionalProperties.has(property)) {
        throw refuse('approle-property-missing', { name: old === 'period' ? old : name })
      }
      return empty
    },
  })
  if (declared.defaultValue === undefined) return [read, write]
  const reset = operation({
    id: `approleReset${pascalCase(property)}`,
    verb: 'delete',
    path,
    summary: `Gives \`${name}\` of a role its usual value.`,
    spec,
    failures: [500],
    reply: { 204: null },
    run({ world, mount, params }) {
      resetRoleProperty(world, mount, params.role_name, declared)
      return empty
    },
  })
  return [read, write, reset]
}

/** Properties of roles, each by itself. */
export const propertyOperations: readonly SecretsOperation[] = [
  ...(Object.keys(roleProperties) as (keyof typeof roleProperties)[]).flatMap((property) =>
    operationsOf(property, roleProperties[property]),
  ),
  operation({
    id: 'approleReadLocalSecretIds',
    verb: 'read',
    path: 'role/:role_name/local-secret-ids',
    summary: 'Reads `local_secret_ids` of a role.',
    spec,
    reply: { 200: envelopeOf(struct({ local_secret_ids: bool })) },
    run: ({ world, mount, params }) =>
      data({ local_secret_ids: appRoles.read(world, mount, params.role_name).local_secret_ids }),
  }),
]
