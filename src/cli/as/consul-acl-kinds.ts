import { type ConsulCall, definedMembers } from './consul-arguments.ts'
import { argumentText, flagOf, parseJsonArgument } from './product-call.ts'

/** Kind of ACL object: its words and paths, its flags, and the members that updates keep. */
export interface AclKind {
  /** Word in the commands, and in the API path of a single object. */
  readonly noun: string
  /** Capitalized noun for the beginning of a sentence. */
  readonly title: string
  readonly plural: string
  /** Flag that gives the key of an object, and member that holds the key. */
  readonly key: readonly [flag: string, member: string]
  /** Flag that `create` requires, and the usage in the error if it is missing. */
  readonly required?: readonly [flag: string, usage: string]
  /** Members that an update never changes. */
  readonly immutableMembers: readonly string[]
  /** First line of the output of an update; absent if only the object is printed. */
  readonly updateMessage?: string
  /**
   * Returns the members of an object that the flags of a call set. Throws a `CommandFailure` if a
   * file that a flag names cannot be read.
   */
  membersOf(call: ConsulCall): Record<string, unknown>
}

/**
 * Returns the links to policies and roles, and the service and node identities, that a call sets by
 * flags whose names begin with `prefix`. Empty lists are left out.
 */
export function grantsOf(call: ConsulCall, prefix = ''): Record<string, readonly object[]> {
  const flag = (name: string) => call.args.flags.get(prefix + name) ?? []
  const services = flag('service-identity').map((each) => {
    const [ServiceName = '', datacenters] = each.split(':')
    return { ServiceName, ...definedMembers({ Datacenters: datacenters?.split(',') }) }
  })
  const nodes = flag('node-identity').map((each) => {
    const [NodeName = '', Datacenter = ''] = each.split(':')
    return { NodeName, Datacenter }
  })
  const linksOf = (noun: string) => [
    ...flag(`${noun}-name`).map((Name) => ({ Name })),
    ...flag(`${noun}-id`).map((ID) => ({ ID })),
  ]
  const grants = {
    Policies: linksOf('policy'),
    Roles: linksOf('role'),
    ServiceIdentities: services,
    NodeIdentities: nodes,
  }
  return Object.fromEntries(Object.entries(grants).filter(([, items]) => items.length > 0))
}

const textFlag = (call: ConsulCall, name: string) => {
  const value = flagOf(call.args, name)
  return value === undefined ? undefined : argumentText(value, call.productCall)
}

export const aclKinds: readonly AclKind[] = [
  {
    noun: 'policy',
    title: 'Policy',
    plural: 'policies',
    key: ['id', 'ID'],
    required: ['name', '-name NAME [-rules RULES]'],
    immutableMembers: ['ID'],
    updateMessage: 'Policy updated successfully\n',
    membersOf: (call) =>
      definedMembers({
        Name: flagOf(call.args, 'name'),
        Description: flagOf(call.args, 'description'),
        Rules: textFlag(call, 'rules'),
        Datacenters: call.args.flags.get('valid-datacenter'),
      }),
  },
  {
    noun: 'role',
    title: 'Role',
    plural: 'roles',
    key: ['id', 'ID'],
    required: ['name', '-name NAME [-policy-name NAME]'],
    immutableMembers: ['ID'],
    membersOf(call) {
      const { Roles: _, ...grants } = grantsOf(call)
      return definedMembers({
        Name: flagOf(call.args, 'name'),
        Description: flagOf(call.args, 'description'),
        ...grants,
      })
    },
  },
  {
    noun: 'token',
    title: 'Token',
    plural: 'tokens',
    key: ['accessor-id', 'AccessorID'],
    immutableMembers: ['AccessorID', 'SecretID', 'Local', 'ExpirationTTL'],
    membersOf: (call) =>
      definedMembers({
        AccessorID: flagOf(call.args, 'accessor'),
        SecretID: flagOf(call.args, 'secret'),
        Description: flagOf(call.args, 'description'),
        ExpirationTTL: flagOf(call.args, 'expires-ttl'),
        ...(flagOf(call.args, 'local') !== undefined && { Local: true }),
        ...grantsOf(call),
      }),
  },
  {
    noun: 'auth-method',
    title: 'Auth-method',
    plural: 'auth-methods',
    key: ['name', 'Name'],
    required: ['name', '-name NAME -type TYPE'],
    immutableMembers: ['Name', 'Type'],
    membersOf(call) {
      const config = textFlag(call, 'config')
      return definedMembers({
        Name: flagOf(call.args, 'name'),
        Type: flagOf(call.args, 'type'),
        Description: flagOf(call.args, 'description'),
        MaxTokenTTL: flagOf(call.args, 'max-token-ttl'),
        Config:
          config === undefined
            ? undefined
            : parseJsonArgument(config, 'Error parsing JSON for auth method config'),
      })
    },
  },
  {
    noun: 'binding-rule',
    title: 'Binding rule',
    plural: 'binding-rules',
    key: ['id', 'ID'],
    required: ['method', '-method NAME -bind-name NAME'],
    immutableMembers: ['ID', 'AuthMethod'],
    updateMessage: 'Binding rule updated successfully\n',
    membersOf: (call) =>
      definedMembers({
        AuthMethod: flagOf(call.args, 'method'),
        BindType: flagOf(call.args, 'bind-type'),
        BindName: flagOf(call.args, 'bind-name'),
        Description: flagOf(call.args, 'description'),
        Selector: flagOf(call.args, 'selector'),
      }),
  },
]
