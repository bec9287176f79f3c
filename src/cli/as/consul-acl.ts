import { itemsOf, memberOf, textAt } from '../capture/real-server.ts'
import { type AclKind, aclKinds, grantsOf } from './consul-acl-kinds.ts'
import {
  type ConsulCall,
  type ConsulCommand,
  jsonText,
  pairsOf,
  requiredFlag,
  requiredWord,
} from './consul-arguments.ts'
import { argumentText, CommandFailure, flagOf } from './product-call.ts'

/**
 * Returns `current` with the changes of an update. With `-no-merge`, only the immutable members of
 * `current` are kept. Otherwise, members that the call does not set are kept, except a token's
 * service and node identities. For a role, given links and identities are appended to the current
 * ones. For a token, only the flags `-append-…` append.
 *
 * @throws {CommandFailure} if a call both replaces and appends to a list
 */
function changedObject(
  call: ConsulCall,
  kind: AclKind,
  current: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isMutable = ([name]: readonly [string, unknown]) => !kind.immutableMembers.includes(name)
  const members = Object.fromEntries(Object.entries(kind.membersOf(call)).filter(isMutable))
  if (flagOf(call.args, 'no-merge') !== undefined) {
    const kept = Object.entries(current).filter((entry) => !isMutable(entry))
    return { ...Object.fromEntries(kept), ...members }
  }
  if (kind.noun === 'role')
    return { ...current, ...members, ...mergeGrants(current, grantsOf(call)) }
  if (kind.noun !== 'token') return { ...current, ...members }
  const added = grantsOf(call, 'append-')
  const conflicting = Object.keys(added).filter((member) => Object.hasOwn(members, member))
  if (conflicting.length > 0) {
    throw new CommandFailure(
      `Cannot combine flags that overwrite and append flags for ${conflicting.join(', ')}`,
    )
  }
  // The product's command removes the identities that a call does not repeat.
  const { ServiceIdentities: _, NodeIdentities: __, ...rest } = current
  return { ...rest, ...members, ...mergeGrants(current, added) }
}

/**
 * Returns each list in `added`, appended to the list of the same member in `current`. An added item
 * replaces an item of the same name.
 */
function mergeGrants(
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

/**
 * Formats an object as JSON if the call has `-format=json`. Otherwise, the text has the scalars in
 * columns, followed by the policies, the roles and the rules.
 */
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

/**
 * Formats a list of objects as JSON if the call has `-format=json`. Otherwise, the text has one
 * object after the other, each below its name. Auth methods and objects without a name have no such
 * heading.
 */
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
  const { noun, plural } = kind
  const [flag, member] = kind.key

  /**
   * Returns the path of the object whose key the call gives. A call can give the name of a policy
   * or role instead of its key; the server is then asked for the key. If an update gives both key
   * and name, the name is the new name of the object.
   *
   * @throws {CommandFailure} with the usage if the call gives neither key nor name, and if the
   *   server rejects the name
   */
  async function pathOf(call: ConsulCall, verb: string): Promise<string> {
    const usage = `acl ${noun} ${verb} -${flag} ${member}`
    const name = flagOf(call.args, 'name')
    const hasKey = flagOf(call.args, flag) !== undefined || !['policy', 'role'].includes(noun)
    if (hasKey || name === undefined) return `acl/${noun}/${encodeURIComponent(keyOf(call, usage))}`
    const named = await call.server.send('GET', `acl/${noun}/name/${encodeURIComponent(name)}`)
    return `acl/${noun}/${textAt(named.value, 'ID')}`
  }

  // Older versions of the product's command name the key of a token with `-id`.
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
      return (kind.updateMessage ?? '') + objectText(call, value)
    },
    [`acl ${noun} read`]: async (call) => {
      const isSelf = flagOf(call.args, 'self') !== undefined
      const path = isSelf ? `acl/${noun}/self` : await pathOf(call, 'read')
      return objectText(call, (await call.server.send('GET', path)).value)
    },
    [`acl ${noun} list`]: async (call) => {
      return listText(call, kind, (await call.server.send('GET', `acl/${plural}`)).value)
    },
    [`acl ${noun} delete`]: async (call) => {
      const path = await pathOf(call, 'delete')
      await call.server.send('DELETE', path)
      const key = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
      return `${kind.title} "${key}" deleted successfully\n`
    },
  }
}

/** Commands about ACLs, including `login` and `logout` (behaviour/program#drop-in). */
export const aclCommands: Readonly<Record<string, ConsulCommand>> = {
  ...Object.assign({}, ...aclKinds.map(commandsOf)),
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
    const bearer = argumentText(
      `@${requiredFlag(call, 'bearer-token-file', usage)}`,
      call.productCall,
    )
    const { value } = await call.server.send('POST', 'acl/login', {
      AuthMethod: requiredFlag(call, 'method', usage),
      BearerToken: bearer.trim(),
      Meta: pairsOf(call, 'meta'),
    })
    call.productCall.writeFile(
      requiredFlag(call, 'token-sink-file', usage),
      textAt(value, 'SecretID'),
    )
    return ''
  },
  logout: async ({ server }) => {
    await server.send('POST', 'acl/logout')
    return ''
  },
}
