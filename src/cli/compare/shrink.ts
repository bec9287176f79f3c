import type { Difference } from './compared-api.ts'
import type { ComparedRequest } from './request.ts'

/** A difference with the least that shows it. */
export interface Finding extends Difference {
  readonly requests: readonly ComparedRequest[]
}

/** Tries at most, for each finding: a server that is far away takes its time. */
const maxTries = 300

/**
 * Returns a finding with the fewest requests that show it, and of those the smallest: without queries, and
 * without members and items of bodies that it is shown without.
 *
 * @param requiredMembers members that stay whatever is shown without them
 */
export async function shrink(
  finding: Finding,
  requiredMembers: ReadonlySet<string>,
  differences: (requests: readonly ComparedRequest[]) => Promise<readonly Difference[]>,
): Promise<Finding> {
  let smallest = finding
  let tries = 0
  /** Takes what is smaller if it shows the same. */
  const keepIfReproduced = async (requests: readonly ComparedRequest[]): Promise<boolean> => {
    if (requests.length === 0 || tries >= maxTries) return false
    tries += 1
    const reproduced = (await differences(requests)).find(({ kind }) => kind === finding.kind)
    if (reproduced !== undefined) smallest = { ...reproduced, requests }
    return reproduced !== undefined
  }
  for (let at = finding.requests.length - 1; at >= 0; at--) {
    await keepIfReproduced(smallest.requests.filter((_, each) => each !== at))
  }
  for (let at = 0; at < smallest.requests.length; at++) {
    // One that is smaller has smaller ones of its own; what was tried in vain is not tried again.
    for (let skip = 0; tries < maxTries; ) {
      const smaller = [...smallerRequests(smallest.requests[at], requiredMembers)][skip]
      if (smaller === undefined) break
      if (!(await keepIfReproduced(smallest.requests.with(at, smaller)))) skip += 1
    }
  }
  return smallest
}

/** A request with a little less in it, in each way that there is. */
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

/** A value without one of its members or items, outer ones first. */
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
  const removable = members.filter(([name]) => !requiredMembers.has(name))
  for (const [name] of removable) {
    yield Object.fromEntries(members.filter(([other]) => other !== name))
  }
  for (const [name, member] of removable) {
    for (const smaller of smallerValues(member, requiredMembers))
      yield { ...value, [name]: smaller }
  }
}
