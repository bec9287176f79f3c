import type { Difference } from './api.ts'
import type { ComparedRequest } from './request.ts'

/** A difference with the least that shows it. */
export interface Finding extends Difference {
  readonly requests: readonly ComparedRequest[]
}

/** Tries at most, for each finding: a server that is far away takes its time. */
const mostTries = 300

/**
 * Returns a finding with the fewest requests that show it, and of those the smallest: without queries, and
 * without members and items of bodies that it is shown without.
 *
 * @param kept members that stay whatever is shown without them
 */
export async function shrunk(
  finding: Finding,
  kept: ReadonlySet<string>,
  differences: (requests: readonly ComparedRequest[]) => Promise<readonly Difference[]>,
): Promise<Finding> {
  let least = finding
  let tries = 0
  /** Takes what is smaller if it shows the same. */
  const take = async (requests: readonly ComparedRequest[]): Promise<boolean> => {
    if (requests.length === 0 || tries >= mostTries) return false
    tries += 1
    const still = (await differences(requests)).find(({ kind }) => kind === finding.kind)
    if (still !== undefined) least = { ...still, requests }
    return still !== undefined
  }
  for (let at = finding.requests.length - 1; at >= 0; at--) {
    await take(least.requests.filter((_, each) => each !== at))
  }
  for (let at = 0; at < least.requests.length; at++) {
    // One that is smaller has smaller ones of its own; what was tried in vain is not tried again.
    for (let skip = 0; tries < mostTries; ) {
      const smaller = [...smallerRequests(least.requests[at], kept)][skip]
      if (smaller === undefined) break
      if (!(await take(least.requests.with(at, smaller)))) skip += 1
    }
  }
  return least
}

/** A request with a little less in it, in each way that there is. */
function* smallerRequests(
  request: ComparedRequest | undefined,
  kept: ReadonlySet<string>,
): Iterable<ComparedRequest> {
  if (request === undefined) return
  const { path, body } = request
  if (path.includes('?')) yield { ...request, path: path.slice(0, path.indexOf('?')) }
  const parsed = parsedBody(body)
  if (parsed === undefined) return
  for (const smaller of smallerValues(parsed, kept))
    yield { ...request, body: JSON.stringify(smaller) }
}

function parsedBody(body: string | undefined): unknown {
  try {
    return body === undefined ? undefined : JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A value without one of its members or items, outer ones first. */
function* smallerValues(value: unknown, kept: ReadonlySet<string>): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const at of value.keys()) yield value.toSpliced(at, 1)
    for (const [at, item] of value.entries()) {
      for (const smaller of smallerValues(item, kept)) yield value.with(at, smaller)
    }
    return
  }
  const members = Object.entries(value)
  const loose = members.filter(([name]) => !kept.has(name))
  for (const [name] of loose) {
    yield Object.fromEntries(members.filter(([other]) => other !== name))
  }
  for (const [name, member] of loose) {
    for (const smaller of smallerValues(member, kept)) yield { ...value, [name]: smaller }
  }
}
