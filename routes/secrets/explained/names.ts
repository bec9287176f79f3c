import type { Mount } from '../../../state/secrets/mounts/mounts.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Amendment, Correction, Diagnosis } from '../../http/journal-hooks/api-explanations.ts'
import type { RefusedRequest } from '../../http/journal-hooks/token-corrections.ts'
import { targetOf } from './request-target.ts'
import { sendTo } from './root-requests.ts'

/**
 * Functions that explain refusals, by rule. A function returns undefined if the message of the
 * refusal needs no explanation.
 */
export type Explanations = Readonly<
  Record<string, (request: RefusedRequest) => Diagnosis | undefined>
>

/** Function that explains a refusal of a request to a mount. */
export type ExplainInMount = (request: RefusedRequest, mount: Mount) => Diagnosis | undefined

/**
 * Converts functions with the parameters `request` and `mount` to functions of the request alone.
 * The converted functions return undefined for a request without a mount.
 */
export function explainInMount(functions: Readonly<Record<string, ExplainInMount>>): Explanations {
  const explanations = Object.entries(functions).map(([rule, explain]) => [
    rule,
    (request: RefusedRequest) => {
      const { mount } = targetOf(request)
      return mount === undefined ? undefined : explain(request, mount)
    },
  ])
  return Object.fromEntries(explanations)
}

/** Returns the last segment of a request's path, usually the name of the object. */
export function lastSegment(request: RefusedRequest): string {
  const { path } = targetOf(request)
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns a member of a request's body; undefined if the body does not have the member. */
export function memberOf({ body }: Pick<RefusedRequest, 'body'>, name: string): unknown {
  return Object.hasOwn(Object(body), name) ? Object(body)[name] : undefined
}

/** Maximum number of names that a sentence lists. */
const maxListedNames = 5

/** Joins names for a sentence: `a, b and 3 more`. */
export function joinNames(names: readonly string[]): string {
  const shown = names.slice(0, maxListedNames).join(', ')
  return names.length > maxListedNames
    ? `${shown} and ${names.length - maxListedNames} more`
    : shown
}

/**
 * Minimum length of a name for which a similar name is suggested. Shorter names resemble many
 * others.
 */
const minNameLength = 3

/** A name in a request for which the mount has no object. */
interface UnknownName {
  /** Word for the kind of object in sentences, such as `role`. */
  readonly kind: string
  readonly name: string
  /** The names of existing objects of this kind in the mount. */
  readonly names: readonly string[]
  /**
   * Returns the change to the request that replaces the unknown name with an existing one. By
   * default, the name in the path is replaced.
   */
  readonly replace?: (name: string) => Amendment
  /**
   * Function that returns the correction that creates the object. Called if no existing name is
   * similar.
   */
  readonly create: (() => Correction) | undefined
}

/**
 * Explains that an object does not exist. Suggests a similar name or, without one, the request that
 * creates the object.
 */
export function explainUnknownName(
  request: RefusedRequest,
  mount: Mount,
  { kind, name, names, replace, create }: UnknownName,
): Diagnosis {
  const closest = name.length < minNameLength ? undefined : closestName(name, names)
  const known = closest ?? joinNames(names)
  const because = `${mount.path} has no ${kind} ${name}; ${known === '' ? 'none exist' : `it has ${known}`}`
  if (closest === undefined) return { because, ...create?.() }
  const path = replacedInPath(request.path, name, closest)
  const amendment = replace?.(closest) ?? { path }
  return { because, change: `Use the ${kind} ${closest}`, request: amendment }
}

/** Returns a path in which `other` replaces the last segment that equals `name`. */
function replacedInPath(path: string, name: string, other: string): string {
  const segments = path.split('/')
  const at = segments.lastIndexOf(encodeURIComponent(name))
  return segments.map((segment, index) => (index === at ? other : segment)).join('/')
}

/**
 * Returns a correction that sends a PATCH, with a root token if the world has one.
 *
 * @param path relative to the namespace
 * @param body members to change; other members keep their values
 */
export function patchAt(
  request: RefusedRequest,
  path: string,
  body: object,
  change: string,
): Correction {
  const sent = sendTo(request, path, () => body, change)
  const headers = { ...sent.request.headers, 'content-type': 'application/merge-patch+json' }
  return { ...sent, request: { ...sent.request, method: 'PATCH', headers } }
}

/** Returns a correction that lists the names below a path. */
export function listAt(request: RefusedRequest, path: string, change: string): Correction {
  const sent = sendTo(request, path, () => undefined, change)
  const { body: _body, ...withoutBody } = sent.request
  return { ...sent, request: { ...withoutBody, method: 'LIST' } }
}

/** Returns a correction that leaves these members out of the body. */
export function withoutMembers(...names: readonly string[]): Correction {
  const quoted = names.map((name) => JSON.stringify(name)).join(' and ')
  return {
    change: `Omit ${quoted}`,
    request: {
      body: (sent) =>
        Object.fromEntries(Object.entries(Object(sent)).filter(([name]) => !names.includes(name))),
    },
  }
}

/**
 * Returns a function that explains that a member of the body has an invalid value. The explanation
 * is undefined if the body lacks the member.
 *
 * @param validValuesClause clause about the valid values
 */
export function explainMember(
  member: string,
  validValuesClause: string,
  correct: (request: RefusedRequest) => Correction | null | undefined,
): ExplainInMount {
  return (request) => {
    const sent = memberOf(request, member)
    if (sent === undefined) return undefined
    return {
      because: `"${member}" is ${[sent].flat().join(', ')}; ${validValuesClause}`,
      ...correct(request),
    }
  }
}

/**
 * Returns a function that explains that the body must not contain a member. The function suggests
 * the request without the member.
 */
export const explainExtraMember = (member: string, validValuesClause: string): ExplainInMount =>
  explainMember(member, validValuesClause, () => withoutMembers(member))
