import { isKeyValue, isVersioned, mountOf } from '../../../state/secrets/mounts/mounts.ts'
import { namespacesBelow, rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { mountPathsIn, pathTo, type RequestTarget, targetOf } from './request-target.ts'

/** Explains a request whose path matches nothing but resembles a valid one. */
export function explainMisplacedRequest(
  query: ExplainedRequest,
  dialect: SecretsDialect,
): Diagnosis | undefined {
  const target = targetOf(query)
  return (
    explainRepeatedNamespace(target) ??
    (target.mount === undefined
      ? explainOtherDialect(query, target, dialect)
      : explainMissingDataSegment(query, target))
  )
}

/** Explains a path that repeats the namespace of the header. */
function explainRepeatedNamespace({
  headerNamespace,
  namespace,
  path,
}: RequestTarget): Diagnosis | undefined {
  if (headerNamespace === '' || !path.startsWith(headerNamespace)) return undefined
  const withoutRepetition = path.slice(headerNamespace.length)
  return {
    rule: 'namespace-twice',
    because: `the namespace ${headerNamespace} is given twice: in the header and at the beginning of the path`,
    change: `Send it to /v1/${withoutRepetition} with the header, or without the header`,
    request: { path: pathTo(namespace, headerNamespace, withoutRepetition) },
    spec: 'behaviour/secrets#api-namespaces',
  }
}

/** Mount paths of a fresh world in the two dialects. */
const mountPrefixes = [
  { neutral: 'orch/', vendor: 'kubernetes/' },
  { neutral: 'auth/cloud/', vendor: 'auth/oci/' },
] as const

function explainOtherDialect(
  { world }: ExplainedRequest,
  { namespace, headerNamespace, path }: RequestTarget,
  { name }: SecretsDialect,
): Diagnosis | undefined {
  for (const prefixes of mountPrefixes) {
    const otherPrefix = name === 'vendor' ? prefixes.neutral : prefixes.vendor
    const dialectPrefix = prefixes[name]
    if (!path.startsWith(otherPrefix) || mountOf(world, namespace, dialectPrefix) === undefined)
      continue
    const intended = dialectPrefix + path.slice(otherPrefix.length)
    return {
      rule: 'wrong-dialect',
      because: `${otherPrefix} is the path in the ${name === 'vendor' ? 'neutral' : 'vendor'} dialect; in the ${name} dialect of this server, it is at ${dialectPrefix}`,
      change: `Send it to /v1/${intended}, or start with --dialect ${name === 'vendor' ? 'neutral' : 'vendor'}`,
      request: { path: pathTo(namespace, headerNamespace, intended) },
      isMisdirected: true,
      spec: 'behaviour/secrets#vendor-names',
    }
  }
  return undefined
}

/** Explains a path without a mount. */
export function explainUnknownMount(query: ExplainedRequest): Diagnosis | undefined {
  const { world } = query
  const { namespace, headerNamespace, path, mount } = targetOf(query)
  if (mount !== undefined) return undefined
  const parts = path.split('/')
  const first = `${parts.slice(0, parts[0] === 'auth' ? 2 : 1).join('/')}/`
  const known = mountPathsIn(world, namespace)
  const closest = closestName(first, known)
  const where = namespace === rootNamespace ? '' : ` in the namespace ${namespace.path}`
  const because = `nothing is mounted at ${first}${where}`
  const spec = 'behaviour/secrets#mounts'
  if (closest === undefined) {
    return {
      rule: 'mount-unknown',
      because: `${because}; there are ${known.join(', ')}`,
      change: `Mount an engine at ${first} first`,
      spec,
    }
  }
  return {
    rule: 'mount-unknown',
    because: `${because}; there is ${closest}`,
    change: `Send it to /v1/${closest}${path.slice(first.length)}`,
    request: { path: pathTo(namespace, headerNamespace, closest + path.slice(first.length)) },
    spec,
  }
}

/** Explains a path of a versioned engine without `data/` (secrets) or `metadata/` (names). */
function explainMissingDataSegment(
  { operation, method }: ExplainedRequest,
  target: RequestTarget,
): Diagnosis | undefined {
  const { mount, path, namespace, headerNamespace } = target
  if (mount === undefined || !isKeyValue(mount) || !isVersioned(mount)) return undefined
  if (operation !== undefined) return undefined
  const below = path.slice(mount.path.length)
  if (method === 'LIST' && /^data(\/|$)/.test(below)) {
    const listed = `${mount.path}metadata/${below.slice('data/'.length)}`
    return {
      rule: 'kv2-list-elsewhere',
      because: `${mount.path} lists the names of its secrets below metadata/, not below data/`,
      change: `Send it to /v1/${listed}`,
      request: { path: pathTo(namespace, headerNamespace, listed) },
      spec: 'behaviour/secrets#api-kv2',
    }
  }
  if (/^(data|metadata|config|subkeys|delete|undelete|destroy)(\/|$)/.test(below)) return undefined
  const part = method === 'LIST' ? 'metadata' : 'data'
  const intended = `${mount.path}${part}/${below}`
  return {
    rule: 'kv2-part-missing',
    because: `${mount.path} has versions: the path of ${below} is ${intended}`,
    change: `Send it to /v1/${intended}`,
    request: { path: pathTo(namespace, headerNamespace, intended) },
    spec: 'behaviour/secrets#api-kv2',
  }
}

/** Explains a header with an unknown namespace. */
export function explainUnknownNamespace(query: ExplainedRequest): Diagnosis {
  const { world } = query
  const { headerNamespace } = targetOf(query)
  const paths = namespacesBelow(world, rootNamespace).map(({ path }) => path)
  const closest = closestName(headerNamespace, paths)
  const available =
    paths.length === 0 ? 'there is none but the root' : `there are ${paths.join(', ')}`
  const header = Object.keys(query.headers).find((name) => name.endsWith('-namespace')) ?? ''
  return {
    because: `the header names the namespace ${headerNamespace}, which does not exist; ${available}`,
    change:
      closest === undefined
        ? `Make the namespace ${headerNamespace} first`
        : `Name the namespace ${closest}`,
    ...(closest === undefined ? {} : { request: { headers: { [header]: closest } } }),
    spec: 'behaviour/secrets#namespaces',
  }
}
