import { type Answer, answersOf, type OracleRequest, type Target } from './request.ts'

/** One way in which the answers to a request differ. */
export interface Difference {
  /** Names it, so that the same is told once: operation, place and, for statuses, both. */
  readonly kind: string
  readonly request: OracleRequest
  readonly left: unknown
  readonly right: unknown
}

/** A difference that is meant, or that nobody can mend. */
export interface KnownDifference {
  /** Fits the kind. */
  readonly kind: RegExp
  /** Fits what both answered as JSON, where the kind alone says too little. */
  readonly told?: RegExp
  readonly reason: string
}

/** Members that are drawn, or are of the server and not of the API. */
const drawn = new Set([
  'request_id',
  'accessor',
  'client_token',
  'wrapped_accessor',
  'uuid',
  'nonce',
  'otp',
  'migration_id',
  'version_label',
  'cluster_id',
  'cluster_name',
  'server_time_utc',
  'build_date',
  'running_plugin_version',
  'last_wal',
  'mount_type',
])

const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const tokenText = /\b(?:hv[sb]|[sb])\.[\w-]{24,}/g

/** An answer without what two servers cannot have in common: ids, times, names of the product. */
export function normalised(value: unknown, words: Readonly<Record<string, string>> = {}): unknown {
  if (typeof value === 'string') {
    const told = Object.entries(words).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      value,
    )
    return told.replace(instant, '<time>').replace(uuid, '<id>').replace(tokenText, '<token>')
  }
  if (Array.isArray(value)) return value.map((item) => normalised(item, words))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [
        name,
        drawn.has(name) || isInstant(name, member) ? `<${name}>` : normalised(member, words),
      ]),
  )
}

/** Some times are numbers of seconds. */
function isInstant(name: string, value: unknown): boolean {
  return typeof value === 'number' && /(?:_time|_renewal)$/.test(name)
}

/** Everything in which the answers of two servers to the same requests differ, the first of each. */
export async function differencesBetween(
  left: Target,
  right: Target,
  requests: readonly OracleRequest[],
  around: { readonly before: readonly OracleRequest[]; readonly after: readonly OracleRequest[] },
): Promise<readonly Difference[]> {
  const { before, after } = around
  const whole = [...before, ...requests, ...after]
  const [lefts, rights] = await Promise.all([answersOf(left, whole), answersOf(right, whole)])
  return requests.flatMap((request, at) => {
    const place = before.length + at
    const difference = differenceOf(
      request,
      told(lefts[place], left.words),
      told(rights[place], right.words),
    )
    return difference === undefined ? [] : [difference]
  })
}

function told(answer: Answer | undefined, words?: Readonly<Record<string, string>>): Answer {
  return { status: answer?.status ?? 0, body: normalised(answer?.body, words) }
}

function differenceOf(request: OracleRequest, left: Answer, right: Answer): Difference | undefined {
  const { operation } = request
  if (left.status !== right.status) {
    const kind = `${operation}: status ${left.status} → ${right.status}`
    return { kind, request, left, right }
  }
  const place = firstDifference(left.body, right.body, '')
  if (place === undefined) return undefined
  return {
    kind: `${operation}: ${left.status}${place}`,
    request,
    left: left.body,
    right: right.body,
  }
}

/** Seconds that pass between two servers' answers. */
const drift = 2

/** Where two values differ first; undefined where they do not. */
function firstDifference(left: unknown, right: unknown, place: string): string | undefined {
  if (Object.is(left, right)) return undefined
  if (typeof left === 'number' && typeof right === 'number' && /\.ttl$/.test(place)) {
    return Math.abs(left - right) <= drift ? undefined : place
  }
  const bothObjects =
    typeof left === 'object' && typeof right === 'object' && left !== null && right !== null
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) return place
  for (const name of [...new Set([...Object.keys(left), ...Object.keys(right)])].sort()) {
    const below = firstDifference(
      Reflect.get(left, name),
      Reflect.get(right, name),
      `${place}.${name}`,
    )
    if (below !== undefined) return below
  }
  return undefined
}
