import { isKeyValue, isVersioned, mountOf } from '../../../state/secrets/mounts/mounts.ts'
import { namespacesBelow, rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/explains.ts'
import { closestName } from '../../http/likeness.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { mountPathsIn, type Place, pathTo, placeOf } from './place.ts'

/** Recognizes a request whose path leads nowhere, though it is nearly one that does. */
export function misplaced(query: ExplainedRequest, dialect: SecretsDialect): Diagnosis | undefined {
  const place = placeOf(query)
  return (
    namespaceTwice(place) ??
    (place.mount === undefined
      ? otherDialect(query, place, dialect)
      : withoutDataPart(query, place))
  )
}

/** The header names a namespace, and the path begins with it once more. */
function namespaceTwice({ named, namespace, path }: Place): Diagnosis | undefined {
  if (named === '' || !path.startsWith(named)) return undefined
  const once = path.slice(named.length)
  return {
    rule: 'namespace-twice',
    because: `the namespace ${named} is given twice: in the header and at the beginning of the path`,
    change: `Send it to /v1/${once} with the header, or without the header`,
    request: { path: pathTo(namespace, named, once) },
    spec: 'behaviour/secrets#api-namespaces',
  }
}

/** Where a fresh world of a dialect has engines, and where the other dialect has them. */
const spellings = [
  { neutral: 'orch/', vendor: 'kubernetes/' },
  { neutral: 'auth/cloud/', vendor: 'auth/oci/' },
] as const

function otherDialect(
  { world }: ExplainedRequest,
  { namespace, named, path }: Place,
  { name }: SecretsDialect,
): Diagnosis | undefined {
  for (const spelling of spellings) {
    const theirs = name === 'vendor' ? spelling.neutral : spelling.vendor
    const ours = spelling[name]
    if (!path.startsWith(theirs) || mountOf(world, namespace, ours) === undefined) continue
    const meant = ours + path.slice(theirs.length)
    return {
      rule: 'wrong-dialect',
      because: `${theirs} is how the ${name === 'vendor' ? 'neutral' : 'vendor'} dialect calls it; in the ${name} dialect, which is spoken here, it is at ${ours}`,
      change: `Send it to /v1/${meant}, or start with --dialect ${name === 'vendor' ? 'neutral' : 'vendor'}`,
      request: { path: pathTo(namespace, named, meant) },
      isMisdirected: true,
      spec: 'behaviour/secrets#vendor-names',
    }
  }
  return undefined
}

/** Nothing is mounted where a request goes. */
export function unknownMount(query: ExplainedRequest): Diagnosis | undefined {
  const { world } = query
  const { namespace, named, path, mount } = placeOf(query)
  if (mount !== undefined) return undefined
  const parts = path.split('/')
  const first = `${parts.slice(0, parts[0] === 'auth' ? 2 : 1).join('/')}/`
  const known = mountPathsIn(world, namespace)
  const near = closestName(first, known)
  const where = namespace === rootNamespace ? '' : ` in the namespace ${namespace.path}`
  const because = `nothing is mounted at ${first}${where}`
  const spec = 'behaviour/secrets#mounts'
  if (near === undefined) {
    return {
      rule: 'mount-unknown',
      because: `${because}; there are ${known.join(', ')}`,
      change: `Mount an engine at ${first} first`,
      spec,
    }
  }
  return {
    rule: 'mount-unknown',
    because: `${because}; there is ${near}`,
    change: `Send it to /v1/${near}${path.slice(first.length)}`,
    request: { path: pathTo(namespace, named, near + path.slice(first.length)) },
    spec,
  }
}

/** A versioned engine has its secrets below `data/`, and their names below `metadata/`. */
function withoutDataPart(
  { operation, method }: ExplainedRequest,
  place: Place,
): Diagnosis | undefined {
  const { mount, path, namespace, named } = place
  if (mount === undefined || !isKeyValue(mount) || !isVersioned(mount)) return undefined
  if (operation !== undefined) return undefined
  const below = path.slice(mount.path.length)
  if (method === 'LIST' && /^data(\/|$)/.test(below)) {
    const listed = `${mount.path}metadata/${below.slice('data/'.length)}`
    return {
      rule: 'kv2-list-elsewhere',
      because: `${mount.path} lists the names of its secrets below metadata/, not below data/`,
      change: `Send it to /v1/${listed}`,
      request: { path: pathTo(namespace, named, listed) },
      spec: 'behaviour/secrets#api-kv2',
    }
  }
  if (/^(data|metadata|config|subkeys|delete|undelete|destroy)(\/|$)/.test(below)) return undefined
  const part = method === 'LIST' ? 'metadata' : 'data'
  const meant = `${mount.path}${part}/${below}`
  return {
    rule: 'kv2-part-missing',
    because: `${mount.path} keeps versions: what is asked of ${below} is at ${meant}`,
    change: `Send it to /v1/${meant}`,
    request: { path: pathTo(namespace, named, meant) },
    spec: 'behaviour/secrets#api-kv2',
  }
}

/** A header that names no namespace. */
export function unknownNamespace(query: ExplainedRequest): Diagnosis {
  const { world } = query
  const { named } = placeOf(query)
  const paths = namespacesBelow(world, rootNamespace).map(({ path }) => path)
  const near = closestName(named, paths)
  const there = paths.length === 0 ? 'there is none but the root' : `there are ${paths.join(', ')}`
  const header = Object.keys(query.headers).find((name) => name.endsWith('-namespace')) ?? ''
  return {
    because: `the header names the namespace ${named}, which does not exist; ${there}`,
    change: near === undefined ? `Make the namespace ${named} first` : `Name the namespace ${near}`,
    ...(near === undefined ? {} : { request: { headers: { [header]: near } } }),
    spec: 'behaviour/secrets#namespaces',
  }
}
