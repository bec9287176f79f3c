import { bool, duration, list, text, time, uint } from '../../kernel/shape/kinds.ts'
import { embedded, partial, secret, struct } from '../../kernel/shape/members.ts'
import type { ParsedOf } from '../../kernel/shape/values.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import type { IdentityInput } from './identities.ts'
import type { AclLink } from './links.ts'
import type { PolicyInput } from './policies.ts'
import type { RoleInput } from './roles.ts'
import type { TokenInput } from './tokens.ts'

/**
 * Shapes of the bodies of policies, roles, tokens and the bootstrap (behaviour/mesh#acl-endpoints),
 * with the functions that convert them to input.
 */

/**
 * Members that the bodies of policies, roles and tokens have in common. The indexes are accepted
 * and ignored, because the server sets them.
 */
const commonFields = {
  Namespace: text,
  Partition: text,
  ...embedded('RaftIndex', { CreateIndex: uint, ModifyIndex: uint }),
} as const

export const templateVariables = partial(struct('ACLTemplatedPolicyVariables', { name: text }))

/**
 * Members for identities and templated policies, which the bodies of tokens and roles have in
 * common.
 */
const identities = {
  ServiceIdentities: list(
    partial(struct('ACLServiceIdentity', { ServiceName: text, Datacenters: list(text) })),
  ),
  NodeIdentities: list(partial(struct('ACLNodeIdentity', { NodeName: text, Datacenter: text }))),
  TemplatedPolicies: list(
    partial(
      struct('ACLTemplatedPolicy', {
        TemplateID: text,
        TemplateName: text,
        TemplateVariables: templateVariables,
        Datacenters: list(text),
      }),
    ),
  ),
} as const

interface IdentitiesBody {
  readonly ServiceIdentities?: ParsedOf<typeof identities.ServiceIdentities> | undefined
  readonly NodeIdentities?: ParsedOf<typeof identities.NodeIdentities> | undefined
  readonly TemplatedPolicies?: ParsedOf<typeof identities.TemplatedPolicies> | undefined
}

function identitiesOf({
  ServiceIdentities,
  NodeIdentities,
  TemplatedPolicies,
}: IdentitiesBody): IdentityInput {
  return {
    services: ServiceIdentities?.map(({ ServiceName: name, Datacenters: datacenters }) => ({
      name,
      datacenters,
    })),
    nodes: NodeIdentities?.map(({ NodeName: name, Datacenter: datacenter }) => ({
      name,
      datacenter,
    })),
    templated: TemplatedPolicies?.map(({ TemplateName, TemplateVariables, Datacenters }) => ({
      template: TemplateName,
      variables: TemplateVariables && { name: TemplateVariables.name },
      datacenters: Datacenters,
    })),
  }
}

/**
 * Returns the shape of a list of links to policies or roles.
 *
 * @param type Go type of a link; messages about malformed bodies contain it
 */
function linksShape(type: string) {
  return list(partial(struct(type, { ID: text, Name: text })))
}

/** List of links to default policies or roles in the body of a namespace. */
export const aclLinks = linksShape('ACLLink')

export function linksOf(
  links: ParsedOf<typeof aclLinks> | undefined,
): readonly AclLink[] | undefined {
  return links?.map(({ ID: id, Name: name }) => ({ id, name }))
}

export const policyBody = partial(
  struct('ACLPolicy', {
    Hash: text,
    ...embedded('Alias', {
      ID: text,
      Name: text,
      Description: text,
      Rules: text,
      Datacenters: list(text),
      ...commonFields,
    }),
  }),
)

export function policyInputOf(body: ParsedOf<typeof policyBody>): PolicyInput {
  const { Name: name, Description: description, Rules: rules, Datacenters: datacenters } = body
  return { name, description, rules, datacenters }
}

export const roleBody = partial(
  struct('ACLRole', {
    Hash: text,
    ...embedded('Alias', {
      ID: text,
      Name: text,
      Description: text,
      Policies: linksShape('ACLRolePolicyLink'),
      ...identities,
      ...commonFields,
    }),
  }),
)

export function roleInputOf(body: ParsedOf<typeof roleBody>): RoleInput {
  const { Name: name, Description: description, Policies } = body
  return { name, description, policies: linksOf(Policies), identities: identitiesOf(body) }
}

export const tokenBody = partial(
  struct('ACLToken', {
    ...embedded('Alias', {
      AccessorID: text,
      SecretID: secret(text),
      Description: text,
      Policies: linksShape('ACLTokenPolicyLink'),
      Roles: linksShape('ACLTokenRoleLink'),
      Local: bool,
      ExpirationTime: time,
      CreateTime: time,
      ...identities,
      ...commonFields,
    }),
    ExpirationTTL: duration,
    Hash: text,
  }),
)

/**
 * Converts the body of a request that writes a token to a `TokenInput`. Without an
 * `ExpirationTime`, `expiresAt` is undefined.
 */
export function tokenInputOf(body: ParsedOf<typeof tokenBody>): TokenInput {
  return {
    accessorId: body.AccessorID,
    secretId: body.SecretID,
    description: body.Description,
    policies: linksOf(body.Policies),
    roles: linksOf(body.Roles),
    identities: identitiesOf(body),
    local: body.Local,
    expiresAt: parseTimestamp(body.ExpirationTime ?? ''),
    ttl: body.ExpirationTTL,
  }
}

/**
 * Body of a request to clone a token. Only the description and the namespace have an effect; other
 * members are accepted and ignored.
 */
export const cloneBody = tokenBody

export const bootstrapBody = partial(struct('BootstrapRequest', { BootstrapSecret: secret(text) }))
