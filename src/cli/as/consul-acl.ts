import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import {
  type ConsulCall,
  type ConsulCommand,
  jsonText,
  pairsOf,
  present,
  requiredFlag,
  requiredWord,
} from './consul-arguments.ts'
import { argumentText, CommandFailure, flagOf } from './product-call.ts'

/** A kind of ACL object with the path of its API. */
interface AclKind {
  /** Word of the command, which is also the path of one object. */
  readonly noun: string
  /** Noun at the beginning of a sentence. */
  readonly title: string
  readonly list: string
  /** Flag and member with the key of an object. */
  readonly key: readonly [flag: string, member: string]
  /** Flag without which no object is created, with the flags of a usual call. */
  readonly required?: readonly [flag: string, usage: string]
  /** Members that an update never changes. */
  readonly immutable: readonly string[]
  /** First line of the output of an update. */
  readonly updated?: string
  /** Returns the members that the flags of a call give. */
  membersOf(call: ConsulCall): Record<string, unknown>
}

/** Returns the links and identities that the flags of a call give, whose names may have a prefix. */
function grantsOf(call: ConsulCall, prefix = ''): Record<string, readonly object[]> {
  const flag = (name: string) => call.args.flags.get(prefix + name) ?? []
  const services = flag('service-identity').map((each) => {
    const [ServiceName = '', datacenters] = each.split(':')
    return { ServiceName, ...present({ Datacenters: datacenters?.split(',') }) }
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
  return value === undefined ? undefined : argumentText(value, call.call)
}

const kinds: readonly AclKind[] = [
  {
    noun: 'policy',
    title: 'Policy',
    list: 'policies',
    key: ['id', 'ID'],
    required: ['name', '-name NAME [-rules RULES]'],
    immutable: ['ID'],
    updated: 'Policy updated successfully\n',
    membersOf: (call) =>
      present({
        Name: flagOf(call.args, 'name'),
        Description: flagOf(call.args, 'description'),
        Rules: textFlag(call, 'rules'),
        Datacenters: call.args.flags.get('valid-datacenter'),
      }),
  },
  {
    noun: 'role',
    title: 'Role',
    list: 'roles',
    key: ['id', 'ID'],
    required: ['name', '-name NAME [-policy-name NAME]'],
    immutable: ['ID'],
    membersOf(call) {
      const { Roles: _, ...grants } = grantsOf(call)
      return present({
        Name: flagOf(call.args, 'name'),
        Description: flagOf(call.args, 'description'),
        ...grants,
      })
    },
  },
  {
    noun: 'token',
    title: 'Token',
    list: 'tokens',
    key: ['accessor-id', 'AccessorID'],
    immutable: ['AccessorID', 'SecretID', 'Local', 'ExpirationTTL'],
    membersOf: (call) =>
      present({
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
    list: 'auth-methods',
    key: ['name', 'Name'],
    required: ['name', '-name NAME -type TYPE'],
    immutable: ['Name', 'Type'],
    membersOf(call) {
      const config = textFlag(call, 'config')
      return present({
        Name: flagOf(call.args, 'name'),
        Type: flagOf(call.args, 'type'),
        Description: flagOf(call.args, 'description'),
        MaxTokenTTL: flagOf(call.args, 'max-token-ttl'),
        Config: config === undefined ? undefined : JSON.parse(config),
      })
    },
  },
  {
    noun: 'binding-rule',
    title: 'Binding rule',
    list: 'binding-rules',
    key: ['id', 'ID'],
    required: ['method', '-method NAME -bind-name NAME'],
    immutable: ['ID', 'AuthMethod'],
    updated: 'Binding rule updated successfully\n',
    membersOf: (call) =>
      present({
        AuthMethod: flagOf(call.args, 'method'),
        BindType: flagOf(call.args, 'bind-type'),
        BindName: flagOf(call.args, 'bind-name'),
        Description: flagOf(call.args, 'description'),
        Selector: flagOf(call.args, 'selector'),
      }),
  },
]

/**
 * Returns an object after an update. Tokens keep the links that no flag names, roles add those that
 * are named, and with `-no-merge` only the immutable members stay.
 */
function changedObject(
  call: ConsulCall,
  kind: AclKind,
  current: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isMutable = ([name]: readonly [string, unknown]) => !kind.immutable.includes(name)
  const members = Object.fromEntries(Object.entries(kind.membersOf(call)).filter(isMutable))
  if (flagOf(call.args, 'no-merge') !== undefined) {
    const kept = Object.entries(current).filter((entry) => !isMutable(entry))
    return { ...Object.fromEntries(kept), ...members }
  }
  if (kind.noun === 'role') return { ...current, ...members, ...joined(current, grantsOf(call)) }
  if (kind.noun !== 'token') return { ...current, ...members }
  const added = grantsOf(call, 'append-')
  const both = Object.keys(added).filter((member) => Object.hasOwn(members, member))
  if (both.length > 0) {
    throw new CommandFailure(
      `Cannot combine flags that overwrite and append flags for ${both.join(', ')}`,
    )
  }
  // The product's command removes the identities that a call does not repeat.
  const { ServiceIdentities: _, NodeIdentities: __, ...rest } = current
  return { ...rest, ...members, ...joined(current, added) }
}

/** Returns the given lists after those of the object, without what would stand there twice. */
function joined(
  current: Readonly<Record<string, unknown>>,
  added: Readonly<Record<string, readonly object[]>>,
): Record<string, unknown> {
  const nameOf = (item: unknown) => {
    return textAt(item, 'ServiceName') || textAt(item, 'Name') || textAt(item, 'NodeName')
  }
  return Object.fromEntries(
    Object.entries(added).map(([member, items]) => {
      const names = new Set(items.map(nameOf))
      const kept = itemsOf(current[member]).filter((each) => !names.has(nameOf(each)))
      return [member, [...kept, ...items]]
    }),
  )
}

/** Formats an object: its texts in columns, or JSON if the call asks for it. */
function objectText({ args }: ConsulCall, object: unknown): string {
  if (flagOf(args, 'format') === 'json') return jsonText(object)
  const rows = Object.entries(Object(object)).filter(
    ([name, value]) => typeof value !== 'object' && !/Index$|^Hash$|^Rules$/.test(name),
  )
  const lines = rows.map(([name, value]) => `${`${name}:`.padEnd(18)}${String(value)}\n`)
  const linked = ['Policies', 'Roles'].flatMap((member) => {
    const links = itemsOf(memberOf(object, member))
    const items = links.map((link) => `   ${textAt(link, 'ID')} - ${textAt(link, 'Name')}\n`)
    return links.length === 0 ? [] : [`${member}:\n`, ...items]
  })
  const rules = textAt(object, 'Rules')
  return [...lines, ...linked, ...(rules === '' ? [] : [`Rules:\n${rules}\n`])].join('')
}

/** Formats a list of objects by their names. */
function listText(call: ConsulCall, kind: AclKind, objects: unknown): string {
  if (flagOf(call.args, 'format') === 'json') return jsonText(objects)
  return itemsOf(objects)
    .map((object) => {
      const title = textAt(object, 'Name')
      const rest = objectText(call, object)
      return title === '' || kind.noun === 'auth-method' ? `${rest}\n` : `${title}:\n${rest}\n`
    })
    .join('')
}

function commandsOf(kind: AclKind): Readonly<Record<string, ConsulCommand>> {
  const { noun, list } = kind
  const [flag, member] = kind.key

  /** Returns the path of the object that a call names by its key or its name. */
  async function pathOf(call: ConsulCall, verb: string): Promise<string> {
    const usage = `acl ${noun} ${verb} -${flag} ${member}`
    const name = flagOf(call.args, 'name')
    const isNamed = flag !== 'name' && name !== undefined && ['policy', 'role'].includes(noun)
    if (!isNamed) return `acl/${noun}/${encodeURIComponent(keyOf(call, usage))}`
    const named = await call.server.send('GET', `acl/${noun}/name/${encodeURIComponent(name)}`)
    return `acl/${noun}/${textAt(named.value, 'ID')}`
  }

  // Older calls name the key of a token with -id.
  const keyOf = (call: ConsulCall, usage: string) =>
    flagOf(call.args, flag) ?? flagOf(call.args, 'id') ?? requiredFlag(call, flag, usage)

  return {
    [`acl ${noun} create`]: async (call) => {
      if (kind.required !== undefined) {
        const [name, usage] = kind.required
        requiredFlag(call, name, `acl ${noun} create ${usage}`)
      }
      const { value } = await call.server.send('PUT', `acl/${noun}`, kind.membersOf(call))
      return objectText(call, value)
    },
    [`acl ${noun} update`]: async (call) => {
      const path = await pathOf(call, 'update')
      const current = Object((await call.server.send('GET', path)).value)
      const { value } = await call.server.send('PUT', path, changedObject(call, kind, current))
      return (kind.updated ?? '') + objectText(call, value)
    },
    [`acl ${noun} read`]: async (call) => {
      const isSelf = flagOf(call.args, 'self') !== undefined
      const path = isSelf ? `acl/${noun}/self` : await pathOf(call, 'read')
      return objectText(call, (await call.server.send('GET', path)).value)
    },
    [`acl ${noun} list`]: async (call) => {
      return listText(call, kind, (await call.server.send('GET', `acl/${list}`)).value)
    },
    [`acl ${noun} delete`]: async (call) => {
      const path = await pathOf(call, 'delete')
      await call.server.send('DELETE', path)
      const key = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
      return `${kind.title} "${key}" deleted successfully\n`
    },
  }
}

/** Commands about ACLs (behaviour/program#drop-in). */
export const aclCommands: Readonly<Record<string, ConsulCommand>> = {
  ...Object.assign({}, ...kinds.map(commandsOf)),
  'acl bootstrap': async (call) => {
    return objectText(call, (await call.server.send('PUT', 'acl/bootstrap')).value)
  },
  'acl set-agent-token': async (call) => {
    const usage = 'acl set-agent-token KIND TOKEN'
    const [kind, Token] = [requiredWord(call, 0, usage), requiredWord(call, 1, usage)]
    await call.server.send('PUT', `agent/token/${encodeURIComponent(kind)}`, { Token })
    return `ACL token "${kind}" set successfully\n`
  },
  'acl templated-policy list': async ({ server }) => {
    const { value } = await server.send('GET', 'acl/templated-policies')
    return Object.keys(Object(value))
      .sort()
      .map((name) => `${name}\n`)
      .join('')
  },
  'acl templated-policy read': async (call) => {
    const name = requiredFlag(call, 'name', 'acl templated-policy read -name NAME')
    return jsonText((await call.server.send('GET', `acl/templated-policy/name/${name}`)).value)
  },
  login: async (call) => {
    const usage = 'login -method NAME -bearer-token-file FILE -token-sink-file FILE'
    const bearer = argumentText(`@${requiredFlag(call, 'bearer-token-file', usage)}`, call.call)
    const { value } = await call.server.send('POST', 'acl/login', {
      AuthMethod: requiredFlag(call, 'method', usage),
      BearerToken: bearer.trim(),
      Meta: pairsOf(call, 'meta'),
    })
    call.call.writeFile(requiredFlag(call, 'token-sink-file', usage), textAt(value, 'SecretID'))
    return ''
  },
  logout: async ({ server }) => {
    await server.send('POST', 'acl/logout')
    return ''
  },
}
