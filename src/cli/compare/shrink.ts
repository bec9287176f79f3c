import type { Difference } from './compared-api.ts'
import type { ComparedRequest } from './request.ts'

/** Difference with the shortest known sequence that shows it. */
export interface Finding extends Difference {
  readonly requests: readonly ComparedRequest[]
}

/** Maximum number of tries per finding, because distant servers are slow. */
const maxTries = 300

/**
 * Shrinks a finding while its requests still show the difference. Drops requests, then removes
 * queries, members and items of bodies from the remaining requests. Stops after `maxTries` tries.
 *
 * @param requiredMembers members that are never removed
 */
export async function shrink(
  finding: Finding,
  requiredMembers: ReadonlySet<string>,
  differences: (requests: readonly ComparedRequest[]) => Promise<readonly Difference[]>,
): Promise<Finding> {
  let smallestFinding = finding
  let tries = 0
  /**
   * Accepts a smaller sequence if it shows a difference of the finding's kind. Returns whether the
   * sequence was accepted. Returns false without a try for an empty sequence, and after `maxTries`
   * tries.
   */
  const keepIfReproduced = async (requests: readonly ComparedRequest[]): Promise<boolean> => {
    if (requests.length === 0 || tries >= maxTries) return false
    tries += 1
    const reproducedDifference = (await differences(requests)).find(
      ({ kind }) => kind === finding.kind,
    )
    if (reproducedDifference !== undefined) smallestFinding = { ...reproducedDifference, requests }
    return reproducedDifference !== undefined
  }
  for (let at = finding.requests.length - 1; at >= 0; at--) {
    await keepIfReproduced(smallestFinding.requests.filter((_, each) => each !== at))
  }
  for (let at = 0; at < smallestFinding.requests.length; at++) {
    // `skip` counts the variants that did not show the difference. After a success, the search
    // continues at this position among the variants of the smaller request.
    for (let skip = 0; tries < maxTries; ) {
      const smallerRequest = [...smallerRequests(smallestFinding.requests[at], requiredMembers)][
        skip
      ]
      if (smallerRequest === undefined) break
      if (!(await keepIfReproduced(smallestFinding.requests.with(at, smallerRequest)))) skip += 1
    }
  }
  return smallestFinding
}

/**
 * Yields variants of a request without one of its parts: its query, or a member or item of its
 * body.
 */
function* smallerRequests(
  request: ComparedRequest | undefined,
  requiredMembers: ReadonlySet<string>,
): Iterable<ComparedRequest> {
  if (request === undefined) return
  const { path, body } = request
  if (path.includes('?')) yield { ...request, path: path.slice(0, path.indexOf('?')) }
  const parsed = parseBody(body)
  if (parsed === undefined) return
  for (const smaller of smallerValues(parsed, requiredMembers))
    yield { ...request, body: JSON.stringify(smaller) }
}

function parseBody(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body)
  } catch {
    return undefined
  }
}

/**
 * Yields variants of a value without one of its members or items, outer ones first. Required
 * members stay as they are.
 */
function* smallerValues(value: unknown, requiredMembers: ReadonlySet<string>): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, item] of value.entries()) {
      for (const smaller of smallerValues(item, requiredMembers)) yield value.with(at, smaller)
    }
    return
  }
  const members = Object.entries(value)
  const removableMembers = members.filter(([name]) => !requiredMembers.has(name))
  for (const [name] of removableMembers) {
    yield Object.fromEntries(members.filter(([other]) => other !== name))
  }
  for (const [name, member] of removableMembers) {
    for (const smaller of smallerValues(member, requiredMembers))
      yield { ...value, [name]: smaller }
  }
}
