import {
  bool,
  int,
  list,
  map,
  nullable,
  type Shape,
  text,
} from '../../../../state/kernel/shape/kinds.ts'
import { described, optional, secret } from '../../../../state/kernel/shape/members.ts'
import { message, refuse } from '../../../../state/secrets/approle/messages.ts'
import {
  checkRoleOfProperty,
  type RoleProperty,
  resetRoleProperty,
  roleProperties,
  writeRoleProperty,
} from '../../../../state/secrets/approle/role-changes.ts'
import { appRoles } from '../../../../state/secrets/approle/roles.ts'
import { dataOutcome } from '../../envelope/outcome.ts'
import { enveloped, structEnvelope } from '../../envelope/schemas.ts'
import { duration, texts } from '../../fields/field-kinds.ts'
import { operationsOf, type SecretsOperation } from '../../operation.ts'
import { tokenFieldSchemas, tokenInputFields } from '../login-schemas.ts'

/** Fields of a request that writes a role. A missing field keeps its value. */
export const roleFields = {
  bind_secret_id: described(bool, 'Whether a login requires a secret id'),
  bound_cidr_list: texts('Old name of secret_id_bound_cidrs'),
  secret_id_bound_cidrs: texts('Networks from which clients may log in'),
  secret_id_num_uses: described(int, 'Maximum number of uses of a secret id; 0 means unlimited'),
  secret_id_ttl: duration('Lifetime of a secret id; 0 means unlimited'),
  local_secret_ids: described(
    bool,
    'Whether secret ids are local to the cluster; can only be set when the role is created',
  ),
  role_id: described(text, 'Id of the role; generated for a new role if left out'),
  policies: texts('Old name of token_policies'),
  period: duration('Old name of token_period'),
  ...tokenInputFields,
} as const

const seconds = described(int, 'Seconds')
const textList = list(text)

export const roleEnvelope = structEnvelope({
  bind_secret_id: bool,
  local_secret_ids: bool,
  secret_id_bound_cidrs: nullable(textList),
  secret_id_num_uses: int,
  secret_id_ttl: seconds,
  ...tokenFieldSchemas,
  policies: optional(described(textList, 'Policies, if the last write used the old name')),
  period: optional(seconds),
})

export const secretIdFields = {
  metadata: described(text, 'Metadata of the tokens: a JSON object as text, or `k=v,…`'),
  cidr_list: texts('Networks from which clients may log in with the secret id'),
  token_bound_cidrs: texts('Networks from which clients may use the tokens'),
  num_uses: described(int, 'Maximum number of uses; 0 means unlimited'),
  ttl: duration('Lifetime of the secret id'),
} as const

export const newSecretIdEnvelope = structEnvelope({
  secret_id: secret(text),
  secret_id_accessor: text,
  secret_id_ttl: seconds,
  secret_id_num_uses: int,
})

export const secretIdEnvelope = structEnvelope({
  secret_id_num_uses: described(int, 'Remaining uses; 0 means unlimited'),
  secret_id_ttl: seconds,
  creation_time: text,
  expiration_time: described(text, 'Last use; `0001-01-01T00:00:00Z` if there was none'),
  last_updated_time: text,
  metadata: map(text),
  cidr_list: textList,
  token_bound_cidrs: textList,
  secret_id_accessor: text,
})

const operation = operationsOf({ spec: 'behaviour/secrets#approle-properties' })

/** Schemas of one property: `schema` for requests, `renderedSchema` for replies. */
interface PropertySchemas {
  readonly schema: Shape
  readonly renderedSchema: Shape
}

const numberSchemas = (description: string): PropertySchemas => ({
  schema: described(int, description),
  renderedSchema: int,
})
const durationSchemas = (description: string): PropertySchemas => ({
  schema: duration(description),
  renderedSchema: int,
})
const nameListSchemas = (description: string): PropertySchemas => ({
  schema: texts(description),
  renderedSchema: nullable(list(text)),
})

