import { isObject } from '../../state/kernel/objects.ts'
import type {
  Correction,
  ExplainedRequest,
  OperationAddress,
} from '../http/journal-hooks/api-explanations.ts'
import { addressesAt } from '../journal/diagnosis.ts'
import { nearestTo } from './nearest.ts'

/** Rules that refuse requests because they match no operation. */
const unroutedRules: ReadonlySet<string> = new Set([
  'unknown-path',
  'unsupported-path',
  'route-unknown',
  'method-not-allowed',
])

/** Paths of the API that refused a request. */
interface ApiPaths {
  readonly addresses: readonly OperationAddress[]
  /** Prefix that all or most of these paths share, without a trailing slash. */
  readonly prefix: string
}

/**
 * Returns a correction that does not depend on the API: a request to the nearest operation, a
 * request without the parameter or the member to which the refusal objects, or a request that lists
 * the existing objects. Returns undefined if no such request is found.
 */
export function generalCorrection(
  request: ExplainedRequest,
  rule: string,
  paths: ApiPaths,
): Correction | undefined {
  if (unroutedRules.has(rule)) return nearestOperationCorrection(request, paths.addresses)
  return parameterRemoval(request) ?? memberRemoval(request) ?? listingCorrection(request, paths)
}

/**
 * Returns a correction that sends the request to the nearest operation, with the path parameters
 * taken from the request's path. Returns undefined if no nearby operation is served at the
 * resulting path.
 */
function nearestOperationCorrection(
  request: ExplainedRequest,
  addresses: readonly OperationAddress[],
): Correction | undefined {
  const sentSegments = request.path.split('/')
  for (const { method, path: pattern, operation } of nearestTo(request, addresses)) {
    const path = pattern
      .split('/')
      .map((word, at) => (/^[:*]/.test(word) ? (sentSegments[at] ?? '') : word))
      .join('/')
    const isServed = addressesAt(addresses, path).some(
      (address) => address.operation === operation && address.method === method,
    )
    if (!isServed) continue
    const isSame = method === request.method
    const change = `Send the request to ${path}${isSame ? '' : ` with ${method}`}, the nearest operation`
    return { change, request: isSame ? { path } : { path, method } }
  }
  return undefined
}

/**
 * Returns the parameters of a refusal's message that are not objects. A quoted parameter is
 * returned both with and without quotes. `true` and `false` are left out, because many parameters
 * have these values.
 */
function valuesInRefusal({ refusal }: ExplainedRequest): ReadonlySet<string> {
  const values = Object.values({ ...refusal?.params }).flatMap((value) => {
    if (typeof value === 'object') return []
    const text = String(value)
    return [text, unquoted(text)]
  })
  return new Set(values.filter((text) => text !== '' && text !== 'true' && text !== 'false'))
}

function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

function parameterRemoval(request: ExplainedRequest): Correction | undefined {
  const values = valuesInRefusal(request)
  const name = Object.keys(request.query).find((each) =>
    [request.query[each] ?? []].flat().some((value) => values.has(value)),
  )
  if (name === undefined) return undefined
  return { change: `Omit ?${name}`, request: { query: { [name]: undefined } } }
}

/** Maximum depth to which members of a body are searched. */
const maxDepth = 6

/**
 * Returns a correction that removes the member whose value appears in the message of the refusal;
 * undefined if no member has such a value.
 */
function memberRemoval(request: ExplainedRequest): Correction | undefined {
  const path = pathOfMemberWith(request.body, valuesInRefusal(request))
  if (path === undefined) return undefined
  return {
    change: `Omit ${path.map((name) => JSON.stringify(name)).join(' in ')}`,
    request: { body: (body) => removeMember(body, [...path].reverse()) },
  }
}

/**
 * Returns the path of the first member that has one of the values, innermost name first. Returns
 * undefined if no member has one of them.
 */
function pathOfMemberWith(
  value: unknown,
  values: ReadonlySet<string>,
  depth = 0,
): string[] | undefined {
  if (!isObject(value) || depth >= maxDepth || values.size === 0) return undefined
  for (const [name, each] of Object.entries(value)) {
    const isScalar = ['string', 'number', 'bigint'].includes(typeof each)
    if (isScalar && values.has(String(each))) return [name]
    const innerPath = pathOfMemberWith(each, values, depth + 1)
    if (innerPath !== undefined) return [...innerPath, name]
  }
  return undefined
}

function removeMember(value: unknown, [name = '', ...innerPath]: readonly string[]): unknown {
  const entries = Object.entries(Object(value))
  return Object.fromEntries(
    innerPath.length === 0
      ? entries.filter(([each]) => each !== name)
      : entries.map(([each, member]) => [
          each,
          each === name ? removeMember(member, innerPath) : member,
        ]),
  )
}

/**
 * Returns a correction that lists the existing objects, for requests that were refused because an
 * object does not exist. Returns undefined for other requests, and if no operation with a similar
 * path lists objects.
 */
function listingCorrection(
  { path, query, refusal, status }: ExplainedRequest,
  paths: ApiPaths,
): Correction | undefined {
  if (refusal === undefined ? status !== 404 : refusal.kind !== 'absent') return undefined
  const list = nearestListPath(path, paths)
  if (list === undefined) return undefined
  const withoutQuery = Object.fromEntries(Object.keys(query).map((name) => [name, undefined]))
  return {
    change: `List the existing objects with GET ${list}`,
    request: { method: 'GET', path: list, query: withoutQuery },
  }
}

/**
 * Returns the path of a GET operation without parameters. The returned path differs from `path` and
 * has the longest common prefix with it. Returns undefined if no common prefix is longer than the
 * API's prefix plus one character.
 */
function nearestListPath(path: string, { addresses, prefix }: ApiPaths): string | undefined {
  let best: string | undefined
  // Paths of an API share its prefix, so only longer matches count.
  let bestLength = `${prefix}/`.length + 1
  for (const { method, path: known } of addresses) {
    // LIST operations are not suggested, because some APIs answer 404 if there is nothing to list.
    if (method !== 'GET' || known === path || /[:*]/.test(known)) continue
    const length = commonLength(known, path)
    if (length > bestLength) [best, bestLength] = [known, length]
  }
  return best
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