const schemasByProperty: Readonly<Record<keyof typeof roleProperties, PropertySchemas>> = {
  policies: nameListSchemas('Policies of the tokens'),
  period: durationSchemas('Period of the tokens'),
  'bind-secret-id': {
    schema: described(bool, 'Whether a login requires a secret id'),
    renderedSchema: bool,
  },
  'secret-id-num-uses': numberSchemas('Maximum number of uses of a secret id; 0 means unlimited'),
  'secret-id-ttl': durationSchemas('Lifetime of a secret id; 0 means unlimited'),
  'token-num-uses': numberSchemas('Maximum number of uses of a token; 0 means unlimited'),
  'token-ttl': durationSchemas('Lifetime of the tokens'),
  'token-max-ttl': durationSchemas('Maximum lifetime of the tokens'),
  'secret-id-bound-cidrs': nameListSchemas('Networks from which clients may log in'),
  'bound-cidr-list': nameListSchemas('Networks from which clients may log in'),
  'token-bound-cidrs': nameListSchemas('Networks from which clients may use the tokens'),
  'role-id': { schema: described(text, 'Id of the role'), renderedSchema: text },
}

/**
 * Properties that a write may leave out without an error. A property that is left out keeps its
 * value.
 */
const optionalProperties: ReadonlySet<string> = new Set([
  'secret-id-bound-cidrs',
  'bound-cidr-list',
  'token-bound-cidrs',
])

/**
 * Converts the name of a property to the spelling in operation ids: `secret-id-ttl` becomes
 * `SecretIdTtl`.
 */
function pascalCase(path: string): string {
  return path.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function operationsOfProperty(property: keyof typeof roleProperties, roleProperty: RoleProperty) {
  const path = `role/:role_name/${property}` as const
  const { schema, renderedSchema } = schemasByProperty[property]
  const { field, oldName } = roleProperty
  // The networks of secret ids also have a path for their old name, `bound-cidr-list`.
  const name = property === 'bound-cidr-list' ? 'bound_cidr_list' : field
  const read = operation.read(`approleRead${pascalCase(property)}`, path, {
    summary: `Read \`${name}\` of a role.`,
    reply: enveloped({
      [name]: renderedSchema,
      ...(oldName !== undefined && { [oldName]: optional(renderedSchema) }),
    }),
    run({ world, mount, params }) {
      const role = appRoles.read(world, mount, params.role_name)
      const value =
        roleProperty.render === undefined ? role[field] : roleProperty.render(role[field])
      const usesOldName = oldName !== undefined && role.old_names.includes(oldName)
      const outcome = dataOutcome({ [name]: value, ...(usesOldName && { [oldName]: value }) })
      return name === 'bound_cidr_list'
        ? { ...outcome, warnings: [message('approle-old-networks')] }
        : outcome
    },
  })
  const write = operation.write(`approleWrite${pascalCase(property)}`, path, {
    summary: `Set \`${name}\` of a role.`,
    body: { [name]: schema, ...(oldName !== undefined && { [oldName]: schema }) },
    failures: [404, 500],
    apply({ world, mount, params, fields }) {
      checkRoleOfProperty(world, mount, params.role_name)
      const provided = fields as Readonly<Record<string, string | number | boolean | string[]>>
      const value = provided[name] ?? (oldName === undefined ? undefined : provided[oldName])
      if (value !== undefined && value !== '') {
        const isOldName = provided[name] === undefined
        writeRoleProperty(world, mount, params.role_name, roleProperty, value, isOldName)
      } else if (!optionalProperties.has(property)) {
        throw refuse('approle-property-missing', { name: oldName === 'period' ? oldName : name })
      }
    },
  })
  if (roleProperty.defaultValue === undefined) return [read, write]
  const reset = operation.delete(`approleReset${pascalCase(property)}`, path, {
    summary: `Reset \`${name}\` of a role to its default.`,
    failures: [500],
    apply: ({ world, mount, params }) =>
      resetRoleProperty(world, mount, params.role_name, roleProperty),
  })
  return [read, write, reset]
}

/**
 * Operations that read and write single properties of a role, and that reset the properties that
 * have a default value. The property `local_secret_ids` can only be read.
 */
export const propertyOperations: readonly SecretsOperation[] = [
  ...(Object.keys(roleProperties) as (keyof typeof roleProperties)[]).flatMap((property) =>
    operationsOfProperty(property, roleProperties[property]),
  ),
  operation.read('approleReadLocalSecretIds', 'role/:role_name/local-secret-ids', {
    summary: 'Read `local_secret_ids` of a role.',
    reply: enveloped({ local_secret_ids: bool }),
    run: ({ world, mount, params }) =>
      dataOutcome({
        local_secret_ids: appRoles.read(world, mount, params.role_name).local_secret_ids,
      }),
  }),
]
